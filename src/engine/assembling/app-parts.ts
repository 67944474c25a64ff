import type { SourceLocation } from '../../shared/errors/source-location.js';
import type { Document, Warning } from '../document/document.js';
import type { ComponentKind } from './code-types.js';

/** Metadata of a component, with the same names in every layout. */
export type ComponentField =
  | 'label'
  | 'description'
  | 'type'
  | 'crud'
  | 'connection'
  | 'altConnection'
  | 'webhook'
  | 'annotations'
  | 'attachedAccounts';

/** Text that is not JSON: a custom function, its test. */
export interface SourceText {
  readonly text: string;
  /** Path relative to the app; undefined for an app from an object. */
  readonly file: string | undefined;
}

/** A component as read: its files are parsed, its metadata unchecked. */
export interface ComponentPart {
  readonly kind: ComponentKind;
  readonly name: string;
  readonly fields: Readonly<Partial<Record<ComponentField, unknown>>>;
  /** Location of the component or of a field. */
  readonly locationOf: (field?: ComponentField) => SourceLocation;
  /** By code type. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly sources: ReadonlyMap<string, SourceText>;
  /** Handles a field of the wrong type: a warning for a file, an error for an object. */
  readonly refuse: (field: ComponentField, message: string) => void;
}

/** The parts of an app from any layout, before they are checked and assembled. */
export interface AppParts {
  readonly name: string;
  /** Absolute folder; undefined for an app from an object. */
  readonly identity?: string | undefined;
  /** IDs of the app in Make. */
  readonly appIds?: readonly string[] | undefined;
  readonly base: Document | undefined;
  readonly common: Document | undefined;
  readonly groups: Document | undefined;
  readonly components: readonly ComponentPart[];
  /** Connections and webhooks of another app, which may be missing. */
  readonly foreign: ReadonlySet<string>;
  /** Warnings of the reader. */
  readonly warnings: readonly Warning[];
}

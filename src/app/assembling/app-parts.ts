import type { Document, Warning } from '../../document/reading/document.js';
import type { SourceLocation } from '../../errors/source-location.js';
import type { ComponentKind } from './code-types.js';

/** What a component says about itself, in one spelling for every layout. */
export type ComponentField =
  | 'label'
  | 'description'
  | 'type'
  | 'crud'
  | 'connection'
  | 'altConnection'
  | 'webhook';

/** Text that is no JSON: a custom function, its test. */
export interface SourceText {
  readonly text: string;
  /** Path relative to the app's folder; undefined for an app given as an object. */
  readonly file: string | undefined;
}

/** A component as it was found: its files are read, its fields not looked at. */
export interface ComponentPart {
  readonly kind: ComponentKind;
  readonly name: string;
  readonly fields: Readonly<Partial<Record<ComponentField, unknown>>>;
  /** Where the component, or one of its fields, is written. */
  readonly locationOf: (field?: ComponentField) => SourceLocation;
  /** By code type. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly sources: ReadonlyMap<string, SourceText>;
  /** What happens with a field of the wrong type: a file is warned about, an object in code refused. */
  readonly refuse: (field: ComponentField, message: string) => void;
}

/** An app as one of the layouts gives it, before it is checked and put together. */
export interface AppParts {
  readonly name: string;
  /** The folder it was read from, absolute; undefined for an app given as an object. */
  readonly identity?: string | undefined;
  /** Names of the app on the platform. */
  readonly appIds?: readonly string[] | undefined;
  readonly base: Document | undefined;
  readonly common: Document | undefined;
  readonly groups: Document | undefined;
  readonly components: readonly ComponentPart[];
  /** Connections and webhooks that belong to another app, so nothing is said when they are not here. */
  readonly foreign: ReadonlySet<string>;
  /** What the reader of the layout has found. */
  readonly warnings: readonly Warning[];
}

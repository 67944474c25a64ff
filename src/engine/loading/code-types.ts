import type { SourceLocation } from '../../shared/errors/source-location.js';
import type { ModuleType } from '../document/app.js';
import type { Document, Warning } from '../document/document.js';
import type { DocumentKind } from '../document/document-shapes.js';

/** The component types of a manifest, in the order of the editor. */
export const COMPONENT_KINDS = ['connection', 'webhook', 'module', 'rpc', 'function', 'endpoint'] as const;
export type ComponentKind = (typeof COMPONENT_KINDS)[number];

/** One file of a component. */
export interface CodeType {
  /** Part of the file name in a clone: `<component>.<part>.iml.json`. */
  readonly part: string;
  /** Name of the section in the API and in an exported app. */
  readonly section: string;
  /** Content of the file; `source` is text that is not JSON. */
  readonly contents: DocumentKind | 'source';
  /** Whether a missing file of this type is an error, because the component would behave differently. */
  readonly runs: boolean;
}

function code(part: string, section: string, contents: CodeType['contents'], runs = true): CodeType {
  return { part, section, contents, runs };
}

/**
 * Code types by component. The contents of a communication depend on the component's type too: `communicationKind`.
 * Source: https://github.com/integromat/vscode-apps-sdk#readme [src]
 */
export const CODE_TYPES: Readonly<Record<ComponentKind, Readonly<Record<string, CodeType>>>> = {
  connection: {
    communication: code('communication', 'api', 'api'),
    params: code('params', 'parameters', 'parameters'),
    common: code('common', 'common', 'object', false),
    scopeList: code('scope-list', 'scopes', 'object', false),
    defaultScope: code('default-scope', 'scope', 'array', false),
    installSpec: code('install-spec', 'installSpec', 'any', false),
    installDirectives: code('install-directives', 'install', 'any', false),
  },
  webhook: {
    communication: code('communication', 'api', 'webhook'),
    params: code('params', 'parameters', 'parameters'),
    attach: code('attach', 'attach', 'api'),
    detach: code('detach', 'detach', 'api'),
    update: code('update', 'update', 'api'),
    requiredScope: code('required-scope', 'scope', 'array', false),
  },
  module: {
    communication: code('communication', 'api', 'api'),
    staticParams: code('static-params', 'parameters', 'parameters'),
    mappableParams: code('mappable-params', 'expect', 'parameters'),
    interface: code('interface', 'interface', 'parameters', false),
    samples: code('samples', 'samples', 'any', false),
    scope: code('scope', 'scope', 'array', false),
    epoch: code('epoch', 'epoch', 'epoch'),
  },
  rpc: {
    communication: code('communication', 'api', 'api'),
    params: code('params', 'parameters', 'parameters'),
  },
  function: {
    code: code('code', 'code', 'source', false),
    test: code('test', 'test', 'source', false),
  },
  endpoint: {
    communication: code('communication', 'api', 'endpoint'),
    requiredScope: code('required-scope', 'scope', 'array', false),
    input: code('input', 'input', 'parameters'),
    output: code('output', 'output', 'parameters', false),
    context: code('context', 'context', 'source', false),
  },
};

/** Code types of the app itself. Source: https://github.com/integromat/vscode-apps-sdk#readme [src] */
export const GENERAL_CODE_TYPES: Readonly<Record<string, CodeType>> = {
  base: code('base', 'base', 'base'),
  common: code('common', 'common', 'object', false),
  readme: code('readme', 'readme', 'source', false),
  groups: code('groups', 'groups', 'array', false),
};

/** Content of the communication of a component by its type. */
export function communicationKind(kind: ComponentKind, type: string | undefined): DocumentKind {
  if (kind === 'connection') return type === 'oauth' ? 'oauth' : 'api';
  if (kind === 'module') return type === 'responder' ? 'responder' : 'api';
  if (kind === 'webhook') return 'webhook';
  return kind === 'endpoint' ? 'endpoint' : 'api';
}

/**
 * Component types of a manifest. Source: https://github.com/integromat/vscode-apps-sdk#readme (makecomapp.json).
 * [src]
 */
export const MODULE_TYPES: readonly ModuleType[] = [
  ...(['trigger', 'action', 'search', 'instant_trigger', 'responder', 'universal'] as const),
];
const CONNECTION_TYPES = ['basic', 'oauth'] as const;

/**
 * Names of connection types in the API. All but OAuth exchange no token, so they work as `basic`. [inf]
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc]
 */
export const CONNECTION_TYPE_NAMES: ReadonlyMap<string, (typeof CONNECTION_TYPES)[number]> = new Map([
  ...(['basic', 'apikey', 'basicauth', 'digest', 'jwt', 'aws', 'other'] as const).map(
    (name): [string, 'basic'] => [name, 'basic'],
  ),
  ...(['oauth', 'oauth1', 'oauth2'] as const).map((name): [string, 'oauth'] => [name, 'oauth']),
]);
export const WEBHOOK_TYPES = ['web', 'web-shared'] as const;

/** What an action does. Source: the same page. [src] */
export const CRUD_KINDS = ['create', 'read', 'update', 'delete'] as const;

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

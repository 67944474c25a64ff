import { freeForm, list, nullable, oneOf, type Schema, text } from '../../shared/schema/build.js';

/** Components of a custom app. Names of connections and webhooks are unique on the instance. */
const SDK_KINDS = ['module', 'rpc', 'function', 'endpoint', 'connection', 'webhook'] as const;
export type SdkKind = (typeof SDK_KINDS)[number];

/** A kind of component: its addresses, names, bodies and sections. Source: the public clients. [src] */
export interface SdkKindShape {
  readonly kind: SdkKind;
  /** Part of operation ids: `listSdkModules`. */
  readonly id: 'Module' | 'Rpc' | 'Function' | 'Endpoint' | 'Connection' | 'Webhook';
  /** Segment of addresses: `modules`. */
  readonly path: string;
  /** Members of responses: `appModule`, `appModules`. */
  readonly member: string;
  /** Key of the list in the checksum. */
  readonly checksum: string;
  /** Pattern of names; undefined if the server makes the name. */
  readonly name: string | undefined;
  /** Required members of a creation besides the name. */
  readonly required: Readonly<Record<string, Schema<unknown>>>;
  /** Optional members of a creation. */
  readonly optional: Readonly<Record<string, Schema<unknown>>>;
  /** Members of a change. */
  readonly changes: Readonly<Record<string, Schema<unknown>>>;
  /** The record of a new component, without its name. */
  readonly initial: Readonly<Record<string, unknown>>;
  /** Sections with the text of one that was never set. */
  readonly sections: Readonly<Record<string, string>>;
  /** Content types of a section; the first is that of responses. */
  readonly types: readonly string[];
  readonly hasVisibility: boolean;
}

const LABEL = text({ minLength: 1, maxLength: 255 });
const DESCRIPTION = text({ maxLength: 5000 });
const REFERENCE = nullable(text({ maxLength: 64 }));
const JSONC = ['application/jsonc', 'application/json'];

/** Types of modules. [src] */
const TYPE_IDS = [1, 4, 9, 10, 11, 12] as const;

/** Patterns of names, as the editor of the platform checks them. [src] */
const WORD_64 = '^[a-zA-Z][0-9a-zA-Z]{2,63}$';
const WORD_96 = '^[a-zA-Z][0-9a-zA-Z]{2,95}$';
const WORD_128 = '^[a-zA-Z][0-9a-zA-Z]{2,127}$';

export const SDK_KIND_SHAPES: readonly SdkKindShape[] = [
  {
    kind: 'module',
    id: 'Module',
    path: 'modules',
    member: 'appModule',
    checksum: 'modules',
    name: WORD_64,
    required: {
      typeId: oneOf(TYPE_IDS),
      label: LABEL,
      description: DESCRIPTION,
      // https://github.com/integromat/vscode-apps-sdk/issues/293 [iss]
      moduleInitMode: oneOf(['blank', 'example', 'module']),
    },
    optional: {
      subtype: oneOf(['Universal', 'UniversalGraphQL']),
      crud: nullable(oneOf(['create', 'read', 'update', 'delete', 'multipart'])),
      connection: REFERENCE,
      altConnection: REFERENCE,
      webhook: REFERENCE,
    },
    changes: {
      label: LABEL,
      description: DESCRIPTION,
      typeId: oneOf(TYPE_IDS),
      crud: nullable(oneOf(['create', 'read', 'update', 'delete', 'multipart'])),
      connection: REFERENCE,
      altConnection: REFERENCE,
      webhook: REFERENCE,
    },
    initial: {
      public: false,
      approved: false,
      crud: null,
      connection: null,
      altConnection: null,
      webhook: null,
    },
    sections: {
      api: '{}',
      epoch: '{}',
      parameters: '[]',
      expect: '[]',
      interface: '[]',
      samples: '{}',
      scope: '[]',
    },
    types: JSONC,
    hasVisibility: true,
  },
  {
    kind: 'rpc',
    id: 'Rpc',
    path: 'rpcs',
    member: 'appRpc',
    checksum: 'rpcs',
    name: WORD_64,
    required: { label: LABEL },
    optional: {},
    changes: { label: LABEL, connection: REFERENCE, altConnection: REFERENCE },
    initial: { connection: null, altConnection: null },
    sections: { api: '{}', parameters: '[]' },
    types: JSONC,
    hasVisibility: false,
  },
  {
    kind: 'function',
    id: 'Function',
    path: 'functions',
    member: 'appFunction',
    checksum: 'functions',
    name: WORD_96,
    required: {},
    optional: {},
    changes: {},
    initial: { args: '()' },
    sections: { code: '', test: '' },
    types: ['application/javascript'],
    hasVisibility: false,
  },
  {
    kind: 'endpoint',
    id: 'Endpoint',
    path: 'endpoints',
    member: 'appEndpoint',
    checksum: 'endpoints',
    name: WORD_128,
    required: { label: LABEL },
    optional: { description: nullable(DESCRIPTION), attachedAccounts: list(text({ maxLength: 64 })) },
    changes: {
      label: LABEL,
      description: nullable(DESCRIPTION),
      context: nullable(text({ maxLength: 100_000 })),
      annotations: freeForm(),
      attachedAccounts: list(text({ maxLength: 64 })),
    },
    initial: {
      description: null,
      context: null,
      annotations: {},
      attachedAccounts: [],
      public: false,
      approved: false,
      deprecated: false,
      archived: false,
      schemaVersion: 1,
    },
    sections: { api: '{}', scope: '[]', inputParameters: '[]', outputParameters: '[]' },
    types: JSONC,
    hasVisibility: true,
  },
  {
    kind: 'connection',
    id: 'Connection',
    path: 'connections',
    member: 'appConnection',
    checksum: 'accounts',
    name: undefined,
    required: { type: text({ minLength: 1, maxLength: 32, pattern: '^[a-z0-9]+$' }), label: LABEL },
    optional: {},
    changes: { label: LABEL },
    initial: {},
    sections: {
      api: '{}',
      parameters: '[]',
      scopes: '{}',
      scope: '[]',
      install: '{}',
      installSpec: '[]',
      common: '{}',
    },
    types: JSONC,
    hasVisibility: false,
  },
  {
    kind: 'webhook',
    id: 'Webhook',
    path: 'webhooks',
    member: 'appWebhook',
    checksum: 'hooks',
    name: undefined,
    required: { type: oneOf(['web', 'web-shared']), label: LABEL },
    optional: {},
    changes: { label: LABEL, connection: REFERENCE, altConnection: REFERENCE },
    initial: { connection: null, altConnection: null },
    sections: { api: '{}', parameters: '[]', attach: '{}', detach: '{}', update: '{}', scope: '[]' },
    types: JSONC,
    hasVisibility: false,
  },
];

/** Sections of the app itself with the text of one that was never set. */
export const SDK_APP_SECTIONS: Readonly<Record<string, string>> = {
  base: '{}',
  groups: '[]',
  install: '{}',
  installSpec: '[]',
};

/** Members of a component that the checksum has, by their column. [src] */
export const SDK_CHECKSUM_MEMBERS: Readonly<Record<string, string>> = {
  label: 'label',
  description: 'description',
  typeId: 'type_id',
  crud: 'crud',
  connection: 'account_name',
  altConnection: 'alt_account_name',
};

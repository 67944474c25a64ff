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

import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import {
  type App,
  type ConnectionComponent,
  ENDPOINT_HINTS,
  type EndpointAnnotations,
  type EndpointComponent,
  type FunctionComponent,
  type ModuleComponent,
  type ModuleType,
  type RpcComponent,
  type WebhookComponent,
} from '../document/app.js';
import { collectWarnings, type Document, limitWarnings, type Warning } from '../document/document.js';
import {
  checkAddresses,
  checkAppFunctions,
  checkDocuments,
  checkReferences,
  checkSharedWebhooks,
} from './check-app.js';
import {
  type AppParts,
  CONNECTION_TYPE_NAMES,
  type ComponentField,
  type ComponentKind,
  type ComponentPart,
  CRUD_KINDS,
  MODULE_TYPES,
  WEBHOOK_TYPES,
} from './code-types.js';

/** Assembles and checks an app. Throws only errors of `refuse`. */
export function assembleApp(parts: AppParts): App {
  const components = {
    modules: byName(parts, 'module', assembleModule),
    connections: byName(parts, 'connection', assembleConnection),
    rpcs: byName(parts, 'rpc', assembleRpc),
    webhooks: byName(parts, 'webhook', assembleWebhook),
    functions: byName(parts, 'function', assembleFunction),
    endpoints: byName(parts, 'endpoint', assembleEndpoint),
  };
  // Copied here, after `refuse` has added warnings.
  const warnings: Warning[] = [...parts.warnings];
  const { name, base, common, groups } = parts;
  const { identity = name, appIds = [] } = parts;
  const app: App = { name, identity, appIds, base, common, groups, ...components, warnings };
  const warn = collectWarnings(warnings);
  checkDocuments(app, parts, warn);
  checkReferences(app, parts, warn);
  checkSharedWebhooks(app, warn);
  checkAddresses(app, limitWarnings(warn));
  checkAppFunctions(app, limitWarnings(warn));
  return app;
}

function byName<Component>(
  parts: AppParts,
  kind: ComponentKind,
  make: (part: ComponentPart) => Component,
): Map<string, Component> {
  const ofKind = parts.components.filter((part) => part.kind === kind);
  return new Map(ofKind.map((part) => [part.name, make(part)]));
}

function assembleModule(part: ComponentPart): ModuleComponent {
  return {
    name: part.name,
    label: readText(part, 'label'),
    description: readText(part, 'description'),
    type: readChoice(part, MODULE_TYPES) ?? guessModuleType(part),
    crud: readChoice(part, CRUD_KINDS, 'crud'),
    connection: readText(part, 'connection'),
    altConnection: readText(part, 'altConnection'),
    webhook: readText(part, 'webhook'),
    communication: part.documents.get('communication'),
    epoch: part.documents.get('epoch'),
    staticParams: part.documents.get('staticParams'),
    mappableParams: part.documents.get('mappableParams'),
    interface: part.documents.get('interface'),
    samples: part.documents.get('samples'),
    scope: part.documents.get('scope'),
  };
}

function assembleConnection(part: ComponentPart): ConnectionComponent {
  const communication = part.documents.get('communication');
  return {
    name: part.name,
    label: readText(part, 'label'),
    type: readConnectionType(part) ?? (looksLikeOAuth(communication) ? 'oauth' : 'basic'),
    communication,
    params: part.documents.get('params'),
    common: part.documents.get('common'),
    scopeList: part.documents.get('scopeList'),
    defaultScope: part.documents.get('defaultScope'),
  };
}

function assembleRpc(part: ComponentPart): RpcComponent {
  return {
    name: part.name,
    label: readText(part, 'label'),
    connection: readText(part, 'connection'),
    altConnection: readText(part, 'altConnection'),
    communication: part.documents.get('communication'),
    params: part.documents.get('params'),
  };
}

function assembleWebhook(part: ComponentPart): WebhookComponent {
  return {
    name: part.name,
    label: readText(part, 'label'),
    type: readChoice(part, WEBHOOK_TYPES) ?? 'web',
    connection: readText(part, 'connection'),
    altConnection: readText(part, 'altConnection'),
    communication: part.documents.get('communication'),
    params: part.documents.get('params'),
    attach: part.documents.get('attach'),
    detach: part.documents.get('detach'),
    update: part.documents.get('update'),
    requiredScope: part.documents.get('requiredScope'),
  };
}

function assembleFunction(part: ComponentPart): FunctionComponent {
  const code = part.sources.get('code');
  const test = part.sources.get('test');
  return {
    name: part.name,
    label: readText(part, 'label'),
    code: code?.text,
    test: test?.text,
    file: code?.file,
    testFile: test?.file,
  };
}

function assembleEndpoint(part: ComponentPart): EndpointComponent {
  return {
    name: part.name,
    label: readText(part, 'label'),
    description: readText(part, 'description'),
    connections: readConnections(part),
    annotations: readAnnotations(part),
    context: part.sources.get('context')?.text,
    communication: part.documents.get('communication'),
    requiredScope: part.documents.get('requiredScope'),
    input: part.documents.get('input'),
    output: part.documents.get('output'),
  };
}

function readConnections(part: ComponentPart): readonly string[] {
  const { attachedAccounts: attached } = part.fields;
  const first = readText(part, 'connection');
  const isGiven = attached !== undefined && attached !== null;
  const names: readonly unknown[] = Array.isArray(attached) ? attached : [];
  if (isGiven && !(Array.isArray(attached) && names.every(isText))) {
    part.refuse('attachedAccounts', `The attachedAccounts of endpoint "${part.name}" are no list of names.`);
  }
  return [...new Set([...(first === undefined ? [] : [first]), ...names.filter(isText)])];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Hints that are not booleans are ignored. */
function readAnnotations(part: ComponentPart): EndpointAnnotations {
  const { annotations } = part.fields;
  if (annotations === undefined || annotations === null) return {};
  if (!isPlainObject(annotations)) {
    part.refuse('annotations', `The annotations of endpoint "${part.name}" are no object.`);
    return {};
  }
  const hints: Partial<Record<(typeof ENDPOINT_HINTS)[number], boolean>> = {};
  for (const name of ENDPOINT_HINTS) {
    const hint = ownMember(annotations, name);
    if (typeof hint === 'boolean') hints[name] = hint;
    else if (hint !== undefined && hint !== null) {
      part.refuse('annotations', `"${name}" of endpoint "${part.name}" is neither true nor false.`);
    }
  }
  return hints;
}

/** Null, empty text and an absent field mean the same. */
function readText(part: ComponentPart, field: ComponentField): string | undefined {
  const value = part.fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  part.refuse(field, `The ${field} of ${part.kind} "${part.name}" is not text.`);
  return undefined;
}

function readChoice<Name extends string>(
  part: ComponentPart,
  names: readonly Name[],
  field: ComponentField = 'type',
): Name | undefined {
  const value = readText(part, field);
  if (value === undefined) return undefined;
  const known = names.find((name) => name === value);
  if (known === undefined) {
    const message = `"${value}" is not a ${field} of a ${part.kind}. Expected one of ${names.join(', ')}.`;
    part.refuse(field, message + didYouMean(value, names));
  }
  return known;
}

/** The communication decides for API names other than `basic`. [inf] */
function readConnectionType(part: ComponentPart): 'basic' | 'oauth' | undefined {
  const name = readChoice(part, [...CONNECTION_TYPE_NAMES.keys()]);
  if (name === undefined || name === 'other') return undefined;
  return CONNECTION_TYPE_NAMES.get(name);
}

/** Type of a module without one: only triggers have an epoch, only instant triggers a webhook. [inf] */
function guessModuleType(part: ComponentPart): ModuleType {
  if (typeof part.fields.webhook === 'string' && part.fields.webhook !== '') return 'instant_trigger';
  const communication = part.documents.get('communication')?.value;
  const requests: readonly unknown[] = Array.isArray(communication) ? communication : [communication];
  const responses = requests.map((request) => isPlainObject(request) && ownMember(request, 'response'));
  const has = (key: string): boolean =>
    responses.some((response) => isPlainObject(response) && ownMember(response, key) !== undefined);
  if (part.documents.has('epoch') || has('trigger')) return 'trigger';
  return has('iterate') ? 'search' : 'action';
}

/** Old manifests lack the type of a connection; only OAuth has these sections. [inf] */
function looksLikeOAuth(communication: Document | undefined): boolean {
  const value = communication?.value;
  return isPlainObject(value) && (Object.hasOwn(value, 'authorize') || Object.hasOwn(value, 'token'));
}

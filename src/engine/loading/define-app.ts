import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import type { App, EndpointAnnotations, ModuleType } from '../document/app.js';
import { copyJson, createDocument, type Document, type Warning } from '../document/document.js';
import { assembleApp } from './assemble-app.js';
import {
  CODE_TYPES,
  type ComponentField,
  type ComponentKind,
  type ComponentPart,
  type SourceText,
} from './code-types.js';

const KINDS: Readonly<Record<string, ComponentKind>> = {
  connections: 'connection',
  webhooks: 'webhook',
  modules: 'module',
  rpcs: 'rpc',
  functions: 'function',
  endpoints: 'endpoint',
};
const GENERAL = ['base', 'common', 'groups'];
const FIELDS: readonly ComponentField[] = [
  'label',
  'description',
  'type',
  'crud',
  'connection',
  'altConnection',
  'webhook',
  'annotations',
  'attachedAccounts',
];

/**
 * Makes an app of an object, for apps that are not on disk: tests, apps from a database, examples.
 * The definition is copied; its checks and warnings are those of `loadApp`, with a JSON pointer into the definition as place.
 *
 * @throws SpecError SPEC_INVALID with a pointer: a definition that is no JSON data, or whose own members have the wrong type.
 *
 * @example
 * const app = defineApp({
 *   name: 'fonts',
 *   base: { baseUrl: 'https://api.example.com' },
 *   modules: { listFonts: { type: 'search', communication: { url: '/fonts', response: { iterate: '{{body}}' } } } },
 * });
 */
export function defineApp(definition: AppDefinition): App {
  const copy = copyJson(definition, '');
  if (!isPlainObject(copy)) throw invalid('', 'The definition is not an object.');
  const name = ownMember(copy, 'name');
  if (typeof name !== 'string' || name === '') throw invalid('/name', 'The name of the app is not text.');
  const warnings: Warning[] = [];
  refuseUnknown(copy, ['name', ...GENERAL, ...Object.keys(KINDS)], '');
  return assembleApp({
    name,
    base: generalDocument(copy, 'base'),
    common: generalDocument(copy, 'common'),
    groups: generalDocument(copy, 'groups'),
    components: Object.entries(KINDS).flatMap(([member, kind]) => readParts(copy, member, kind)),
    foreign: new Set(),
    warnings,
  });
}

/** null and an absent member mean the same: no such part. */
function generalDocument(definition: PlainObject, member: string): Document | undefined {
  const value = ownMember(definition, member);
  return value === undefined || value === null ? undefined : createDocument(value, `/${member}`);
}

function readParts(definition: PlainObject, member: string, kind: ComponentKind): ComponentPart[] {
  const components = ownMember(definition, member);
  const pointer = `/${member}`;
  if (components === undefined || components === null) return [];
  if (!isPlainObject(components))
    throw invalid(pointer, `"${member}" is not an object of ${member} by name.`);
  return Object.entries(components).map(([name, component]) => {
    const at = childPointer(pointer, name);
    if (!isPlainObject(component)) throw invalid(at, `The ${kind} "${name}" is not an object.`);
    return readPart(kind, name, component, at);
  });
}

function readPart(kind: ComponentKind, name: string, component: PlainObject, pointer: string): ComponentPart {
  const types = CODE_TYPES[kind];
  refuseUnknown(component, [...FIELDS, ...Object.keys(types)], pointer);
  const documents = new Map<string, Document>();
  const sources = new Map<string, SourceText>();
  for (const [code, { contents }] of Object.entries(types)) {
    const value = ownMember(component, code);
    if (value === undefined || value === null) continue;
    const at = childPointer(pointer, code);
    if (contents !== 'source') documents.set(code, createDocument(value, at));
    else if (typeof value === 'string') sources.set(code, { text: value, file: undefined });
    else throw invalid(at, `The ${code} of ${kind} "${name}" is not text.`);
  }
  if (kind === 'function' && !sources.has('code')) {
    throw invalid(pointer, `The function "${name}" has no code.`);
  }
  return {
    kind,
    name,
    fields: Object.fromEntries(FIELDS.map((field) => [field, ownMember(component, field)])),
    locationOf: (field) => ({ pointer: field === undefined ? pointer : childPointer(pointer, field) }),
    documents,
    sources,
    refuse: (field, message) => {
      throw invalid(childPointer(pointer, field), message);
    },
  };
}

function refuseUnknown(value: PlainObject, known: readonly string[], pointer: string): void {
  const key = Object.keys(value).find((name) => !known.includes(name));
  if (key === undefined) return;
  throw invalid(
    childPointer(pointer, key),
    `Unknown key "${key}" in the definition.${didYouMean(key, known)}`,
  );
}

function invalid(pointer: string, message: string): SpecError {
  return new SpecError('SPEC_INVALID', pointer === '' ? message : `${pointer}: ${message}`, {
    place: { pointer },
  });
}

/** JSON data as in the file: a request spec, a list of them, parameters and so on. */
export type Spec = unknown;

/** An app given as an object. Member names of specs are Make's; see `defineApp`. */
export interface AppDefinition {
  /** Name of the app in messages. */
  readonly name: string;
  readonly base?: Spec;
  /** The app's common data: an object. */
  readonly common?: Spec;
  /** `[{ label, modules: [name] }]` in the order of display. */
  readonly groups?: Spec;
  readonly modules?: Readonly<Record<string, ModuleDefinition>> | undefined;
  readonly connections?: Readonly<Record<string, ConnectionDefinition>> | undefined;
  readonly rpcs?: Readonly<Record<string, RpcDefinition>> | undefined;
  readonly webhooks?: Readonly<Record<string, WebhookDefinition>> | undefined;
  readonly functions?: Readonly<Record<string, FunctionDefinition>> | undefined;
  readonly endpoints?: Readonly<Record<string, EndpointDefinition>> | undefined;
}

/** A module of `defineApp`. Absent parts do not exist. */
export interface ModuleDefinition {
  /** Default: derived from epoch, trigger, webhook or iterate; else `action`. */
  readonly type?: ModuleType | undefined;
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly crud?: 'create' | 'read' | 'update' | 'delete' | null | undefined;
  /** Name of one of the app's connections. */
  readonly connection?: string | null | undefined;
  readonly altConnection?: string | null | undefined;
  /** Name of one of the app's webhooks; instant triggers only. */
  readonly webhook?: string | null | undefined;
  /** Required except for an instant trigger. */
  readonly communication?: Spec;
  /** Polling triggers only. */
  readonly epoch?: Spec;
  readonly staticParams?: Spec;
  readonly mappableParams?: Spec;
  readonly interface?: Spec;
  readonly samples?: Spec;
  readonly scope?: Spec;
}

/** A connection of `defineApp`. */
export interface ConnectionDefinition {
  /** Default: `oauth` if the communication has `authorize` or `token`, else `basic`. */
  readonly type?: 'basic' | 'oauth' | undefined;
  readonly label?: string | undefined;
  readonly communication?: Spec;
  readonly params?: Spec;
  /** The connection's common data, such as a client id. */
  readonly common?: Spec;
  readonly scopeList?: Spec;
  readonly defaultScope?: Spec;
  readonly installSpec?: Spec;
  readonly installDirectives?: Spec;
}

/** An RPC of `defineApp`: loads options, fields and samples of forms. */
export interface RpcDefinition {
  readonly label?: string | undefined;
  readonly connection?: string | null | undefined;
  readonly altConnection?: string | null | undefined;
  readonly communication?: Spec;
  readonly params?: Spec;
}

/** A webhook of `defineApp` with its attach, update and detach requests. */
export interface WebhookDefinition {
  /** `web-shared`: one address for all users. Default `web`. */
  readonly type?: 'web' | 'web-shared' | undefined;
  readonly label?: string | undefined;
  readonly connection?: string | null | undefined;
  readonly altConnection?: string | null | undefined;
  readonly communication?: Spec;
  readonly params?: Spec;
  readonly attach?: Spec;
  readonly detach?: Spec;
  readonly update?: Spec;
  readonly requiredScope?: Spec;
}

/** A custom function of `defineApp`. */
export interface FunctionDefinition {
  /** JavaScript source of the function. It runs in the sandbox only. */
  readonly code: string;
  /** Source of its tests. */
  readonly test?: string | undefined;
}

/** An endpoint of `defineApp`: a request for AI callers and for other requests of the app. */
export interface EndpointDefinition {
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly connection?: string | null | undefined;
  /** Names of the connections that it may use. */
  readonly attachedAccounts?: readonly string[] | undefined;
  readonly annotations?: EndpointAnnotations | undefined;
  /** Text for AI callers, in Markdown. */
  readonly context?: string | undefined;
  readonly communication?: Spec;
  readonly requiredScope?: Spec;
  readonly input?: Spec;
  readonly output?: Spec;
}

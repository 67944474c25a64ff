import { Script } from 'node:vm';
import { isSpreadKey } from '../../language/syntax/grammar.js';
import { parseTemplate } from '../../language/syntax/parser.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import type { App, ConnectionComponent, WebhookComponent } from '../document/app.js';
import { type Document, limitWarnings, type Warn, type WarningCode } from '../document/document.js';
import { DOCUMENT_RULES, type DocumentKind, holdsTemplates } from '../document/document-shapes.js';
import type { JsonType, KeyShape, Shape } from '../document/shape.js';
import { checkFunctions, nameFile } from '../sandbox/check-functions.js';
import { DEFAULT_SANDBOX_LIMITS } from '../sandbox/sandbox.js';
import { APP_FUNCTION_NAMES } from './app-functions.js';
import { type AppParts, CODE_TYPES, type ComponentPart, communicationKind } from './code-types.js';

/** Checks all files of an app, and that no component lacks a required file. */
export function checkDocuments(app: App, parts: AppParts, warn: Warn): void {
  // Components can share a file; its problems are reported once.
  const seen = new Map<Document, Set<DocumentKind>>();
  const check = (document: Document | undefined, kind: DocumentKind): void => {
    if (document === undefined) return;
    const kinds = seen.get(document) ?? new Set();
    seen.set(document, kinds);
    if (kinds.has(kind)) return;
    kinds.add(kind);
    checkShape(document, kind, limitWarnings(warn));
    if (holdsTemplates(kind)) checkTemplates(document, limitWarnings(warn));
  };

  const warnIncomplete = limitWarnings(warn);
  check(app.base, 'base');
  check(app.common, 'common');
  check(app.groups, 'array');
  for (const part of parts.components) {
    const type = findType(app, part);
    for (const [name, document] of part.documents) {
      const contents = CODE_TYPES[part.kind][name]?.contents ?? 'any';
      if (name === 'communication') check(document, communicationKind(part.kind, type));
      else if (contents !== 'source') check(document, contents);
    }
    if (needsCommunication(part, type) && !part.documents.has('communication')) {
      const message = `The ${part.kind} "${part.name}" has no communication, so it cannot run.`;
      warnIncomplete('missing-communication', message, () => part.locationOf());
    }
  }
}

function findType(app: App, part: ComponentPart): string | undefined {
  if (part.kind === 'module') return app.modules.get(part.name)?.type;
  return part.kind === 'connection' ? app.connections.get(part.name)?.type : undefined;
}

/** An instant trigger passes its webhook's item on, and a webhook the body it was sent. Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks [doc] */
function needsCommunication(part: ComponentPart, type: string | undefined): boolean {
  if (part.kind === 'function' || part.kind === 'webhook') return false;
  return type !== 'instant_trigger';
}

/**
 * Checks a file of an app against the shape of its kind: reports unknown keys (`unknown-key`) and unusable types
 * (`wrong-type`). Skips free-form objects (body, qs, headers, temp, output, data). Published apps violate the schemas,
 * so these are warnings only. [app]
 */
export function checkShape(document: Document, kind: DocumentKind, warn: Warn): void {
  const rule = DOCUMENT_RULES[kind];
  // The editor writes an empty object for unused parts. [src]
  if (isPlainObject(document.value) && Object.keys(document.value).length === 0) return;
  checkValue({ document, warn }, rule, document.value, '');
  if (kind === 'parameters' && Array.isArray(document.value)) {
    checkParameters({ document, warn }, document.value);
  }
}

interface Check {
  readonly document: Document;
  readonly warn: Warn;
}

function checkValue(check: Check, rule: KeyShape, value: unknown, pointer: string): void {
  if (value === null || value === undefined) return;
  const type = findJsonType(value);
  if (rule.types && (type === 'null' || !rule.types.includes(type))) {
    const message = `${describePointer(pointer)} is ${withArticle(type)}; expected ${rule.types.map(withArticle).join(' or ')}.`;
    check.warn('wrong-type', message, () => check.document.locationOf(pointer));
    return;
  }
  if (typeof value === 'string') checkConstant(check, rule, value, pointer);
  if (rule.shape === undefined) return;
  if (isPlainObject(value)) checkMembers(check, rule.shape, value, pointer);
  else if (rule.each && Array.isArray(value)) {
    const item: KeyShape = { types: ['object'], shape: rule.shape };
    value.forEach((element, index) => {
      checkValue(check, item, element, childPointer(pointer, index));
    });
  }
}

/** Reports a text that cannot be the value: `"qs": "a=b"`, `"encodeUrl": "no"`. Empty text means "not set". */
function checkConstant(check: Check, { constant }: KeyShape, text: string, pointer: string): void {
  if (constant === undefined || text.trim() === '' || text.includes('{{')) return;
  const problem = describeConstant(constant, text);
  if (problem === undefined) return;
  const hint = PATH.test(text) ? ` Did you mean {{${text}}}?` : '';
  const message = `${describePointer(pointer)} is the text "${shorten(text)}", ${problem}${hint}`;
  check.warn('wrong-type', message, () => check.document.locationOf(pointer));
}

function describeConstant(constant: 'boolean' | 'number' | 'object', text: string): string | undefined {
  switch (constant) {
    case 'boolean':
      return text === 'true' || text === 'false'
        ? undefined
        : 'which counts as true. Expected an expression, true or false.';
    case 'number':
      return Number.isNaN(Number(text)) ? 'expected a number or an expression.' : undefined;
    default:
      return 'expected an object or an expression.';
  }
}

/** A path that lacks its braces. */
const PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d*\])+$/;

function checkMembers(check: Check, shape: Shape, value: PlainObject, pointer: string): void {
  for (const [key, member] of Object.entries(value)) {
    const at = childPointer(pointer, key);
    const rule = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
    if (rule) checkValue(check, rule, member, at);
    else if (shape.pattern?.key.test(key)) checkValue(check, shape.pattern.rule, member, at);
    else if (key !== '$schema' && shape.isOpen !== true) {
      const hint = didYouMean(key, Object.keys(shape.keys));
      check.warn('unknown-key', `Unknown key "${shorten(key)}" in ${shape.title}.${hint}`, () =>
        check.document.locationOf(at, undefined, 'key'),
      );
    }
  }
}

/**
 * A parameter list holds objects, and texts that refer to an RPC. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/parameters. [src]
 */
function checkParameters(check: Check, list: readonly unknown[]): void {
  list.forEach((parameter, index) => {
    const pointer = `/${index}`;
    if (typeof parameter === 'string') return;
    if (!isPlainObject(parameter)) {
      const message = `Parameter ${index + 1} is ${withArticle(findJsonType(parameter))}; expected an object or a text.`;
      check.warn('wrong-type', message, () => check.document.locationOf(pointer));
      return;
    }
    for (const key of ['name', 'type']) {
      const value = ownMember(parameter, key);
      if (value === undefined || typeof value === 'string') continue;
      const at = childPointer(pointer, key);
      const message = `"${key}" of parameter ${index + 1} is ${withArticle(findJsonType(value))}; expected a text.`;
      check.warn('wrong-type', message, () => check.document.locationOf(at));
    }
  });
}

function findJsonType(value: unknown): JsonType | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'object';
  }
}

function withArticle(type: JsonType | 'null'): string {
  switch (type) {
    case 'string':
      return 'a text';
    case 'null':
      return 'null';
    case 'array':
    case 'object':
      return `an ${type}`;
    default:
      return `a ${type}`;
  }
}

function describePointer(pointer: string): string {
  return pointer === '' ? 'The file' : `"${shorten(pointer.slice(1).replaceAll('/', '.'))}"`;
}

function shorten(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}...` : name;
}

/**
 * Parses all templates of a file, including member names, and reports syntax errors (`syntax`) with line and column in
 * the file. The app still loads; evaluating such a template throws.
 */
export function checkTemplates(document: Document, warn: Warn): void {
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') {
      checkTemplate(value, (offset) => document.locationOf(pointer, offset), warn);
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, childPointer(pointer, index));
      });
    } else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const at = childPointer(pointer, key);
        if (!isSpreadKey(key)) checkTemplate(key, (offset) => document.locationOf(at, offset, 'key'), warn);
        visit(member, at);
      }
    }
  };
  visit(document.value, '');
}

function checkTemplate(source: string, locate: (offset: number) => SourceLocation, warn: Warn): void {
  if (!source.includes('{{')) return;
  try {
    parseTemplate(source);
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    warn('syntax', error.message, () => locate(error.offset ?? 0));
  }
}

/**
 * Warns about references to unknown components (`unknown-reference`): connections, webhooks, RPCs, modules of groups.
 */
export function checkReferences(app: App, parts: AppParts, warn: Warn): void {
  const warnFields = limitWarnings(warn);
  for (const part of parts.components) checkFields(app, parts, part, warnFields);
  const seen = new Set<Document>();
  for (const part of parts.components) {
    for (const [name, document] of part.documents) {
      if (seen.has(document)) continue;
      seen.add(document);
      checkRpcs(app, document, limitWarnings(warn));
      if (REQUESTS.has(name)) checkEndpointCalls(app, parts, document, limitWarnings(warn));
    }
  }
  if (app.groups) checkGroups(app, app.groups, limitWarnings(warn));
}

function checkFields(app: App, parts: AppParts, part: ComponentPart, warn: Warn): void {
  for (const field of ['connection', 'altConnection', 'webhook'] as const) {
    const name = part.fields[field];
    if (typeof name !== 'string' || name === '') continue;
    const known: ReadonlyMap<string, unknown> = field === 'webhook' ? app.webhooks : app.connections;
    if (known.has(name) || parts.foreign.has(name)) continue;
    const kind = field === 'webhook' ? 'webhook' : 'connection';
    const message = `The ${part.kind} "${part.name}" names the ${kind} "${name}", which the app does not have.`;
    warn('unknown-reference', message + didYouMean(name, known.keys()), () => part.locationOf(field));
  }
  for (const name of app.endpoints.get(part.kind === 'endpoint' ? part.name : '')?.connections ?? []) {
    if (name === part.fields.connection || app.connections.has(name) || parts.foreign.has(name)) continue;
    const message = `The endpoint "${part.name}" names the connection "${name}", which the app does not have.`;
    const hint = didYouMean(name, app.connections.keys());
    warn('unknown-reference', message + hint, () => part.locationOf('attachedAccounts'));
  }
  if (
    app.modules.get(part.name)?.type === 'instant_trigger' &&
    part.kind === 'module' &&
    !part.fields.webhook
  ) {
    const message = `The instant trigger "${part.name}" names no webhook, so nothing can start it.`;
    warn('unknown-reference', message, () => part.locationOf());
  }
}

/** Code types with requests. */
const REQUESTS: ReadonlySet<string> = new Set(['communication', 'epoch', 'attach', 'detach', 'update']);

/** An endpoint call can name its connection, or compute its data. */
function checkEndpointCalls(app: App, parts: AppParts, { value, locationOf }: Document, warn: Warn): void {
  const requests: readonly unknown[] = Array.isArray(value) ? value : [value];
  requests.forEach((request, index) => {
    const endpoint = isPlainObject(request) ? ownMember(request, 'endpoint') : undefined;
    const name = isPlainObject(endpoint) ? ownMember(endpoint, 'connection') : undefined;
    if (typeof name !== 'string' || name === '' || name.includes('{{')) return;
    if (app.connections.has(name) || parts.foreign.has(name)) return;
    const message = `The call of an endpoint names the connection "${name}", which the app does not have.`;
    const pointer = `${Array.isArray(value) ? `/${index}` : ''}/endpoint/connection`;
    warn('unknown-reference', message + didYouMean(name, app.connections.keys()), () => locationOf(pointer));
  });
}

/** `rpc://name`, `rpc://name?key=value`. Source: https://developers.make.com/custom-apps-documentation/app-components/rpcs [doc][app] */
const RPC_REFERENCE = /^rpc:\/\/([A-Za-z][\w-]*)(?:\?|$)/;

function checkRpcs(app: App, document: Document, warn: Warn): void {
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') {
      const name = RPC_REFERENCE.exec(value)?.[1];
      if (name === undefined || app.rpcs.has(name)) return;
      const message = `The app has no RPC "${name}".${didYouMean(name, app.rpcs.keys())}`;
      warn('unknown-reference', message, () => document.locationOf(pointer));
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, childPointer(pointer, index));
      });
    } else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, childPointer(pointer, key));
    }
  };
  visit(document.value, '');
}

function checkGroups(app: App, groups: Document, warn: Warn): void {
  if (!Array.isArray(groups.value)) return;
  groups.value.forEach((group: unknown, index) => {
    const modules = isPlainObject(group) ? ownMember(group, 'modules') : undefined;
    if (!Array.isArray(modules)) {
      const message = `Group ${index + 1} is not an object with a label and a list of modules.`;
      warn('wrong-type', message, () => groups.locationOf(`/${index}`));
      return;
    }
    modules.forEach((name: unknown, position) => {
      if (typeof name === 'string' && app.modules.has(name)) return;
      const hint = typeof name === 'string' ? didYouMean(name, app.modules.keys()) : '';
      const shown = typeof name === 'string' ? `"${name}"` : 'a value that is not text';
      warn('unknown-reference', `Group ${index + 1} lists ${shown}, no module of the app.${hint}`, () =>
        groups.locationOf(`/${index}/modules/${position}`),
      );
    });
  });
}

/**
 * Warns about shared webhooks whose events reach no connection (`missing-uid`): the `uid` of an event is compared with the one
 * that a connection has kept, so both have to be written. Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks [doc]
 */
export function checkSharedWebhooks(app: App, warn: Warn): void {
  for (const webhook of app.webhooks.values()) {
    if (webhook.type !== 'web-shared') continue;
    checkOwnUid(webhook, warn);
    for (const name of [webhook.connection, webhook.altConnection]) {
      const connection = name === undefined ? undefined : app.connections.get(name);
      if (connection !== undefined) checkUid(connection, webhook, warn);
    }
  }
}

function checkOwnUid({ name, communication }: WebhookComponent, warn: Warn): void {
  if (communication === undefined || hasMember(communication.value, 'uid')) return;
  const message = `The shared webhook "${name}" has no uid, so its events reach no connection.`;
  warn('missing-uid', message, () => communication.locationOf(''));
}

function checkUid({ name, communication }: ConnectionComponent, webhook: WebhookComponent, warn: Warn): void {
  if (communication === undefined || listSections(communication.value).some(keepsUid)) return;
  const message = `The shared webhook "${webhook.name}" needs the uid of the connection "${name}" to find its recipients, but the connection does not set response.uid.`;
  warn('missing-uid', message, () => communication.locationOf(''));
}

/** The requests of a connection: one, a chain, or named OAuth requests, each possibly a chain. */
function listSections(communication: unknown): readonly unknown[] {
  if (Array.isArray(communication)) return communication;
  if (!isPlainObject(communication)) return [];
  return [communication, ...Object.values(communication).flat()];
}

function keepsUid(request: unknown): boolean {
  return isPlainObject(request) && hasMember(ownMember(request, 'response'), 'uid');
}

function hasMember(value: unknown, name: string): boolean {
  return isPlainObject(value) && ownMember(value, name) !== undefined;
}

/** Loading codes of sandbox warnings. */
const CODES: Readonly<Record<string, WarningCode>> = {
  'function-replaced': 'builtin-name',
  'code-too-long': 'long-function',
};

/**
 * Tells of custom functions that hide a built-in one (`builtin-name`), hold more code than the platform takes
 * (`long-function`) or are no JavaScript (`syntax`). An empty file declares nothing. Loading does not wait for the
 * sandbox, so code is only parsed here; runs and the check report further problems.
 */
export function checkAppFunctions(app: App, warn: Warn): void {
  const functions = [...app.functions.values()].filter(({ code }) => code?.trim() !== '');
  for (const { code, message, place } of checkFunctions(
    functions,
    APP_FUNCTION_NAMES,
    DEFAULT_SANDBOX_LIMITS,
  )) {
    const known = CODES[code];
    if (known !== undefined) warn(known, message, () => place);
  }
  for (const one of functions) {
    const fault = one.code === undefined ? undefined : findFault(one.code);
    if (fault === undefined) continue;
    const message = `Custom function '${one.name}' does not compile: ${fault.message}`;
    warn('syntax', message, () => ({ file: nameFile(one), ...fault.place }));
  }
}

interface Fault {
  readonly message: string;
  readonly place: { readonly line?: number };
}

const SCRIPT_NAME = 'function.js';

/** Parses only; runs no code of the app. */
function findFault(code: string): Fault | undefined {
  try {
    new Script(code, { filename: SCRIPT_NAME });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return { message: String(error), place: {} };
    const line = new RegExp(`^${SCRIPT_NAME}:(\\d+)`).exec(error.stack ?? '')?.[1];
    return { message: error.message, place: line === undefined ? {} : { line: Number(line) } };
  }
}

/**
 * Reports requests that cannot be sent: polling triggers and connections without `url` (`missing-url`), a `baseUrl`
 * without a scheme, and relative addresses without a `baseUrl` (`unusable-url`). Values of expressions are checked in
 * a run only. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 * [doc]
 */
export function checkAddresses(app: App, warn: Warn): void {
  const hasBase = checkBase(app, warn);
  for (const { name, type, communication } of app.modules.values()) {
    if (communication === undefined) continue;
    const requests = listRequests(communication.value, '');
    if (type === 'trigger') checkPolled(name, communication, requests.at(-1), warn);
    if (!hasBase) checkRelative(communication, requests, warn);
  }
  for (const { name, type, communication } of app.connections.values()) {
    if (communication === undefined) continue;
    const requests = listConnectionRequests(communication.value, type);
    // A connection does not inherit from the base.
    checkRelative(communication, requests, warn);
    for (const request of requests) checkWritten(name, communication, request, warn);
  }
  if (hasBase) return;
  const others = [
    ...[...app.rpcs.values(), ...app.endpoints.values()].map(({ communication }) => communication),
    ...[...app.webhooks.values()].flatMap(({ attach, detach, update }) => [attach, detach, update]),
  ];
  for (const document of others) {
    if (document !== undefined) checkRelative(document, listRequests(document.value, ''), warn);
  }
}

interface Request {
  readonly spec: PlainObject;
  readonly pointer: string;
}

function listRequests(value: unknown, pointer: string): readonly Request[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => listRequests(item, childPointer(pointer, index)));
  }
  return isPlainObject(value) ? [{ spec: value, pointer }] : [];
}

const SECTIONS = [
  ...['preauthorize', 'requestToken', 'authorize', 'token', 'accessToken', 'info', 'refresh', 'invalidate'],
];

function listConnectionRequests(value: unknown, type: 'basic' | 'oauth'): readonly Request[] {
  if (type === 'basic') {
    // An unedited template sends nothing.
    return isPlainObject(value) && Object.keys(value).length === 0 ? [] : listRequests(value, '');
  }
  if (!isPlainObject(value)) return [];
  return SECTIONS.flatMap((name) => listRequests(ownMember(value, name), childPointer('', name)));
}

/** Whether the base resolves relative URLs. */
function checkBase({ base }: App, warn: Warn): boolean {
  const value = isPlainObject(base?.value) ? ownMember(base.value, 'baseUrl') : undefined;
  if (value === undefined || value === null || value === '') return false;
  if (base !== undefined && typeof value === 'string' && !isAbsolute(value)) {
    const message = `The baseUrl ${quote(value)} has no scheme. Start it with https://.`;
    warn('unusable-url', message, () => base.locationOf('/baseUrl'));
  }
  return true;
}

function checkPolled(name: string, communication: Document, request: Request | undefined, warn: Warn): void {
  if (request === undefined || isWritten(request.spec, 'url') || isWritten(request.spec, 'endpoint')) return;
  const message = `The polling trigger "${name}" has no url to poll.`;
  warn('missing-url', message, () => communication.locationOf(request.pointer));
}

function checkWritten(name: string, communication: Document, { spec, pointer }: Request, warn: Warn): void {
  if (isWritten(spec, 'url')) return;
  const message = `A request of the connection "${name}" has no url; connections have no static mode.`;
  warn('missing-url', message, () => communication.locationOf(pointer));
}

function checkRelative(document: Document, requests: readonly Request[], warn: Warn): void {
  for (const { spec, pointer } of requests) {
    const url = ownMember(spec, 'url');
    if (typeof url !== 'string' || url.trim() === '' || isAbsolute(url) || isWritten(spec, 'baseUrl'))
      continue;
    const message = `The address ${quote(url)} is relative, but this component has no baseUrl. Start it with https://.`;
    warn('unusable-url', message, () => document.locationOf(childPointer(pointer, 'url')));
  }
}

/** A URL that starts with an expression may contain its scheme. */
function isAbsolute(url: string): boolean {
  return /^\s*(?:[a-z][a-z0-9+.-]*:|\{\{)/i.test(url);
}

function isWritten(spec: PlainObject, name: string): boolean {
  const value = ownMember(spec, name);
  return value !== undefined && value !== null && value !== '';
}

const SHOWN_LENGTH = 80;

function quote(url: string): string {
  return JSON.stringify(url.length <= SHOWN_LENGTH ? url : `${url.slice(0, SHOWN_LENGTH)}...`);
}

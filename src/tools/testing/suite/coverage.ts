import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import type { RunObserver } from '../../../engine/run/engine-settings.js';
import { safeParseTemplate } from '../../../language/syntax/parser.js';
import { listNodes } from '../../../language/syntax/walk-expression.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';

/** Type of a coverage point. */
export type PointKind =
  | 'module'
  | 'rpc'
  | 'endpoint'
  | 'connection'
  | 'webhook'
  | 'directive'
  | 'error'
  | 'pagination'
  | 'branch';

/** A part of an app that a run can reach. */
interface CoveragePoint {
  readonly kind: PointKind;
  /** `listOrders`, `response.output`, `condition is true`. */
  readonly label: string;
  /** `file` is relative to the app; undefined for a component without a file. */
  readonly place: SourceLocation;
  /** The name of a component, or the side of a branch: distinguishes points at one location. */
  readonly detail?: string | undefined;
}

/** A point with the number of runs that reached it. */
export interface CountedPoint extends CoveragePoint {
  readonly count: number;
}

/** The key of a source location, for observers and lists of points. */
function pointKey(place: SourceLocation): string {
  return `${place.file ?? ''}#${place.pointer ?? ''}`;
}

/** The key of one side of a decision; `offset` is that of an `if` call in the text. */
function sideKey(place: SourceLocation, isYes: boolean, offset?: number): string {
  return `${pointKey(place)}@${offset ?? ''}:${isYes}`;
}

/** A point with its key. */
interface ListedPoint extends CoveragePoint {
  readonly key: string;
}

/** Directives of a request; the members of `response`, `pagination` and `repeat` are separate points. */
const REQUEST_DIRECTIVES: ReadonlySet<string> = new Set([
  ...['temp', 'condition', 'url', 'baseUrl', 'method', 'encodeUrl', 'headers', 'qs', 'body', 'type', 'ca'],
  ...['gzip', 'followRedirects', 'followAllRedirects', 'aws', 'oauth', 'endpoint', 'input'],
  ...['verification', 'respond', 'uid', 'iterate', 'output', 'data', 'metadata'],
]);

/** Members that contain directives. */
const GROUPS: ReadonlySet<string> = new Set(['response', 'pagination', 'repeat']);

/** Members that are decisions; both sides are points. */
const DECISIONS: readonly (readonly string[])[] = [
  ['condition'],
  ['condition', 'condition'],
  ['response', 'valid'],
  ['response', 'valid', 'condition'],
  ['response', 'iterate', 'condition'],
  ['pagination', 'condition'],
  ['repeat', 'condition'],
  ['iterate', 'condition'],
  ['verification', 'condition'],
];

/** Lists the coverage points of an app. */
function listPoints(app: App): readonly ListedPoint[] {
  const points: ListedPoint[] = [];
  const add = (kind: PointKind, name: string, ...documents: readonly (Document | undefined)[]): void => {
    const place = documents.find((document) => document !== undefined)?.locationOf('') ?? {};
    points.push({ kind, label: name, place, detail: name, key: componentKey(kind, name) });
    for (const document of documents) if (document !== undefined) addDocument(document, points);
  };
  if (app.base !== undefined) addRequest(app.base, '', app.base.value, points);
  for (const { name, communication, epoch } of app.modules.values())
    add('module', name, communication, epoch);
  for (const { name, communication } of app.rpcs.values()) add('rpc', name, communication);
  for (const { name, communication } of app.connections.values()) add('connection', name, communication);
  for (const { name, communication, attach, detach, update } of app.webhooks.values()) {
    add('webhook', name, communication, attach, detach, update);
  }
  for (const { name, communication } of app.endpoints.values()) add('endpoint', name, communication);
  // Components can share a document.
  return [...new Map(points.map((point) => [point.key, point])).values()];
}

/** The key of a component. */
function componentKey(kind: PointKind, name: string): string {
  return `${kind}:${name}`;
}

/** A request, a list of requests, or named requests of an OAuth connection. */
function addDocument(document: Document, points: ListedPoint[]): void {
  const { value } = document;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addRequest(document, `/${index}`, item, points);
  } else if (isPlainObject(value) && isOAuth(value)) {
    for (const [name, step] of Object.entries(value)) {
      addRequest(document, childPointer('', name), step, points);
    }
  } else addRequest(document, '', value, points);
}

const OAUTH_STEPS: readonly string[] = [
  ...['preauthorize', 'authorize', 'token', 'info', 'refresh', 'invalidate', 'requestToken', 'accessToken'],
];

function isOAuth(value: PlainObject): boolean {
  return OAUTH_STEPS.some((step) => Object.hasOwn(value, step));
}

function addRequest(document: Document, pointer: string, request: unknown, points: ListedPoint[]): void {
  if (!isPlainObject(request)) return;
  for (const [name, value] of Object.entries(request)) {
    const at = childPointer(pointer, name);
    if (GROUPS.has(name) && isPlainObject(value)) addGroup(document, at, name, value, points);
    else if (REQUEST_DIRECTIVES.has(name)) addPoint(document, at, 'directive', name, points);
    if (GROUPS.has(name) || REQUEST_DIRECTIVES.has(name)) addBranches(document, at, value, points);
  }
  for (const path of DECISIONS) addDecision(document, pointer, request, path, points);
}

function addGroup(
  document: Document,
  pointer: string,
  group: string,
  members: PlainObject,
  points: ListedPoint[],
): void {
  for (const [name, value] of Object.entries(members)) {
    const at = childPointer(pointer, name);
    if (group === 'response' && name === 'error') addErrors(document, at, value, points);
    else {
      const kind = group === 'pagination' ? 'pagination' : 'directive';
      addPoint(document, at, kind, `${group}.${name}`, points);
    }
  }
}

/** The general error entry and those of single statuses. */
function addErrors(document: Document, pointer: string, error: unknown, points: ListedPoint[]): void {
  if (!isPlainObject(error)) {
    addPoint(document, pointer, 'error', 'response.error', points);
    return;
  }
  const general = ['message', 'type'].find((name) => Object.hasOwn(error, name));
  if (general !== undefined) {
    addPoint(document, childPointer(pointer, general), 'error', 'response.error', points);
  }
  for (const status of Object.keys(error).filter((name) => /^\d{3}$/.test(name))) {
    addPoint(document, childPointer(pointer, status), 'error', `response.error.${status}`, points);
  }
}

function addPoint(
  document: Document,
  pointer: string,
  kind: PointKind,
  label: string,
  points: ListedPoint[],
): void {
  const place = document.locationOf(pointer);
  points.push({ kind, label, place, key: `${place.file ?? ''}#${place.pointer ?? ''}` });
}

/** Both sides of an expression; a literal true or false has one side only. */
function addDecision(
  document: Document,
  pointer: string,
  request: PlainObject,
  path: readonly string[],
  points: ListedPoint[],
): void {
  let value: unknown = request;
  for (const name of path)
    value = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  if (typeof value !== 'string' || !value.includes('{{')) return;
  const place = document.locationOf(path.reduce<string>(childPointer, pointer));
  addSides(place, undefined, path.join('.'), points);
}

function addSides(
  place: SourceLocation,
  offset: number | undefined,
  label: string,
  points: ListedPoint[],
): void {
  for (const isYes of [true, false]) {
    points.push({
      kind: 'branch',
      label: `${label} is ${isYes}`,
      place,
      detail: String(isYes),
      key: sideKey(place, isYes, offset),
    });
  }
}

/** Both sides of every `if` in the texts below a value. */
function addBranches(document: Document, pointer: string, value: unknown, points: ListedPoint[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      addBranches(document, childPointer(pointer, index), item, points);
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value))
      addBranches(document, childPointer(pointer, name), member, points);
  } else if (typeof value === 'string' && value.includes('if')) {
    for (const start of findIfs(value)) {
      const { file, line, column } = document.locationOf(pointer, start);
      addSides({ file, pointer: document.locationOf(pointer).pointer, line, column }, start, 'if', points);
    }
  }
}

/** Offsets of `if` calls in a template. */
function findIfs(template: string): readonly number[] {
  const parsed = safeParseTemplate(template);
  if (!parsed.ok) return [];
  const found: number[] = [];
  for (const part of parsed.template.parts) {
    if (typeof part === 'string') continue;
    for (const node of listNodes(part)) {
      if (node.kind === 'call' && node.name === 'if') found.push(node.start);
    }
  }
  return found;
}

/** Records which parts of an app its cases reach. */
export interface CoverageCollector {
  readonly observer: RunObserver;
  /** Called with the component of a case: `module:listOrders`. */
  readonly onComponent: (component: string) => void;
  /** All points of the app in file order. */
  readonly points: () => readonly CountedPoint[];
}

/** Starts collecting coverage of an app. */
export function collectCoverage(app: App): CoverageCollector {
  const counts = new Map<string, number>();
  const count = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const keysOf = createKeyCache();
  return {
    observer: {
      onDirective: (document, pointer) => {
        if (document === undefined) return;
        for (const key of keysOf(document, pointer)) count(key);
      },
      onDecision: (document, pointer, isYes, offset) => {
        if (document === undefined) return;
        const [own] = keysOf(document, pointer);
        if (own !== undefined) count(`${own}@${offset ?? ''}:${isYes}`);
      },
    },
    onComponent: (component) => {
      const [kind, ...name] = component.split(':');
      const known = (['module', 'rpc', 'endpoint', 'connection', 'webhook'] as const).find(
        (type) => type === kind,
      );
      if (known !== undefined) count(componentKey(known, name.join(':')));
    },
    points: () => listPoints(app).map(({ key, ...point }) => ({ ...point, count: counts.get(key) ?? 0 })),
  };
}

/**
 * The keys of a directive and of its parents, the directive first. Cached per document, because finding a location
 * reads the file.
 */
function createKeyCache(): (document: Document, pointer: string) => readonly string[] {
  const known = new WeakMap<Document, Map<string, readonly string[]>>();
  return (document, pointer) => {
    const ofDocument = known.get(document) ?? new Map<string, readonly string[]>();
    known.set(document, ofDocument);
    const keys = ofDocument.get(pointer) ?? findKeys(document, pointer);
    ofDocument.set(pointer, keys);
    return keys;
  };
}

function findKeys(document: Document, pointer: string): readonly string[] {
  const { file, pointer: written = pointer } = document.locationOf(pointer);
  const keys: string[] = [];
  for (let end = written.length; end > 0; end = written.lastIndexOf('/', end - 1)) {
    keys.push(pointKey({ file, pointer: written.slice(0, end) }));
  }
  return keys;
}

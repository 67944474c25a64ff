import type { Document } from '../../../engine/document/document.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';

import { canonical, isSame, type ReportChange } from './change.js';

type Locate = (pointer: string) => SourceLocation | undefined;

/** A request of a communication. */
interface Request {
  readonly value: PlainObject;
  readonly pointer: string;
}

/** Compares the communication of a module: a request or a chain of requests. */
export function compareRequests(
  [old, now]: readonly [Document | undefined, Document | undefined],
  report: ReportChange,
): void {
  if (isSame(old?.value, now?.value)) return;
  const place: Locate = (pointer) => now?.locationOf(pointer);
  const [before, after] = [listChain(old?.value), listChain(now?.value)];
  let count = 0;
  const counted: ReportChange = (...change) => {
    count++;
    report(...change);
  };
  const pairs = alignRequests(before, after);
  const added = after.filter((request) => !pairs.has(request));
  if (before.length > 0) {
    for (const { pointer } of added) {
      counted(
        'request-added',
        `Request ${showIndex(after, pointer)} was added to the chain.`,
        place(pointer),
      );
    }
  }
  const kept = new Set(pairs.values());
  for (const request of before) {
    if (kept.has(request)) continue;
    const message = `Request ${showIndex(before, request.pointer)} was removed from the chain.`;
    counted('request-removed', message, place(''));
  }
  for (const [request, former] of pairs) compareRequest(former, request, counted, place);
  if (count === 0) counted('other-change', 'The communication was changed.', place(''));
}

function listChain(value: unknown): readonly Request[] {
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  return elements.flatMap((element, index) => {
    if (!isPlainObject(element) || Object.keys(element).length === 0) return [];
    return [{ value: element, pointer: Array.isArray(value) ? childPointer('', index) : '' }];
  });
}

function showIndex(chain: readonly Request[], pointer: string): number {
  return chain.findIndex((request) => request.pointer === pointer) + 1;
}

/**
 * Finds the former request of each request. Requests keep their order; first those with the same address are matched,
 * then the ones between them from the end, as the last request gives the output.
 */
function alignRequests(before: readonly Request[], after: readonly Request[]): ReadonlyMap<Request, Request> {
  const pairs = new Map<Request, Request>();
  let next = 0;
  let from = 0;
  const matchBetween = (oldEnd: number, newEnd: number): void => {
    for (let back = 1; back <= Math.min(oldEnd - next, newEnd - from); back++) {
      const [old, now] = [before[oldEnd - back], after[newEnd - back]];
      if (old !== undefined && now !== undefined) pairs.set(now, old);
    }
  };
  for (const [index, request] of after.entries()) {
    const found = before.findIndex((old, at) => at >= next && addressOf(old) === addressOf(request));
    if (found < 0) continue;
    matchBetween(found, index);
    const old = before[found];
    if (old !== undefined) pairs.set(request, old);
    next = found + 1;
    from = index + 1;
  }
  matchBetween(before.length, after.length);
  return pairs;
}

function addressOf({ value }: Request): string {
  return canonical([value['method'] ?? 'GET', value['url'], value['endpoint']]);
}

/** Directives with a rule of their own. */
const WITH_RULE = ['url', 'method', 'condition', 'pagination'];
const RESPONSE_WITH_RULE = ['output', 'type', 'trigger', 'valid', 'iterate', 'wrapper', 'limit'];

function compareRequest(
  { value: old }: Request,
  { value: now, pointer }: Request,
  report: ReportChange,
  place: Locate,
): void {
  const at = (...path: readonly string[]): SourceLocation | undefined =>
    place(path.reduce(childPointer, pointer));
  const [before, after] = [readAt(old, 'response'), readAt(now, 'response')];
  const read = (name: string): readonly [unknown, unknown] => [readAt(before, name), readAt(after, name)];
  compareOutput(read('output'), report, at('response', 'output'));
  for (const [name, rule] of [
    ['type', 'type-changed'],
    ['trigger', 'trigger-changed'],
    ['iterate', 'iterate-changed'],
    ['wrapper', 'iterate-changed'],
  ] as const) {
    if (!isSame(...read(name))) report(rule, `response.${name} was changed.`, at('response', name));
  }
  const [valid, newValid] = read('valid');
  if (isAbsent(valid) && !isAbsent(newValid)) {
    report('valid-added', 'response.valid was added.', at('response', 'valid'));
  } else if (!isAbsent(newValid) && !isSame(valid, newValid)) {
    report('valid-changed', 'response.valid was changed.', at('response', 'valid'));
  }
  const [condition, newCondition] = [ownMember(old, 'condition'), ownMember(now, 'condition')];
  if (isAbsent(condition) && !isAbsent(newCondition)) {
    report('condition-added', 'A condition was added.', at('condition'));
  } else if (!isSame(condition, newCondition)) {
    report('other-change', 'The condition was changed or removed.', at('condition'));
  }
  if (!isSame(readPath(old), readPath(now)))
    report('url-changed', 'The path of the URL was changed.', at('url'));
  if (!isSame(readMethod(old), readMethod(now))) {
    const message = `The method changed from ${readMethod(old)} to ${readMethod(now)}.`;
    report('method-changed', message, at('method'));
  }
  comparePages(ownMember(old, 'pagination'), ownMember(now, 'pagination'), report, at('pagination'));
  compareLimits(read('limit'), report, at('response', 'limit'));
  const others = [
    ...listDifferences(old, now, [...WITH_RULE, 'response']),
    ...listDifferences(before, after, RESPONSE_WITH_RULE).map((name) => `response.${name}`),
  ];
  if (others.length > 0) report('other-change', `Changed directives: ${others.join(', ')}.`, at());
}

/** Pages that are no longer requested are bundles that a scenario no longer gets. [inf] */
function comparePages(
  old: unknown,
  now: unknown,
  report: ReportChange,
  place: SourceLocation | undefined,
): void {
  const isPaged = (value: unknown): boolean => isPlainObject(value) && Object.keys(value).length > 0;
  if (isSame(old, now) || !(isPaged(old) || isPaged(now))) return;
  if (!isPaged(old)) report('other-change', 'pagination was added.', place);
  else if (!isPaged(now)) report('fewer-results', 'pagination was removed.', place);
  else {
    const members = listDifferences(old, now, []).map((name) => `pagination.${name}`);
    report('fewer-results', `${members.join(', ')} ${members.length === 1 ? 'was' : 'were'} changed.`, place);
  }
}

/** A limit that only an expression knows may be lower. [inf] */
function compareLimits(
  [old, now]: readonly [unknown, unknown],
  report: ReportChange,
  place: SourceLocation | undefined,
): void {
  if (isSame(old, now)) return;
  const number = (value: unknown): number =>
    value === undefined || value === null || value === '' ? Number.POSITIVE_INFINITY : Number(value);
  const isHigher = number(now) > number(old) || number(now) === Number.POSITIVE_INFINITY;
  const show = (value: unknown): string =>
    (value === undefined ? 'none' : JSON.stringify(value)).slice(0, 80);
  const message = `response.limit changed from ${show(old)} to ${show(now)}.`;
  report(isHigher ? 'other-change' : 'fewer-results', message, place);
}

function compareOutput(
  [old, now]: readonly [unknown, unknown],
  report: ReportChange,
  place: SourceLocation | undefined,
): void {
  if (isSame(old, now)) return;
  if (!isPlainObject(old) || !isPlainObject(now)) {
    report('output-changed', 'response.output was changed.', place);
    return;
  }
  const names = Object.keys(old);
  const added = Object.keys(now).filter((name) => !Object.hasOwn(old, name));
  // A spread may still have the member.
  const isSpread = Object.keys(now).some((name) => name.includes('{{'));
  const removed = names.filter((name) => !isSpread && !Object.hasOwn(now, name));
  const changed = names.filter(
    (name) => !removed.includes(name) && !isSame(ownMember(old, name), ownMember(now, name)),
  );
  // Scenarios read members by name, so those that stay give the same values. [inf]
  if (removed.length + changed.length === 0 && added.every((name) => !name.includes('{{'))) {
    report('output-extended', `response.output has the new members ${added.join(', ')}.`, place);
    return;
  }
  const parts = Object.entries({ removed, changed, added })
    .filter(([, members]) => members.length > 0)
    .map(([what, members]) => `${what} ${members.join(', ')}`);
  report('output-changed', `response.output was changed: ${parts.join('; ')}.`, place);
}

/** `true` changes nothing. */
function isAbsent(condition: unknown): boolean {
  return condition === undefined || condition === null || condition === true || condition === '{{true}}';
}

/** The URL without its query, which has its own directive. */
function readPath(request: PlainObject): unknown {
  const url = ownMember(request, 'url');
  return typeof url === 'string' ? url.replace(/\?.*$/s, '') : url;
}

function readMethod(request: PlainObject): string {
  const method = ownMember(request, 'method');
  return typeof method === 'string' ? method.toUpperCase() : 'GET';
}

function listDifferences(old: unknown, now: unknown, except: readonly string[]): readonly string[] {
  const [before, after] = [old, now].map((value) => (isPlainObject(value) ? value : {}));
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names]
    .filter((name) => !except.includes(name))
    .filter((name) => !isSame(ownMember(before ?? {}, name), ownMember(after ?? {}, name)));
}

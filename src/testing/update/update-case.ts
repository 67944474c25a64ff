import { editJson, type JsonEdit } from '../../document/reading/edit-json.js';
import { escapeUnsafe } from '../../util/escape-unsafe.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { ReadCase } from '../cases/read-case.js';
import { listPlaceholders, restorePlaceholders } from '../cases/restore-placeholders.js';
import type { FixtureReport } from '../fixtures/play-fixture.js';
import type { ValuePath } from '../matching/compare-values.js';
import { writeTagged } from '../matching/tagged-values.js';
import { editRequest } from './edit-request.js';
import { type UpdatedBody, updateBodies } from './update-bodies.js';

/** What of a case is made to fit what was seen. */
export type UpdateScope = 'expect' | 'exchanges' | 'all';

/** A case as it should be written for its run to pass. */
export interface UpdatedCase {
  readonly before: string;
  readonly after: string;
  /** Body files beside it that become others. */
  readonly files: readonly UpdatedBody[];
  /** What cannot be mended by writing, a sentence each. */
  readonly left: readonly string[];
}

/**
 * Rewrites a case so that it says what its run has shown, and leaves alone what fits: matchers, comments, order. Nothing is
 * written to disk. What the service would have answered to a call it has no exchange for, nobody knows: that is `left`.
 */
export function updateCase(read: ReadCase, report: FixtureReport, scope: UpdateScope): UpdatedCase {
  const before = read.document.text ?? '';
  const left: string[] = [];
  const edits = [
    ...(scope === 'exchanges' ? [] : expectEdits(report, left)),
    ...(scope === 'expect' ? [] : exchangeEdits(read, report, left)),
  ];
  const names = listPlaceholders(before + [...read.bodyFiles.values()].map(toText).join(''));
  const restore = (value: unknown): unknown =>
    value === undefined ? undefined : restorePlaceholders(writeTagged(value), names, read.written.secrets);
  const shown = edits.map(({ path, value }) => ({ path, value: restore(value) }));
  const files = scope === 'expect' ? [] : updateBodies(read, report, restore, left);
  return { before, after: editJson(before, inOrderOfEditing(shown), [], escapeUnsafe), files, left };
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Items are taken away last to first, after all else: indices stay right until they are used. */
function inOrderOfEditing(edits: readonly JsonEdit[]): readonly JsonEdit[] {
  const set = edits.filter(({ value }) => value !== undefined);
  const removed = edits.filter(({ value }) => value === undefined);
  return [...set, ...removed.toReversed()];
}

function expectEdits({ differences, outcome }: FixtureReport, left: string[]): readonly JsonEdit[] {
  const { error } = outcome;
  const flipped = differences.find(({ path }) => path.length === 1 && path[0] === 'error');
  if (flipped !== undefined) {
    if (error === undefined) return [{ path: ['expect'], value: expectSuccess(outcome) }];
    return [{ path: ['expect'], value: { error: { type: error.type, message: error.message } } }];
  }
  const states = differences.some(({ path }) => path[0] === 'states');
  return [
    ...(states ? [{ path: ['expect', 'states'], value: outcome.states }] : []),
    ...differences.flatMap(({ path, what, got }): JsonEdit[] => {
      if (path[0] === 'query' || path[0] === 'logExcludes') {
        left.push(`${what} has to be looked at by a person.`);
        return [];
      }
      if (path[0] === 'states') return [];
      return [{ path: ['expect', ...path], value: got }];
    }),
  ];
}

/** What a case expects of a run that went well, where it expected an error. */
function expectSuccess(outcome: FixtureReport['outcome']): PlainObject {
  const expected: PlainObject = {};
  for (const name of ['bundles', 'result', 'connection', 'metadata', 'uid', 'webhookData'] as const) {
    if (outcome[name] !== undefined) expected[name] = outcome[name];
  }
  return expected;
}

function exchangeEdits(read: ReadCase, { exchanges }: FixtureReport, left: string[]): readonly JsonEdit[] {
  const edits: JsonEdit[] = [];
  for (const problem of exchanges) {
    const { kind, exchange, differences, message } = problem;
    const written = exchange === undefined ? undefined : (read.written.exchanges ?? [])[exchange];
    const at: ValuePath = ['exchanges', exchange ?? 0];
    if (kind === 'unused' && exchange !== undefined) edits.push({ path: at, value: undefined });
    else if (kind === 'unmatched' && written !== undefined && differences.length > 0) {
      edits.push(...editRequest(written.request ?? {}, differences, [...at, 'request']));
    } else left.push(`${message} Record the case again.`);
  }
  return edits;
}

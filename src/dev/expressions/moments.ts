import { EngineError } from '../../errors/engine-error.js';
import { ownMember } from '../../util/plain-object.js';
import type { MomentName, ShownMoments } from '../protocol.js';
import { type ExplainedText, findWrittenRequests } from './explained-text.js';
import { listItems } from './items.js';
import type { Language } from './language.js';
import { describeShortly } from './present-value.js';
import type { Moment, Names } from './scope-at.js';

/** All there can be, in order. */
export const MOMENTS: readonly MomentName[] = ['request', 'answer', 'item', 'next'];

/** A moment of a step, with what expressions see there. */
export interface OpenMoment {
  readonly name: MomentName;
  readonly names: Names;
  /** False for that before a next page which was never asked for. */
  readonly wasReached: boolean;
}

/** The moments of one step of a run that there are, in order. */
export interface StepMoments {
  readonly moments: readonly OpenMoment[];
  /** Items of iterate. */
  readonly items: number;
}

interface MomentOptions {
  readonly texts: readonly ExplainedText[];
  readonly language: Language;
  /** 0-based index of the item that `item` is; the last one where there are fewer. */
  readonly item: number;
}

/** Opens all moments of a step. */
export function openMoments(step: Moment, { texts, language, item }: MomentOptions): StepMoments {
  const { request, response } = step;
  const items = listItems(texts, step, language);
  const moments: OpenMoment[] = [];
  if (request !== undefined) moments.push({ name: 'request', names: request, wasReached: true });
  if (response !== undefined) {
    moments.push({ name: 'answer', names: response, wasReached: true });
    if (items.length > 0) {
      const at = Math.max(0, Math.min(Math.trunc(item) || 0, items.length - 1));
      moments.push({ name: 'item', names: { ...response, item: items[at] }, wasReached: true });
    }
    const next = openNext(step, response, texts);
    if (next !== undefined) moments.push(next);
  }
  return { moments, items: items.length };
}

/** What is written in `pagination` sees the page after this one, whether it is asked for in the end or not. */
function openNext(
  { next, requestIndex, page }: Moment,
  response: Names,
  texts: readonly ExplainedText[],
): OpenMoment | undefined {
  if (next !== undefined) return { name: 'next', names: next, wasReached: true };
  const isPaged = findWrittenRequests(texts, requestIndex).some(
    (written) => ownMember(written, 'pagination') !== undefined,
  );
  if (!isPaged) return undefined;
  return { name: 'next', names: { ...response, pagination: { page: page + 1 } }, wasReached: false };
}

/**
 * The moment that somebody means.
 *
 * @param wanted undefined for the one with most names: an item, else the answer, else the request
 * @throws EngineError (USAGE) for one that this step has not
 */
export function chooseMoment({ moments }: StepMoments, wanted: MomentName | undefined): OpenMoment {
  const found =
    wanted === undefined
      ? moments.findLast(({ name }) => name !== 'next')
      : moments.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const known = moments.map(({ name }) => name).join(', ');
  throw new EngineError('USAGE', `This step of the run has no moment "${wanted}"; it has ${known}.`);
}

/** Moments as may be shown: each name with what it holds in a few words. */
export function showMoments({ moments, items }: StepMoments): ShownMoments {
  return {
    items,
    moments: moments.map(({ name, names, wasReached }) => ({
      name,
      wasReached,
      names: Object.entries(names).map(([own, value]) => ({ name: own, text: describeShortly(value) })),
    })),
  };
}

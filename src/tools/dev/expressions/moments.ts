import { EngineError } from '../../../shared/errors/engine-error.js';
import { ownMember } from '../../../shared/plain-object.js';
import type { MomentName, ShownMoments } from '../protocol.js';
import { type ExplainedText, findWrittenRequests, listItems } from './items.js';
import type { Language } from './language.js';
import { describeShortly } from './present-value.js';
import type { Moment, Names } from './scope-at.js';

/** All moments in order. */
export const MOMENTS: readonly MomentName[] = ['request', 'answer', 'item', 'next'];

/** A moment with the variables of expressions. */
export interface OpenMoment {
  readonly name: MomentName;
  readonly names: Names;
  /** False for a next page that was not requested. */
  readonly wasReached: boolean;
}

/** The moments of one step in order. */
export interface StepMoments {
  readonly moments: readonly OpenMoment[];
  /** Number of items of `iterate`. */
  readonly items: number;
}

interface MomentOptions {
  readonly texts: readonly ExplainedText[];
  readonly language: Language;
  /** Index of `item`; the last one if there are fewer. */
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

/** Expressions in `pagination` see the next page, even if it is not requested. */
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
 * The requested moment.
 *
 * @param wanted default: the one with the most variables (item, else response, else request)
 * @throws EngineError (USAGE) for a moment that the step does not have
 */
export function chooseMoment({ moments }: StepMoments, wanted: MomentName | undefined): OpenMoment {
  const found =
    wanted === undefined
      ? moments.findLast(({ name }) => name !== 'next')
      : moments.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const known = moments.map(({ name }) => name).join(', ');
  throw new EngineError('USAGE', `This step of the run has no moment "${wanted}". Expected one of ${known}.`);
}

/** Moments with short descriptions of their variables. */
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

import type { TriggerStart, TriggerState } from '../component/trigger-data.js';
import { describeKind } from '../errors/check-options.js';
import { EngineError } from '../errors/engine-error.js';
import { readDate } from '../iml/date/read-date.js';
import { type ItemPosition, stateOfAll, type TriggerType } from './trigger-state.js';

const STARTS: readonly string[] = ['all', 'now', 'newest'] satisfies TriggerStart[];

/** @throws EngineError (USAGE) for an invalid start */
export function assertTriggerStart(start: string | undefined): void {
  if (start === undefined || STARTS.includes(start)) return;
  throw new EngineError(
    'USAGE',
    `Invalid start of a trigger: expected one of ${STARTS.join(', ')}, got ${describeKind(start)}.`,
  );
}

/** Default start by type. [choice] */
export const DEFAULT_START: Readonly<Record<TriggerType, TriggerStart>> = { date: 'now', id: 'newest' };

/**
 * Number of items in the output of a first run by id without a limit: enough to test the trigger, without the whole
 * history. [choice]
 */
export const FIRST_ITEMS: number = 1;

/**
 * Choices of the epoch panel ("Choose where to start") as states. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/modules/trigger. [doc]
 *
 * @example
 * const { entries } = await engine.module('watchContacts').epoch({ connection });
 * const data = entries?.[0]?.start ?? startFromAll('date');
 * await engine.module('watchContacts').run({ connection, data });
 */
export function startFromAll(type: TriggerType): TriggerState {
  return stateOfAll(type);
}

/**
 * Starts with items of that date or later. Only for triggers by date.
 *
 * @throws EngineError (USAGE) for an invalid date
 */
export function startSince(date: Date | string): TriggerState {
  const since = readDate(date, 'UTC');
  if (since === undefined) throw new EngineError('USAGE', 'Invalid start date.');
  return { lastDate: since.toISOString(), sameDateIds: [] };
}

/** Starts with future items. Only for triggers by date. */
export function startFromNow(nowMs: number): TriggerState {
  return startSince(new Date(nowMs));
}

/**
 * Starts with a selected item and all newer ones.
 *
 * @param includesItem whether the output includes the item itself, as the help centre describes the panel; expressions
 * then
 *   read `trigger.matchEqual` as true. Default: true. [doc-old][inf]
 */
export function startFromItem(item: ItemPosition, type: TriggerType, includesItem = true): TriggerState {
  const matchEqual = includesItem ? { matchEqual: true as const } : {};
  if (type === 'id') return { lastId: item.id, ...matchEqual };
  const lastDate = new Date(item.dateMs).toISOString();
  return { lastDate, sameDateIds: includesItem ? [] : [item.id], ...matchEqual };
}

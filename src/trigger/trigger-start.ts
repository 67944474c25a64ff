import type { TriggerStart, TriggerState } from '../component/trigger-data.js';
import { describeKind } from '../errors/check-options.js';
import { EngineError } from '../errors/engine-error.js';
import { readDate } from '../iml/date/read-date.js';
import { type ItemPosition, stateOfAll, type TriggerType } from './trigger-state.js';

const STARTS: readonly string[] = ['all', 'now', 'newest'] satisfies TriggerStart[];

/** @throws EngineError (USAGE) for a start that is none, which a caller without types may give */
export function assertTriggerStart(start: string | undefined): void {
  if (start === undefined || STARTS.includes(start)) return;
  throw new EngineError(
    'USAGE',
    `A trigger starts with one of ${STARTS.join(', ')}, not ${describeKind(start)}.`,
  );
}

/** Without a choice: from now on for dates, the newest for ids. [choice] */
export const DEFAULT_START: Readonly<Record<TriggerType, TriggerStart>> = { date: 'now', id: 'newest' };

/**
 * How many of the newest items a run that has no state and goes by id puts out where nothing limits it: enough to see
 * that the trigger works, without a service's whole past. [choice]
 */
export const FIRST_ITEMS: number = 1;

/**
 * The choices of the epoch panel ("Choose where to start") as states to start with.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger. [doc]
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
 * Everything dated at that instant or later. Only for triggers by date.
 *
 * @throws EngineError (USAGE) for what is no date
 */
export function startSince(date: Date | string): TriggerState {
  const since = readDate(date, 'UTC');
  if (since === undefined) throw new EngineError('USAGE', 'A trigger starts since a date, and this is none.');
  return { lastDate: since.toISOString(), sameDateIds: [] };
}

/** Everything dated from now on. Only for triggers by date. */
export function startFromNow(nowMs: number): TriggerState {
  return startSince(new Date(nowMs));
}

/**
 * The item somebody selected, and everything newer.
 *
 * @param includesItem whether the item itself is put out first, as the help centre describes the panel; expressions then
 *   read `trigger.matchEqual` as true. Default: true. [doc-old][inf]
 */
export function startFromItem(item: ItemPosition, type: TriggerType, includesItem = true): TriggerState {
  const matchEqual = includesItem ? { matchEqual: true as const } : {};
  if (type === 'id') return { lastId: item.id, ...matchEqual };
  const lastDate = new Date(item.dateMs).toISOString();
  return { lastDate, sameDateIds: includesItem ? [] : [item.id], ...matchEqual };
}

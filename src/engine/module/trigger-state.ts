import { readDate } from '../../language/date/read-date.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { ownMember } from '../../shared/plain-object.js';
import { type ItemId, isItemId, type TriggerStart, type TriggerState } from '../component/trigger-data.js';
import type { Bundle } from '../run/collect-outputs.js';

const NUMERIC = /^-?\d+(?:\.\d+)?$/;

/** Without leading zeros. */
const WHOLE = /^[1-9]\d*$/;

/** Returns the text of an id. Ids are equal if their texts are: `5` equals `"5"`. */
export function idText(id: ItemId): string {
  if (typeof id === 'string') return id;
  const text = String(id);
  if (!text.includes('e')) return text;
  return Number.isInteger(id) ? BigInt(id).toString() : id.toFixed(20);
}

/**
 * Compares two ids: numbers and numeric texts exactly by value, other texts by UTF-16 code units. Numeric ids come
 * first, which keeps the order transitive. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/modules/trigger. [inf]
 *
 * @returns a negative number, 0 for equal ids, or a positive number
 */
export function compareIds(a: ItemId, b: ItemId): number {
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return Number(a) - Number(b);
  const first = idText(a);
  const second = idText(b);
  // Fast path for most ids.
  if (WHOLE.test(first) && WHOLE.test(second)) {
    return first.length - second.length || compareTexts(first, second);
  }
  const isNumeric = NUMERIC.test(first);
  if (isNumeric !== NUMERIC.test(second)) return isNumeric ? -1 : 1;
  return (isNumeric ? compareDecimals(first, second) : 0) || compareTexts(first, second);
}

/** Compares digit by digit, as 64-bit ids and timestamps with microseconds exceed the precision of numbers. */
function compareDecimals(a: string, b: string): number {
  const isNegative = a.startsWith('-');
  if (isNegative !== b.startsWith('-')) return isNegative ? -1 : 1;
  const [whole, fraction] = splitDecimal(a);
  const [otherWhole, otherFraction] = splitDecimal(b);
  const order =
    whole.length - otherWhole.length ||
    compareTexts(whole, otherWhole) ||
    compareTexts(fraction, otherFraction);
  return isNegative ? -order : order;
}

function splitDecimal(text: string): readonly [whole: string, fraction: string] {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return [whole.replace(/^0+/, ''), fraction];
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** How a polling trigger detects new items. */
export type TriggerType = 'id' | 'date';

/** Order in which the API returns items. */
export type TriggerOrder = 'asc' | 'desc' | 'unordered';

/** Sort key of an item. */
export interface ItemPosition {
  readonly id: ItemId;
  /** Milliseconds since the epoch; 0 for type `id`. */
  readonly dateMs: number;
}

/** An item with its bundles: one, or several if the output is a list. */
export interface PolledItem extends ItemPosition {
  readonly bundles: readonly Bundle[];
}

/**
 * Reads the state from the data of a run; undefined without state of this type. Dates may be `Date` or date text of
 * the language.
 *
 * @throws EngineError (USAGE) for an invalid state
 */
export function readTriggerState(
  data: Readonly<Record<string, unknown>> | undefined,
  type: TriggerType,
): TriggerState | undefined {
  if (data === undefined) return undefined;
  const matchEqual = ownMember(data, 'matchEqual') === true ? { matchEqual: true as const } : {};
  if (type === 'id') {
    const lastId = ownMember(data, 'lastId');
    if (lastId === undefined) return undefined;
    if (lastId !== null && !isItemId(lastId)) throw stateError('lastId', 'text, a number or null');
    return { lastId, ...matchEqual };
  }
  const lastDate = ownMember(data, 'lastDate');
  if (lastDate === undefined || lastDate === null) return undefined;
  const date = readDate(lastDate, 'UTC');
  if (date === undefined) throw stateError('lastDate', 'a date');
  const sameDateIds = ownMember(data, 'sameDateIds') ?? [];
  if (!Array.isArray(sameDateIds) || !sameDateIds.every(isItemId)) {
    throw stateError('sameDateIds', 'a list of texts and numbers');
  }
  return { lastDate: date.toISOString(), sameDateIds, ...matchEqual };
}

function stateError(name: string, expected: string): EngineError {
  return new EngineError('USAGE', `Invalid trigger state: ${name} has to be ${expected}.`);
}

/** Returns the state before all items. */
export function stateOfAll(type: TriggerType): TriggerState {
  return type === 'id' ? { lastId: null } : { lastDate: new Date(0).toISOString(), sameDateIds: [] };
}

/** Returns the ids in a state: items of its date that were already in the output. */
export function findSeenIds(state: TriggerState): ReadonlySet<string> {
  return new Set('lastDate' in state ? state.sameDateIds.map(idText) : []);
}

/**
 * Creates a test for new items. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/modules/trigger, rule 2. [inf]
 *
 * @param seen see `findSeenIds`
 */
export function createNewTest(
  state: TriggerState,
  seen: ReadonlySet<string>,
): (item: ItemPosition) => boolean {
  const matchesEqual = state.matchEqual === true;
  if ('lastId' in state) {
    const { lastId } = state;
    if (lastId === null) return () => true;
    return ({ id }) => {
      const order = compareIds(id, lastId);
      return order > 0 || (order === 0 && matchesEqual);
    };
  }
  const lastMs = Date.parse(state.lastDate);
  // "All" includes items before 1970.
  if (lastMs === 0 && state.sameDateIds.length === 0) return () => true;
  return ({ id, dateMs }) => {
    if (dateMs !== lastMs) return dateMs > lastMs;
    return matchesEqual || !seen.has(idText(id));
  };
}

/**
 * Creates a test for items after which an API that lists the newest first returns only older items, so that pagination
 * may end. An item of exactly the last date does not qualify: others of that date, cut off by an earlier limit, may
 * follow. Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger, rule 3. [inf];
 * equal dates [choice].
 *
 * @param seen see `findSeenIds`
 */
export function createOldTest(
  state: TriggerState,
  seen: ReadonlySet<string>,
): (item: ItemPosition) => boolean {
  const isNew = createNewTest(state, seen);
  if ('lastId' in state) return (item) => !isNew(item);
  const lastMs = Date.parse(state.lastDate);
  return (item) => !isNew(item) && item.dateMs < lastMs;
}

/**
 * Oldest first: by date, then by id. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/modules/trigger, rule 4. [doc]
 */
export function compareItems(a: ItemPosition, b: ItemPosition): number {
  return a.dateMs - b.dateMs || compareIds(a.id, b.id);
}

/** The state while items are consumed in order. */
export class MovingState {
  readonly #before: TriggerState;
  #last: ItemPosition | undefined;
  /** Consumed items of the current date. */
  #sameDateIds: ItemId[] = [];
  /** Ids in `before`. */
  readonly #seen: ReadonlySet<string>;
  /** Whether the current date equals that of `before`. */
  #isSame = false;

  constructor(before: TriggerState, seen: ReadonlySet<string>) {
    this.#before = before;
    this.#seen = seen;
  }

  /** @param item a different item, not older than the previous one */
  take(item: ItemPosition): void {
    const before = this.#before;
    if ('lastDate' in before) {
      if (this.#last?.dateMs !== item.dateMs) {
        this.#isSame = Date.parse(before.lastDate) === item.dateMs;
        this.#sameDateIds = this.#isSame ? [...before.sameDateIds] : [];
      }
      if (!this.#isSame || !this.#seen.has(idText(item.id))) this.#sameDateIds.push(item.id);
    }
    this.#last = item;
  }

  get state(): TriggerState {
    const last = this.#last;
    if (last === undefined) return this.#before;
    if ('lastId' in this.#before) return { lastId: last.id };
    return { lastDate: new Date(last.dateMs).toISOString(), sameDateIds: [...this.#sameDateIds] };
  }
}

/** Largest size of remembered ids in characters. [choice] */
export const MAX_REMEMBERED = 2_000_000;
const ID_OVERHEAD = 8;

/**
 * Whether the ids of a state exceed the limit: before the items are consumed, or after the last one.
 *
 * @param items oldest first
 */
export function exceedsMemory(before: TriggerState, items: readonly ItemPosition[]): boolean {
  const last = items.at(-1);
  if ('lastId' in before) return isTooLong([before.lastId ?? '', last?.id ?? '']);
  const isSameDate = last?.dateMs === Date.parse(before.lastDate);
  return (
    isTooLong(before.sameDateIds) || isTooLong(idsOfLastDate(items, isSameDate ? before.sameDateIds : []))
  );
}

function* idsOfLastDate(items: readonly ItemPosition[], known: readonly ItemId[]): Generator<ItemId> {
  yield* known;
  const dateMs = items.at(-1)?.dateMs;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.dateMs !== dateMs) return;
    if (item !== undefined) yield item.id;
  }
}

function isTooLong(ids: Iterable<ItemId>): boolean {
  let length = 0;
  for (const id of ids) {
    length += idText(id).length + ID_OVERHEAD;
    if (length > MAX_REMEMBERED) return true;
  }
  return false;
}

/**
 * Returns the state that leaves the newest `count` items as new.
 *
 * @param items oldest first
 */
export function stateBefore(items: readonly ItemPosition[], count: number, type: TriggerType): TriggerState {
  const end = Math.max(0, items.length - count);
  const last = items[end - 1];
  if (last === undefined) return stateOfAll(type);
  if (type === 'id') return { lastId: last.id };
  let start = end - 1;
  while (items[start - 1]?.dateMs === last.dateMs) start--;
  const sameDateIds = items.slice(start, end).map(({ id }) => id);
  return { lastDate: new Date(last.dateMs).toISOString(), sameDateIds };
}

/** Default start by type. [choice] */
export const DEFAULT_START: Readonly<Record<TriggerType, 'now' | 'newest'>> = { date: 'now', id: 'newest' };

/**
 * Number of items in the output of a first run by id without a limit: enough to test the trigger, without the whole
 * history. [choice]
 */
export const FIRST_ITEMS: number = 1;

/**
 * Returns the state of a start. Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger.
 * [doc]
 *
 * @returns undefined if the state depends on the items: `newest`, and `now` of ids, which do not express time
 * @throws EngineError (USAGE) for a start that does not fit the type
 */
export function stateOfStart(
  start: TriggerStart,
  type: TriggerType,
  nowMs: number,
): TriggerState | undefined {
  if (start === 'all') return stateOfAll(type);
  if (start === 'newest') return undefined;
  if (start === 'now') return type === 'date' ? stateSince(new Date(nowMs)) : undefined;
  if ('since' in start) {
    if (type === 'date') return stateSince(start.since);
    throw new EngineError('USAGE', 'Invalid start: "since" needs a trigger by date, and this one is by id.');
  }
  if (type === 'id') return startFromItem({ id: start.id, dateMs: 0 }, type);
  throw new EngineError(
    'USAGE',
    'Invalid start: "id" needs a trigger by id, and this one is by date. Pass `state` of its entry in the epoch.',
  );
}

function stateSince(date: Date | string): TriggerState {
  const since = readDate(date, 'UTC');
  if (since === undefined) throw new EngineError('USAGE', 'Invalid start: "since" has to be a date.');
  return { lastDate: since.toISOString(), sameDateIds: [] };
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

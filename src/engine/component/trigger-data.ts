/** Id of an item of a polling trigger, as the API returns it. */
export type ItemId = string | number;

export function isItemId(value: unknown): value is ItemId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** State of a polling trigger between runs: `state` of a report and of the next run. Plain JSON to store. [inf] */
export type TriggerState = IdState | DateState;

// Types instead of interfaces, so that they are assignable to objects with string keys.

/** State of a trigger by id. */
export type IdState = {
  /** Last item in the output; null before the first. */
  readonly lastId: ItemId | null;
  /** Whether the item itself is still pending, as the user chose to start with it. */
  readonly matchEqual?: true;
};

/** State of a trigger by date. */
export type DateState = {
  /** ISO 8601. 1970-01-01 without ids means before the first item. */
  readonly lastDate: string;
  /** Ids of items in the output with exactly that date. */
  readonly sameDateIds: readonly ItemId[];
  readonly matchEqual?: true;
};

/**
 * Start of a trigger without state: with all items (`all`), with future items (`now`), with the newest items
 * (`newest`: `response.limit` items, one without a limit), with items of a date or later (triggers by date), or with an
 * item and all newer ones (triggers by id). To start a trigger by date with an item, pass the `state` of its entry in
 * the epoch.
 */
export type TriggerStart =
  | 'all'
  | 'now'
  | 'newest'
  | { readonly since: Date | string }
  | { readonly id: ItemId };

/** With more items of one date, only every 100th state is kept, as each state lists all of them. */
const MAX_SAME_DATE = 100;

/**
 * Selects the states of a trigger that are worth keeping, bundle by bundle. Further bundles of one item have no state:
 * a run from that state would repeat them.
 */
export class StateSampler {
  #before: TriggerState | undefined;
  #count = 0;
  #nextLong = 0;

  /** @returns the state after a bundle, undefined if it is not kept */
  sample(state: TriggerState | undefined): TriggerState | undefined {
    const hasMoved = state !== undefined && !isSameState(state, this.#before);
    const isKept = hasMoved && (!isLong(state) || this.#count >= this.#nextLong);
    if (isKept) this.#nextLong = this.#count + MAX_SAME_DATE;
    this.#count++;
    this.#before = state;
    return isKept ? state : undefined;
  }
}

function isLong(state: TriggerState): boolean {
  return 'sameDateIds' in state && state.sameDateIds.length > MAX_SAME_DATE;
}

/** Compares two states of one run, which only adds ids to those of a date. */
function isSameState(a: TriggerState, b: TriggerState | undefined): boolean {
  if (b === undefined || a.matchEqual !== b.matchEqual) return false;
  if ('lastId' in a) return 'lastId' in b && a.lastId === b.lastId;
  return 'lastDate' in b && a.lastDate === b.lastDate && a.sameDateIds.length === b.sameDateIds.length;
}

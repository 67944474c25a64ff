/** Id of an item of a polling trigger, as the API returns it. */
export type ItemId = string | number;

/**
 * State of a polling trigger between runs: `state` of a report, `data` of the next run. Plain JSON, so it can be
 * stored. [inf]
 */
export type TriggerState = IdState | DateState;

// Types instead of interfaces, so that they are assignable to objects with string keys, as `data` of a run.

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
 * Start of a trigger without state: with all items (`all`), with future items (`now`), or with the newest items
 * (`newest`): `response.limit` items, one without a limit.
 */
export type TriggerStart = 'all' | 'now' | 'newest';

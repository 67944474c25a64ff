/** What identifies an item of a polling trigger, as the service gives it. */
export type ItemId = string | number;

/**
 * Where a polling trigger stands between two runs: `state` of one run's report, `data` of the next run. Plain JSON: it
 * may be stored as text and read again. [inf]
 */
export type TriggerState = IdState | DateState;

// Types, not interfaces: only those may be given where any object with text keys is taken, as `data` of a run.

/** Of a trigger that tells new items by their ids. */
export type IdState = {
  /** The last item that was put out; null before the first of all. */
  readonly lastId: ItemId | null;
  /** Whether that very item is still to be put out, as somebody chose to start with it. */
  readonly matchEqual?: true;
};

/** Of a trigger that tells new items by their dates. */
export type DateState = {
  /** ISO 8601. 1970-01-01 without seen ids is before the first of all. */
  readonly lastDate: string;
  /** Ids of the items of exactly that date that were put out. */
  readonly sameDateIds: readonly ItemId[];
  readonly matchEqual?: true;
};

/**
 * Where a trigger without state starts: with everything there is (`all`), with what comes from now on (`now`), or with
 * the newest items (`newest`): as many as `response.limit` says, the newest one where it says nothing.
 */
export type TriggerStart = 'all' | 'now' | 'newest';

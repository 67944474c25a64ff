import type { Clock } from '../../util/clock.js';
import type { ClaimRequest } from '../claim/claim.js';
import type { Shares } from './concurrency-shares.js';

/** The scenarios that may have work, and what to ask of them next. */
export interface DueList {
  /** Says that a scenario may have work, perhaps retries among it. */
  readonly add: (scenarioId: number, withRetries: boolean) => void;
  /** Says that a scenario has its turn now, if it has any more work. */
  readonly next: (scenarioId: number) => void;
  /** Leaves a scenario alone for so long, whatever is added meanwhile. */
  readonly leave: (scenarioId: number, ms: number) => void;
  /**
   * The same for one whose events another process has under way: whoever settles one takes the next, and looking keeps
   * it from that. So it is left alone for longer each time, until it has its turn here.
   */
  readonly leaveLonger: (scenarioId: number) => void;
  /** The next work of this one has to be alone. */
  readonly suspect: (scenarioId: number) => void;
  readonly size: () => number;
  /** Takes what to ask for next from the list. Until that is answered the same scenario is not asked again. */
  readonly choose: () => readonly ClaimRequest[];
  readonly answer: (requests: readonly ClaimRequest[]) => void;
  /** After how many milliseconds there may be more to choose, though nothing happens; undefined for never. */
  readonly nextMs: () => number | undefined;
}

export function createDueList(shares: Shares, clock: Clock): DueList {
  const ready = new Map<number, { readonly withRetries: boolean }>();
  const asked = new Map<number, ClaimRequest>();
  /** Until when scenarios are left alone. */
  const left = new Map<number, number>();
  /** For how long they were, the last time another process had them. */
  const lastMs = new Map<number, number>();
  let suspect: number | undefined;

  function add(scenarioId: number, withRetries: boolean): void {
    const known = ready.get(scenarioId);
    if (known === undefined || (withRetries && !known.withRetries)) ready.set(scenarioId, { withRetries });
  }

  /** One that a clock set back would have left alone for longer is not. */
  function remainingMs(scenarioId: number): number {
    const untilMs = left.get(scenarioId);
    if (untilMs === undefined) return 0;
    const ms = untilMs - clock.now();
    if (ms > 0 && ms <= MAX_LEFT_MS) return ms;
    left.delete(scenarioId);
    return 0;
  }

  function leave(scenarioId: number, ms: number): void {
    left.set(scenarioId, clock.now() + ms);
  }

  function ask(request: ClaimRequest): ClaimRequest {
    asked.set(request.scenarioId, request);
    ready.delete(request.scenarioId);
    return request;
  }

  return {
    add,
    next: (scenarioId) => {
      left.delete(scenarioId);
      lastMs.delete(scenarioId);
      add(scenarioId, false);
    },
    leave,
    leaveLonger: (scenarioId) => {
      const ms = Math.min(2 * (lastMs.get(scenarioId) ?? FIRST_LEFT_MS / 2), MAX_LEFT_MS);
      if (lastMs.size >= MAX_KNOWN) lastMs.clear();
      lastMs.set(scenarioId, ms);
      leave(scenarioId, ms);
    },
    suspect: (scenarioId) => {
      suspect ??= scenarioId;
    },
    size: () => ready.size + (suspect === undefined ? 0 : 1),
    choose: () => {
      if (suspect !== undefined) {
        if (shares.running() > 0 || asked.size > 0) return [];
        const scenarioId = suspect;
        suspect = undefined;
        return [ask({ scenarioId, max: 1, isAlone: true, withRetries: true })];
      }
      // Alone means alone until its end.
      if (shares.isAlone() || [...asked.values()].some(({ isAlone }) => isAlone)) return [];
      const able = [...ready.keys()].filter((id) => !asked.has(id) && remainingMs(id) === 0);
      return shares.divide(able, asked.values()).map(([scenarioId, max]) => {
        const withRetries = ready.get(scenarioId)?.withRetries ?? false;
        return ask({ scenarioId, max, isAlone: false, withRetries });
      });
    },
    answer: (requests) => {
      for (const { scenarioId } of requests) asked.delete(scenarioId);
    },
    nextMs: () => {
      if (ready.size === 0) return undefined;
      const waits = [...ready.keys()].map(remainingMs).filter((ms) => ms > 0);
      // A run that takes long makes room for others, though it has not ended.
      const change = shares.nextChangeMs();
      if (change !== undefined) waits.push(change);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
  };
}

const FIRST_LEFT_MS = 50;
const MAX_LEFT_MS = 400;
/** Scenarios of which that is remembered. */
const MAX_KNOWN = 10_000;

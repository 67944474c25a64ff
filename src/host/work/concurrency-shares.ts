import type { Clock } from '../../util/clock.js';
import type { HostLimits } from '../host-limits.js';

/** Who of the scenarios gets how much of what may run at a time. */
export interface Shares {
  /**
   * Divides what is free among those that have work: the one whose turn was longest ago first, each at most its share.
   * What was asked for and is not answered yet is not free.
   */
  readonly divide: (
    ready: Iterable<number>,
    asked?: Iterable<Asked>,
  ) => readonly (readonly [scenarioId: number, count: number])[];
  /** Counts a run. @returns what ends it, any number of times */
  readonly begin: (scenarioId: number, isAlone: boolean) => () => void;
  readonly running: () => number;
  /** Whether a run is under way that has to be alone. */
  readonly isAlone: () => boolean;
  /** When a run leaves the quick ones, in milliseconds; undefined where none will. */
  readonly nextChangeMs: () => number | undefined;
}

/** Runs that may begin as soon as the store has answered. */
export interface Asked {
  readonly scenarioId: number;
  readonly max: number;
}

/** A run that takes longer waits for something: a service, mostly. */
const QUICK_MS = 100;
/** The part of what may run that one scenario may have. */
const SHARE = 0.75;
/** Scenarios whose pace is remembered. */
const MAX_KNOWN = 10_000;

interface Run {
  readonly scenarioId: number;
  readonly startedAtMs: number;
}

/**
 * Two bounds of the same size: one for runs that wait for something, one for runs that are over at once. A run is
 * taken for quick as long as it has not taken longer, and a scenario as its last run was. So work that waits for a network
 * never takes the place of work that does not, and a scenario whose service is slow keeps no other one waiting.
 */
export function createShares({ concurrency }: Pick<HostLimits, 'concurrency'>, clock: Clock): Shares {
  const runs = new Set<Run>();
  const slow = new Set<number>();
  const turns = new Map<number, number>();
  let alone: Run | undefined;
  let turn = 0;

  const isSlow = ({ startedAtMs }: Run, nowMs: number): boolean => nowMs - startedAtMs >= QUICK_MS;

  function note({ scenarioId, startedAtMs }: Run): void {
    if (clock.now() - startedAtMs < QUICK_MS) slow.delete(scenarioId);
    else if (slow.size < MAX_KNOWN) slow.add(scenarioId);
  }

  function divide(
    ready: Iterable<number>,
    asked: Iterable<Asked> = [],
  ): readonly (readonly [number, number])[] {
    const nowMs = clock.now();
    const counts = new Map<number, number>();
    const free = { slow: concurrency, quick: concurrency };
    const count = (scenarioId: number, isSlowOne: boolean, by: number): void => {
      free[isSlowOne ? 'slow' : 'quick'] -= by;
      counts.set(scenarioId, (counts.get(scenarioId) ?? 0) + by);
    };
    for (const run of runs) count(run.scenarioId, isSlow(run, nowMs) || slow.has(run.scenarioId), 1);
    for (const { scenarioId, max } of asked) count(scenarioId, slow.has(scenarioId), max);
    const order = [...ready].sort((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0));
    const share = Math.max(1, Math.floor(concurrency * SHARE));
    const given = new Map<number, number>();
    for (let isAny = true; isAny; ) {
      isAny = false;
      for (const id of order) {
        const pool = slow.has(id) ? 'slow' : 'quick';
        const has = (counts.get(id) ?? 0) + (given.get(id) ?? 0);
        if (free[pool] <= 0 || has >= share) continue;
        free[pool]--;
        given.set(id, (given.get(id) ?? 0) + 1);
        isAny = true;
      }
    }
    turn++;
    for (const id of given.keys()) turns.set(id, turn);
    if (turns.size > MAX_KNOWN) turns.clear();
    return [...given];
  }

  return {
    divide,
    begin: (scenarioId, isAlone) => {
      const run: Run = { scenarioId, startedAtMs: clock.now() };
      runs.add(run);
      if (isAlone) alone = run;
      return () => {
        if (!runs.delete(run)) return;
        if (alone === run) alone = undefined;
        note(run);
      };
    },
    running: () => runs.size,
    isAlone: () => alone !== undefined,
    nextChangeMs: () => {
      const nowMs = clock.now();
      const left = [...runs].map(({ startedAtMs }) => startedAtMs + QUICK_MS - nowMs).filter((ms) => ms > 0);
      return left.length === 0 ? undefined : Math.min(...left);
    },
  };
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APP_ERROR_TYPES } from '../../src/index.js';
import { ERROR_REACTIONS } from '../../src/scenario/error-reactions.js';
import {
  completeSettings,
  NEW_SCENARIO,
  nextStart,
  nextState,
  type RunOutcome,
  type ScenarioSettings,
  type ScenarioState,
} from '../../src/scenario/index.js';

const SETTINGS = fc
  .record({
    scheduling: fc.constantFrom('timed' as const, 'instant' as const),
    sequential: fc.boolean(),
    storeIncomplete: fc.boolean(),
    dataLoss: fc.boolean(),
    maxErrors: fc.integer({ min: 1, max: 5 }),
    instantMaxErrors: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    instantRateLimit: fc.constantFrom('suspend' as const, 'backoff' as const),
  })
  .map((given) => completeSettings(given as Partial<ScenarioSettings>));

const RETRY = fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined });

const OUTCOME: fc.Arbitrary<RunOutcome> = fc.oneof(
  fc.constantFrom<RunOutcome>(
    { kind: 'started' },
    { kind: 'warning' },
    { kind: 'rollback' },
    { kind: 'turned-on' },
    { kind: 'turned-off' },
  ),
  fc.record({ kind: fc.constant('success' as const), retry: RETRY }),
  fc.record({
    kind: fc.constant('error' as const),
    type: fc.constantFrom(...APP_ERROR_TYPES),
    delayMs: fc.option(fc.oneof(fc.integer({ min: -5, max: 1e7 }), fc.constant(Number.NaN)), {
      nil: undefined,
    }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 1e9 }), { nil: undefined }),
    isFirstModule: fc.boolean(),
    isStorageFull: fc.boolean(),
    retry: RETRY,
  }),
);

const STEPS = fc.array(fc.tuple(OUTCOME, fc.integer({ min: 0, max: 100_000_000 })), { maxLength: 40 });

describe('nextState', () => {
  it('defines a reaction to every error type', () => {
    expect(Object.keys(ERROR_REACTIONS).sort()).toEqual([...APP_ERROR_TYPES].sort());
  });

  it('stays within the table for any sequence of outcomes', () => {
    fc.assert(
      fc.property(SETTINGS, STEPS, (settings, steps) => {
        const limit = settings.scheduling === 'instant' ? settings.instantMaxErrors : settings.maxErrors;
        let state: ScenarioState = NEW_SCENARIO;
        let nowMs = 0;
        for (const [outcome, passedMs] of steps) {
          nowMs += passedMs;
          const before = structuredClone(state);
          const transition = nextState(state, settings, outcome, nowMs);
          expect(state).toEqual(before);
          state = transition.state;
          const resting = state.kind === 'running' ? state.resting : state;
          expect(state.errors).toBe(resting.errors);
          expect(Number.isInteger(state.errors) && state.errors >= 0 && state.errors <= limit).toBe(true);
          if (resting.kind !== 'inactive') expect(resting.errors).toBeLessThan(limit);
          if (state.kind === 'running') expect(state.runs).toBeGreaterThan(0);
          if (resting.kind === 'backoff') expect(resting.attempt >= 1 && resting.attempt <= 8).toBe(true);
          const isRun =
            transition.status !== undefined && !('retry' in outcome && outcome.retry !== undefined);
          if (isRun && resting.kind === 'backoff') expect(resting.untilMs).toBeGreaterThan(nowMs);
          if (resting.kind === 'delayed') expect(resting.untilMs).toBeGreaterThanOrEqual(nowMs);
          if (transition.delayMs !== undefined) expect(transition.delayMs).toBeGreaterThanOrEqual(0);
          const { stored, notify } = transition;
          if (stored?.resolution === 'automatic') {
            expect(stored.attempt >= 1 && stored.attempt <= 8).toBe(true);
            expect(stored.atMs).toBeGreaterThanOrEqual(nowMs);
            if (resting.kind === 'delayed') expect(stored.atMs).toBeGreaterThanOrEqual(resting.untilMs);
          }
          if (notify !== undefined) expect(resting.kind).toBe('inactive');
          expect(JSON.parse(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(transition.state)));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('resets errors after a success, unless the scenario is off', () => {
    fc.assert(
      fc.property(SETTINGS, STEPS, (settings, steps) => {
        let state: ScenarioState = NEW_SCENARIO;
        for (const [outcome] of steps) state = nextState(state, settings, outcome, 0).state;
        const { state: after } = nextState(state, settings, { kind: 'success' }, 0);
        const resting = after.kind === 'running' ? after.resting : after;
        if (resting.kind === 'inactive') expect(resting).toEqual(state);
        else expect(after.errors).toBe(0);
        expect(resting.kind).not.toBe('backoff');
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps a scenario off until a user turns it on', () => {
    fc.assert(
      fc.property(SETTINGS, OUTCOME, (settings, outcome) => {
        fc.pre(outcome.kind !== 'turned-on' && outcome.kind !== 'turned-off');
        const off: ScenarioState = {
          kind: 'inactive',
          errors: 1,
          reason: 'fatal-error',
          error: 'UnexpectedError',
        };
        const { state, notify } = nextState(off, settings, outcome, 5);
        expect(state).toEqual(off);
        expect(notify).toBeUndefined();
      }),
    );
  });

  it('does not move the rerun of a backoff after a failed scheduled run', () => {
    const settings = completeSettings();
    const failed: RunOutcome = { kind: 'error', type: 'ConnectionError' };
    const first = nextState(NEW_SCENARIO, settings, failed, 0).state;
    expect(nextState(first, settings, failed, 30_000).state).toEqual(first);
    expect(nextState(first, settings, failed, 60_000).state).toMatchObject({ attempt: 2, untilMs: 180_000 });
  });

  it('keeps a suspension after the success of a concurrent run, and never shortens it', () => {
    const settings = completeSettings({ scheduling: 'instant' });
    const started = { kind: 'started' } as const;
    let state = nextState(nextState(NEW_SCENARIO, settings, started, 0).state, settings, started, 0).state;
    state = nextState(state, settings, { kind: 'error', type: 'RateLimitError' }, 10).state;
    state = nextState(state, settings, { kind: 'success' }, 20).state;
    expect(state).toEqual({ kind: 'delayed', errors: 0, untilMs: 1_200_010 });
    const again = nextState(state, settings, { kind: 'error', type: 'RateLimitError', delayMs: 5 }, 30).state;
    expect(again).toEqual(state);
    expect(nextState(state, settings, { kind: 'started' }, 1_200_010).state).toMatchObject({
      resting: { kind: 'active' },
    });
  });
});

describe('the suspension after a RateLimitError', () => {
  const MINUTES_20 = 20 * 60_000;
  const DAY = 24 * 60 * 60_000;

  it.each<[string, Partial<ScenarioSettings>, object, number]>([
    ['takes 20 minutes where nobody says otherwise', {}, {}, MINUTES_20],
    ['takes as long as the service asks for', {}, { delayMs: MINUTES_20, retryAfterMs: 30_000 }, 30_000],
    ['takes a second at least', {}, { retryAfterMs: 0 }, 1000],
    ['takes a day at most', {}, { retryAfterMs: 8 * DAY }, DAY],
    ['stays within other bounds: below', { minRetryAfterMs: 5000 }, { retryAfterMs: 4999 }, 5000],
    ['stays within other bounds: above', { maxRetryAfterMs: 60_000 }, { retryAfterMs: 60_001 }, 60_000],
    [
      'takes 20 minutes where no service is followed',
      { maxRetryAfterMs: 0 },
      { retryAfterMs: 1 },
      MINUTES_20,
    ],
    ['takes what the app says before what its service does', {}, { delayMs: 7, retryAfterMs: 30_000 }, 7],
    ['takes 20 minutes for what is no time', {}, { retryAfterMs: Number.NaN }, MINUTES_20],
  ])('%s', (_title, settings, said, untilMs) => {
    const failed: RunOutcome = { kind: 'error', type: 'RateLimitError', ...said };
    expect(nextState(NEW_SCENARIO, completeSettings(settings), failed, 0).state).toMatchObject({
      kind: 'delayed',
      untilMs,
    });
  });

  it('has bounds that are integers', () => {
    expect(() => completeSettings({ maxRetryAfterMs: -1 })).toThrow('whole number of at least 0');
  });
});

describe('nextStart', () => {
  const active: ScenarioState = { kind: 'active', errors: 0 };
  const running: ScenarioState = {
    kind: 'running',
    errors: 0,
    runs: 1,
    resting: { kind: 'active', errors: 0 },
  };
  const delayed: ScenarioState = { kind: 'delayed', errors: 0, untilMs: 100 };
  const backoff: ScenarioState = { kind: 'backoff', errors: 0, attempt: 1, untilMs: 100 };
  const off: ScenarioState = { kind: 'inactive', errors: 0, reason: 'by-hand', error: undefined };

  it.each([
    ['a run', active, false, { kind: 'run', nowMs: 0 }, { kind: 'now' }],
    ['a run beside another', running, false, { kind: 'run', nowMs: 0 }, { kind: 'now' }],
    [
      'a run after another, sequentially',
      running,
      true,
      { kind: 'run', nowMs: 0 },
      { kind: 'wait', reason: 'running' },
    ],
    ['nothing early in a suspension', delayed, false, { kind: 'run', nowMs: 99 }, { kind: 'at', atMs: 100 }],
    ['no retry early, either', delayed, false, { kind: 'retry', nowMs: 99 }, { kind: 'at', atMs: 100 }],
    ['a run when it is over', delayed, false, { kind: 'run', nowMs: 100 }, { kind: 'now' }],
    ['the usual schedule during a backoff', backoff, false, { kind: 'run', nowMs: 0 }, { kind: 'now' }],
    ['no rerun early', backoff, false, { kind: 'rerun', nowMs: 0 }, { kind: 'at', atMs: 100 }],
    [
      'nothing during a backoff, sequentially',
      backoff,
      true,
      { kind: 'run', nowMs: 0 },
      { kind: 'at', atMs: 100 },
    ],
    [
      'nothing behind what is unresolved, sequentially',
      active,
      true,
      { kind: 'run', nowMs: 0, unresolved: 1 },
      { kind: 'wait', reason: 'unresolved' },
    ],
    [
      'the retry of what is unresolved',
      active,
      true,
      { kind: 'retry', nowMs: 0, unresolved: 1 },
      { kind: 'now' },
    ],
    [
      'runs beside what is unresolved',
      active,
      false,
      { kind: 'run', nowMs: 0, unresolved: 1 },
      { kind: 'now' },
    ],
    ['nothing that is off', off, false, { kind: 'retry', nowMs: 0 }, { kind: 'never' }],
  ] as const)('returns %s', (_, state, sequential, start, decision) => {
    expect(nextStart(state, { sequential }, start)).toEqual(decision);
  });
});

describe('completeSettings', () => {
  it('derives the limit of instant scheduling from maxErrors', () => {
    expect(completeSettings({ maxErrors: 7 }).instantMaxErrors).toBe(7);
    expect(completeSettings({ maxErrors: 7, instantMaxErrors: 1 }).instantMaxErrors).toBe(1);
  });

  it.each([
    { maxErrors: 0 },
    { maxErrors: 1.5 },
    { scheduling: 'often' },
    { sequential: 1 },
    { maxError: 3 },
  ])('rejects %o', (given) => {
    expect(() => completeSettings(given as Partial<ScenarioSettings>)).toThrow(
      expect.objectContaining({ code: 'USAGE' }),
    );
  });
});

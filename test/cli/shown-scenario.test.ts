import { expect, it } from 'vitest';
import { shownPlan, shownScenario } from '../../src/tools/cli/commands/scenarios.js';

type ScenarioRow = Parameters<typeof shownScenario>[0];
type IncompleteRow = Parameters<typeof shownScenario>[1][number];

const SCENARIO: ScenarioRow = {
  id: 1,
  name: 'welcome',
  hookId: null,
  lane: 'ordered',
  isSequential: false,
  isTimed: true,
  tenant: 'welcome',
  attempts: 1,
  crashes: 0,
  crashesAlone: 0,
  state: { kind: 'running', errors: 0, runs: 1, resting: { kind: 'delayed', errors: 1, untilMs: 5000 } },
  triggerState: { token: 'trigger-token' },
  scheduledMs: null,
  nextRunMs: 60_000,
  lastRunMs: 0,
  lastError: null,
  definition: { everyMs: 60_000, flow: { steps: [] } },
};

const INCOMPLETE: IncompleteRow = {
  id: 2,
  scenarioId: 1,
  status: 'waiting',
  bytes: 100,
  attempts: 1,
  error: null,
  crashes: 0,
  crashesAlone: 0,
  createdAtMs: 0,
  retryAtMs: 1000,
  finishedAtMs: null,
  turn: null,
  execution: {
    storedAtMs: 0,
    retry: { attempt: 1, atMs: 1000 },
    outputs: { 1: { apiKey: 'output-key', latencyMs: 7 } },
  },
};

it('prints times as dates, and keeps durations and data', () => {
  expect(shownScenario(SCENARIO, [INCOMPLETE], [])).toMatchObject({
    state: { kind: 'running', resting: { kind: 'delayed', until: '1970-01-01T00:00:05.000Z' } },
    scheduled: null,
    nextRun: '1970-01-01T00:01:00.000Z',
    lastRun: '1970-01-01T00:00:00.000Z',
    definition: { everyMs: 60_000 },
    incompletes: [
      {
        created: '1970-01-01T00:00:00.000Z',
        retry: '1970-01-01T00:00:01.000Z',
        finished: null,
        execution: {
          stored: '1970-01-01T00:00:00.000Z',
          retry: { attempt: 1, at: '1970-01-01T00:00:01.000Z' },
          outputs: { 1: { latencyMs: 7 } },
        },
      },
    ],
  });
});

it('redacts states and outputs by secret names', () => {
  const text = JSON.stringify(shownScenario(SCENARIO, [INCOMPLETE], []));
  expect(text).not.toMatch(/trigger-token|output-key/);
});

it('redacts the listed secrets, but no expressions', () => {
  const parameters = {
    to: 'open',
    pin: 4711,
    row: { code: 'secret', open: 'yes', from: '{{1.code}}' },
    joined: 'key-{{1.id}}',
    literal: '{{concat("secret"; 1.id)}}',
    empty: '',
    flag: true,
  };
  const hidden = ['/pin', '/row/code', '/row/from', '/joined', '/literal', '/empty', '/flag'];
  expect(shownPlan({ steps: [{ parameters, hiddenParameters: hidden }] })).toEqual({
    steps: [
      {
        parameters: {
          to: 'open',
          pin: '[SANITIZED]',
          row: { code: '[SANITIZED]', open: 'yes', from: '{{1.code}}' },
          joined: '[SANITIZED]',
          literal: '[SANITIZED]',
          empty: '',
          flag: true,
        },
      },
    ],
  });
});

it('redacts all data of an earlier version without a list of secrets', () => {
  const step = { parameters: { to: 'x', n: '{{1.n}}', more: [{ a: 'y' }] }, secretParameters: ['pin'] };
  expect(shownPlan(step)).toEqual({
    parameters: { to: '[SANITIZED]', n: '{{1.n}}', more: [{ a: '[SANITIZED]' }] },
  });
});

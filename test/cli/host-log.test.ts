import { describe, expect, it } from 'vitest';
import type { HostNotice } from '../../src/host/index.js';
import { StoreError } from '../../src/shared/errors/engine-error.js';
import { createHostLog, type HostLogForm } from '../../src/tools/cli/output/host-log.js';

const ERROR = {
  type: 'DataError',
  message: 'No name\u001b[2J.',
  place: { file: 'base.json', line: 7, column: 14 },
};

const NOTICES: readonly HostNotice[] = [
  {
    kind: 'call-accepted',
    callId: 'c1',
    hook: 'orders',
    eventIds: [7],
    bytes: 12,
    status: 200,
    durationMs: 3,
  },
  {
    kind: 'call-refused',
    callId: 'c2',
    hook: undefined,
    reason: 'unknown-address',
    status: 404,
    error: undefined,
    durationMs: 1,
  },
  {
    kind: 'run-finished',
    runId: 'r1',
    scenario: 'welcome',
    outcome: 'error',
    becomes: 'dead',
    incompletes: 0,
    source: { kind: 'event', eventId: 7, hookId: 1, callId: 'c1' },
    error: ERROR,
    failedAt: { stepId: 3, module: 'createOrder' },
    durationMs: 20,
  } as HostNotice,
  {
    kind: 'run-finished',
    runId: 'r2',
    scenario: 'welcome',
    outcome: 'success',
    becomes: 'done',
    incompletes: 0,
    source: { kind: 'poll' },
    error: undefined,
    durationMs: 5,
    output: {
      bundles: 0,
      endedAt: {
        stepId: 2,
        module: 'find',
        why: 'nothing',
        unreadAt: { file: 'find.json', line: 3, column: 5 },
      },
    },
  } as HostNotice,
  { kind: 'scenario-suspended', scenario: 'welcome', state: 'delayed', untilMs: 60_000, error: undefined },
  { kind: 'scenario-off', scenario: 'welcome', reason: 'three errors in a row', error: undefined },
  {
    kind: 'given-up',
    scenario: 'welcome',
    attempts: 10,
    error: { name: 'Ended', message: 'Ten times.' },
    source: { kind: 'incomplete', incompleteId: 3 },
  },
];

function log(form: HostLogForm): readonly string[] {
  const lines: string[] = [];
  const observe = createHostLog((line) => void lines.push(line), { form, showStack: false, now: () => 0 });
  for (const notice of NOTICES) observe(notice);
  return lines;
}

describe('the log of a host', () => {
  it('has one line per notice, with source locations and without control characters', () => {
    expect(log('text')).toEqual([
      '00:00:00 orders: call answered 200, event 7, 3 ms\n',
      '00:00:00 unknown address: call refused with 404 (unknown-address)\n',
      '00:00:00 welcome: event 7 error after 20 ms, dead; process it again with iml events replay, step 3 (createOrder): DataError: No name\\u001b[2J. (base.json:7:14)\n',
      '00:00:00 welcome: scheduled run success after 5 ms, no output: step 2 (find) returned no bundle, as a response has other contents than it reads (find.json:3:5)\n',
      '00:00:00 welcome: delayed until 1970-01-01T00:01:00.000Z\n',
      '00:00:00 welcome: turned off (three errors in a row); turn it on with iml scenarios on welcome\n',
      '00:00:00 welcome: incomplete execution 3 failed permanently after 10 attempts: Ended: Ten times.\n',
    ]);
  });

  it('has all ids as JSON', () => {
    const lines = log('json').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(NOTICES.length);
    const [info, warn, error] = ['info', 'warn', 'error'];
    expect(lines.map(({ level }) => level)).toEqual([info, warn, error, info, warn, error, error]);
    expect(lines[2]).toMatchObject({ runId: 'r1', source: { eventId: 7, callId: 'c1' } });
  });

  it('counts repeated problems within ten seconds', () => {
    const lines: string[] = [];
    let now = 0;
    const observe = createHostLog((line) => void lines.push(line), {
      form: 'text',
      showStack: false,
      now: () => now,
    });
    const problem = (message: string): void => observe({ kind: 'problem', error: new Error(message) });
    for (let n = 0; n < 5; n++) problem('The store is unavailable.');
    problem('Another one.');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toBe('The problem was repeated 4 times: The store is unavailable.\n');
    now = 10_000;
    problem('Another one.');
    expect(lines).toHaveLength(4);
  });

  it('logs trouble with the database in one line', () => {
    const lines: string[] = [];
    const observe = createHostLog((line) => void lines.push(line), {
      ...{ form: 'quiet', showStack: false, now: () => 0 },
    });
    observe({ kind: 'problem', error: new StoreError('STORE_UNAVAILABLE', 'The database is unavailable.') });
    expect(lines).toEqual(['00:00:00 StoreError: The database is unavailable.\n']);
  });

  it('logs only events that need attention if quiet', () => {
    expect(log('quiet')).toHaveLength(3);
  });
});

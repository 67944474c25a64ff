import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { RunLog } from '../../src/engine/run/run-log.js';
import type { TraceEvent } from '../../src/index.js';

const event = (page: number): TraceEvent => ({
  at: 0,
  requestIndex: 0,
  page,
  kind: 'wait',
  delayMs: 0,
  reason: 'repeat',
  repeats: 0,
  place: undefined,
});

it('writes an event when the events are read, and only once', () => {
  const log = new RunLog([], undefined);
  let written = 0;
  for (const page of [1, 2]) {
    log.addEvent(() => {
      written++;
      return event(page);
    });
  }
  expect(written).toBe(0);
  expect(log.events.map(({ page }) => page)).toEqual([1, 2]);
  expect(log.events).toHaveLength(2);
  expect(written).toBe(2);
});

it('writes an event at once for a listener', () => {
  const heard: TraceEvent[] = [];
  const log = new RunLog([], (heardEvent) => heard.push(heardEvent));
  log.addEvent(() => event(1));
  expect(heard).toEqual([event(1)]);
  expect(log.events).toEqual(heard);
});

it('reveals no unwritten event to a listener', () => {
  const log = new RunLog([], undefined);
  const secret = 'canary-of-the-log';
  log.addEvent(Object.assign(() => event(1), { secret }));
  expect(inspect(log, { depth: 9, showHidden: true })).not.toContain(secret);
});

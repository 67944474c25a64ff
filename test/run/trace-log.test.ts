import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { inOnePart, type Parts } from '../../src/iml/values/work.js';
import { RunLog, TraceLog } from '../../src/run/scope/run-log.js';
import type { TraceEvent } from '../../src/run/trace/trace.js';
import { Turns } from '../../src/util/turns.js';

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
  const log = new TraceLog(undefined);
  let written = 0;
  for (const page of [1, 2]) {
    log.add(() =>
      inOnePart(() => {
        written++;
        return event(page);
      }),
    );
  }
  expect(written).toBe(0);
  expect(log.events.map(({ page }) => page)).toEqual([1, 2]);
  expect(log.events).toHaveLength(2);
  expect(written).toBe(2);
});

it('writes an event at once for a listener', () => {
  const heard: TraceEvent[] = [];
  const log = new TraceLog((heardEvent) => heard.push(heardEvent));
  log.add(() => inOnePart(() => event(1)));
  expect(heard).toEqual([event(1)]);
  expect(log.events).toEqual(heard);
});

it('shows nothing of an event that is not written yet to whoever logs it', () => {
  const log = new TraceLog(undefined);
  const secret = 'canary-of-the-log';
  log.add(Object.assign(() => inOnePart(() => event(1)), { secret }));
  expect(inspect(log, { depth: 9, showHidden: true })).not.toContain(secret);
});

/** Of so many parts, each of which takes a turn. */
function* inParts(page: number, parts: number): Parts<TraceEvent> {
  for (let part = 0; part < parts; part++) {
    for (const start = performance.now(); performance.now() - start < 20; );
    yield;
  }
  return event(page);
}

it('gives others their turn while an event is written in parts for a listener', async () => {
  const heard: TraceEvent[] = [];
  const log = new TraceLog((heardEvent) => heard.push(heardEvent));
  let others = 0;
  const ticking = setInterval(() => others++, 1);
  await log.addInTurns(() => inParts(1, 3), new Turns());
  clearInterval(ticking);
  expect(others).toBeGreaterThanOrEqual(2);
  expect(heard).toEqual([event(1)]);
  expect(log.events).toEqual(heard);
});

it('gives one event whoever reads it while it is written in turns', async () => {
  const log = new TraceLog(undefined);
  expect(log.addInTurns(() => inParts(1, 3), new Turns())).toBeUndefined();
  const writing = log.writeInTurns(new Turns());
  const [first] = log.events;
  await writing;
  expect(log.events[0]).toBe(first);
});

it('says that what is not written yet takes others long, until it is written', () => {
  const log = new RunLog([], undefined, 'summary');
  log.trace.add(() => inOnePart(() => event(1)));
  expect(log.isLongToLearn).toBe(false);
  log.trace.add(() => inOnePart(() => event(2)), true);
  expect(log.isLongToLearn).toBe(true);
  let parts = 0;
  for (const learning = log.learnLastInParts(); learning.next().done !== true; ) parts++;
  expect(parts).toBe(2);
  expect(log.isLongToLearn).toBe(false);
});

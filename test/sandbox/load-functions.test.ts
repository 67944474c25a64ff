import { expect, it } from 'vitest';
import { createDeadline } from '../../src/sandbox/deadline.js';
import { type LoadingPlace, loadFunctions } from '../../src/sandbox/load-functions.js';
import { Turns } from '../../src/util/turns.js';

it('a function that cannot be called is made known in time of its own, whatever one before it took', async () => {
  let nowMs = 0;
  const deadline = createDeadline({ now: () => nowMs });
  const late: number[] = [];
  const guest = {
    check: () => {
      nowMs += 1000;
      return { message: 'interrupted', stack: '' };
    },
    // QuickJS asks at some calls only whether the time is over, and is interrupted then.
    defineBroken: (index: number) => {
      if (deadline.isOver()) late.push(index);
    },
  };
  const machine = {
    *keep() {},
    rewind: () => {},
  };
  const place = { machine, guest, deadline, timeMs: 100, turns: new Turns() } as unknown as LoadingPlace;
  const functions = [
    { name: 'slow', code: 'function slow() {}', file: undefined },
    { name: 'none', code: undefined, file: undefined },
  ];
  const { broken } = await loadFunctions(place, functions);
  expect([...broken.keys()]).toEqual([0, 1]);
  expect(late).toEqual([]);
});

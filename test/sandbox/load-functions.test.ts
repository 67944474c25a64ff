import { expect, it } from 'vitest';
import { type LoadingPlace, loadFunctions } from '../../src/engine/sandbox/load-functions.js';
import { createDeadline } from '../../src/engine/sandbox/sandbox.js';

it('gives the next file its full time after a file that compiles slowly', () => {
  let nowMs = 0;
  const deadline = createDeadline({ now: () => nowMs });
  const late: number[] = [];
  const guest = {
    check: () => {
      if (deadline.isOver()) late.push(nowMs);
      nowMs += 1000;
      return undefined;
    },
    define: () => undefined,
  };
  const machine = { keep: () => new Map(), rewind: () => {} };
  const place = { machine, guest, deadline, timeMs: 100 } as unknown as LoadingPlace;
  const functions = ['first', 'second'].map((name) => ({
    name,
    code: `function ${name}() {}`,
    file: undefined,
  }));
  expect(loadFunctions(place, functions)).toEqual({ warnings: [], broken: new Map() });
  expect(late).toEqual([]);
});

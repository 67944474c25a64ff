import { describe, expect, it } from 'vitest';
import { createSingleFlight } from '../../src/shared/concurrency.js';
import { countListeners } from './count-listeners.js';

describe('concurrent work', () => {
  it('is shared by key, and starts again after it ended', async () => {
    const flight = createSingleFlight<number>();
    let starts = 0;
    const work = async (): Promise<number> => ++starts;
    expect(await Promise.all([flight.run('a', work), flight.run('a', work), flight.run('b', work)])).toEqual([
      1, 1, 2,
    ]);
    expect(await flight.run('a', work)).toBe(3);
  });

  it('fails for all waiting callers, but not for later ones', async () => {
    const flight = createSingleFlight<number>();
    const fail = (): Promise<number> => Promise.reject(new Error('no'));
    const outcomes = await Promise.allSettled([flight.run('a', fail), flight.run('a', async () => 1)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await flight.run('a', async () => 1)).toBe(1);
  });

  it('leaves no listener on the signals of its callers', async () => {
    const flight = createSingleFlight<number>();
    const { signal } = new AbortController();
    const listeners = countListeners(signal);
    await Promise.all([1, 2, 3].map(() => flight.run('a', async () => 1, signal)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(listeners()).toBe(0);
  });

  it('continues if a caller aborts', async () => {
    const flight = createSingleFlight<number>();
    const leaving = new AbortController();
    let finish: (value: number) => void = () => {};
    const work = (): Promise<number> =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const first = flight.run('a', work, leaving.signal);
    const second = flight.run('a', work);
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    finish(5);
    expect(await second).toBe(5);
  });
});

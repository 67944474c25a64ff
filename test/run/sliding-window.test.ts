import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallBudget, SlidingWindow } from '../../src/engine/run/call-budget.js';

const WINDOW_MS = 1000;

/** Sends a call at each time the budget has room for one; who finds none waits as long as it is told. */
function sendAll(calls: number, gapsMs: readonly number[]): readonly number[] {
  const budget = new CallBudget({ calls, windowMs: WINDOW_MS });
  const sentMs: number[] = [];
  let nowMs = 0;
  for (const gapMs of gapsMs) {
    nowMs += gapMs;
    const account = budget.open('https://api.example.com', '', nowMs);
    for (let shortage = budget.admit(account, nowMs); shortage; shortage = budget.admit(account, nowMs)) {
      nowMs += shortage.waitMs ?? Number.NaN;
    }
    sentMs.push(nowMs);
    budget.leave(account);
  }
  return sentMs;
}

/** The most calls of any stretch as long as a window. */
function densest(sentMs: readonly number[]): number {
  return Math.max(...sentMs.map((from) => sentMs.filter((at) => at >= from && at < from + WINDOW_MS).length));
}

const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(30), fc.nat(1500)), { minLength: 1, maxLength: 300 });

describe('calls of a window', () => {
  it('are never more than the figure in any stretch of that length, around its borders either', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), gaps, (calls, gapsMs) => {
        expect(densest(sendAll(calls, gapsMs))).toBeLessThanOrEqual(calls);
      }),
    );
  });

  it('go out the moment there is room, up to 64 of them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), gaps, (calls, gapsMs) => {
        const sentMs = sendAll(calls, gapsMs);
        let askedMs = 0;
        for (const [index, at] of sentMs.entries()) {
          askedMs += gapsMs[index] ?? 0;
          const before = sentMs[index - calls];
          expect(at).toBe(Math.max(askedMs, before === undefined ? askedMs : before + WINDOW_MS));
          askedMs = at;
        }
      }),
    );
  });

  it('wait no more than a 64th of the window longer than they have to where there are more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 65, max: 200 }), gaps, (calls, gapsMs) => {
        const sentMs = sendAll(calls, gapsMs);
        let askedMs = 0;
        for (const [index, at] of sentMs.entries()) {
          askedMs += gapsMs[index] ?? 0;
          const before = sentMs[index - calls];
          const dueMs = Math.max(askedMs, before === undefined ? askedMs : before + WINDOW_MS);
          expect(at - dueMs).toBeLessThanOrEqual(WINDOW_MS / 64);
          askedMs = at;
        }
      }),
    );
  });

  it('may be a million without a million being kept', () => {
    const window = new SlidingWindow(WINDOW_MS);
    for (let call = 0; call < 1_000_000; call++) window.add(call / 1000);
    expect(window.waitFor(1_000_001, WINDOW_MS - 1)).toBe(0);
    expect(window.waitFor(1_000_000, WINDOW_MS - 1)).toBeGreaterThan(0);
    expect(window.isEmpty(2 * WINDOW_MS)).toBe(true);
  });

  it('are forgotten where the clock is set back behind them', () => {
    const window = new SlidingWindow(WINDOW_MS);
    window.add(3_600_000);
    expect(window.waitFor(1, 3_600_000)).toBe(WINDOW_MS);
    expect(window.waitFor(1, 5)).toBe(0);
    window.add(5);
    expect(window.waitFor(1, 5)).toBe(WINDOW_MS);
  });
});

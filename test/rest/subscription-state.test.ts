import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addUtcMonths,
  advanceSubscription,
  pausePhase,
  resumeAtProblem,
  schedulePause,
  startPeriodAt,
} from '../../src/rest/store/subscription-state.js';
import type { RestSubscriptionRow } from '../../src/rest/store/tables.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 31, 10);

const BLANK: RestSubscriptionRow = {
  id: 1,
  organizationId: 1,
  status: 'active',
  priceId: 1,
  productId: 1,
  productName: 'P',
  amount: 1,
  currencyCode: 'EUR',
  period: 'month',
  selfService: true,
  coupon: null,
  customer: null,
  anchorAt: 0,
  periodIndex: 0,
  periodStartsAt: 0,
  periodEndsAt: 0,
  pauseStartsAt: null,
  pauseEndsAt: null,
};
const ROW = startPeriodAt(BLANK, START);

const moments = fc.integer({ min: START, max: START + 4000 * DAY_MS });
const pauses = fc.option(fc.integer({ min: 1, max: 300 }));

describe('the life cycle of a subscription', () => {
  it('keeps the day of the month if the month has it', () => {
    const days = [1, 2, 3, 13, 25].map((months) =>
      new Date(addUtcMonths(START, months)).toISOString().slice(0, 10),
    );
    expect(days).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2027-02-28', '2028-02-29']);
  });

  it('reaches the same state in one step or in many', () => {
    fc.assert(
      fc.property(moments, fc.array(moments, { maxLength: 5 }), pauses, (end, stops, pauseDays) => {
        const row = pauseDays === null ? ROW : schedulePause(ROW, ROW.periodEndsAt + pauseDays * DAY_MS);
        const direct = advanceSubscription(row, end);
        let stepped = row;
        const due = [];
        for (const stop of [...stops.filter((it) => it < end).sort((a, b) => a - b), end]) {
          const next = advanceSubscription(stepped, stop);
          stepped = next.row;
          due.push(...next.due);
        }
        expect(stepped).toEqual(direct.row);
        expect(due).toEqual(direct.due);
      }),
    );
  });

  it('has periods without gaps except the pause, and none inside it', () => {
    fc.assert(
      fc.property(moments, pauses, (end, pauseDays) => {
        const resumeAt = ROW.periodEndsAt + (pauseDays ?? 0) * DAY_MS;
        const row = pauseDays === null ? ROW : schedulePause(ROW, resumeAt);
        const { due, row: advanced } = advanceSubscription(row, end);
        let endsAt = ROW.periodEndsAt;
        for (const [index, period] of due.entries()) {
          expect(period.startsAtMs).toBe(index === 0 && pauseDays !== null ? resumeAt : endsAt);
          endsAt = period.endsAtMs;
        }
        expect(pausePhase(advanced, end) === 'in effect' || advanced.periodEndsAt > end).toBe(true);
      }),
    );
  });

  it('accepts an end of the pause after the period and within 12 months', () => {
    const last = addUtcMonths(START, 12);
    expect(resumeAtProblem(ROW, ROW.periodEndsAt, START)).toBeDefined();
    expect(resumeAtProblem(ROW, ROW.periodEndsAt + 1, START)).toBeUndefined();
    expect(resumeAtProblem(ROW, last, START)).toBeUndefined();
    expect(resumeAtProblem(ROW, last + 1, START)).toBeDefined();
  });
});

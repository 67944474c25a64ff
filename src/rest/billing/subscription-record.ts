import type { PlainObject } from '../../shared/plain-object.js';
import {
  dateTime,
  flag,
  named,
  nullable,
  number,
  object,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import type { Coupon, RestSubscriptionRow } from '../store/subscription-row.js';
import { pausePhase } from '../store/subscription-state.js';

/** Source: https://developers.make.com/api-documentation (Subscription). [seed] */
export const SUBSCRIPTION_SCHEMA: Schema<unknown> = named(
  'Subscription',
  object({
    product: object(
      {
        id: number(),
        name: text(),
        nextBill: dateTime(),
        price: object({ id: number(), price: number(), currencyCode: text(), period: text() }),
      },
      {
        coupon: object({
          validFrom: dateTime(),
          validTo: dateTime(),
          price: number(),
          currencyCode: text(),
          productId: number(),
          productName: text(),
        }),
      },
    ),
    pauseStartsAt: nullable(dateTime()),
    pauseEndsAt: nullable(dateTime()),
    isSubscriptionPaused: flag(),
  }),
);

/** A subscription that was advanced to `nowMs`, as the API shows it. */
export function subscriptionRecord(row: RestSubscriptionRow, nowMs: number): PlainObject {
  const isSubscriptionPaused = pausePhase(row, nowMs) === 'in effect';
  // While payments are suspended, the next bill is at the end of the pause. [inf]
  const nextBillMs = isSubscriptionPaused && row.pauseEndsAt !== null ? row.pauseEndsAt : row.periodEndsAt;
  return {
    product: {
      id: row.productId,
      name: row.productName,
      nextBill: new Date(nextBillMs).toISOString(),
      price: { id: row.priceId, price: row.amount, currencyCode: row.currencyCode, period: row.period },
      // Omitted if absent; never null. [inf]
      ...(row.coupon && { coupon: couponRecord(row.coupon) }),
    },
    pauseStartsAt: row.pauseStartsAt === null ? null : new Date(row.pauseStartsAt).toISOString(),
    pauseEndsAt: row.pauseEndsAt === null ? null : new Date(row.pauseEndsAt).toISOString(),
    isSubscriptionPaused,
  };
}

function couponRecord({ code: _, ...record }: Coupon): PlainObject {
  return record;
}

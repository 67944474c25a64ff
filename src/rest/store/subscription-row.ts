/** A rebate on the price of a subscription. */
export interface Coupon {
  readonly code: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly price: number;
  readonly currencyCode: string;
  readonly productId: number;
  readonly productName: string;
}

/**
 * The stored subscription of an organization. Times are in milliseconds. `advanceSubscription` computes its state at
 * a time.
 */
export interface RestSubscriptionRow {
  readonly id: number;
  readonly organizationId: number;
  /** `pending` until its checkout has been paid. */
  readonly status: 'pending' | 'active';
  readonly priceId: number;
  readonly productId: number;
  readonly productName: string;
  readonly amount: number;
  readonly currencyCode: string;
  readonly period: 'month' | 'year';
  readonly selfService: boolean;
  readonly coupon: Coupon | null;
  readonly customer: Readonly<Record<string, unknown>> | null;
  /** Start of the first period. */
  readonly anchorAt: number;
  /** Number of periods since the anchor that have ended. */
  readonly periodIndex: number;
  readonly periodStartsAt: number;
  readonly periodEndsAt: number;
  readonly pauseStartsAt: number | null;
  readonly pauseEndsAt: number | null;
}

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
 * The subscription of an organization as it is kept. Instants are milliseconds.
 * What it is at a moment follows from `advanceSubscription`.
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
  /** Where the periods are counted from: the first began here. */
  readonly anchorAt: number;
  /** How many periods ended before the present one since the anchor. */
  readonly periodIndex: number;
  readonly periodStartsAt: number;
  readonly periodEndsAt: number;
  readonly pauseStartsAt: number | null;
  readonly pauseEndsAt: number | null;
}

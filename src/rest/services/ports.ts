import type { PlainObject } from '../../shared/plain-object.js';
import type { Shape } from '../call/shapes.js';
import type { Coupon, License } from '../store/rows.js';
import type { PaidPeriod } from '../store/subscription-state.js';
import type { RestSubscriptionRow } from '../store/tables.js';

/** A price of a subscription. */
export interface Price {
  readonly id: number;
  readonly productId: number;
  readonly productName: string;
  /** In units of the currency, not in hundredths. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly period: 'month' | 'year';
  /** Whether customers manage the subscription themselves; only such a subscription can be paused. */
  readonly selfService: boolean;
  /** License of the organization during the subscription; absent members are those of the default license. */
  readonly license: License;
}

/** The order of a customer. */
export interface CheckoutOrder {
  readonly organizationId: number;
  readonly subscriptionId: number;
  readonly price: Price;
  readonly coupon: Coupon | undefined;
  readonly customer: Readonly<PlainObject> | undefined;
}

/** A checkout that is pending or paid. */
export interface CheckoutSession {
  readonly sessionId: number;
  /** Address of the payment page; one that starts with `/` is on this instance. */
  readonly url: string;
  /** Whether the subscription starts immediately; else `activateSubscription` starts it later. */
  readonly paid: boolean;
}

/** Details of a payment that only the payment provider knows. */
export interface PaymentDetails {
  readonly typeName: string;
  readonly statusName: string;
  readonly method: Shape<'Payment'>['payment_method'];
  /** An address that starts with `/` is on this instance, also of `hostedInvoiceUrl`. */
  readonly invoiceUrl: string;
  readonly hostedInvoiceUrl: string;
}

/** Payment provider adapter. */
export interface BillingPort {
  findPrice(priceId: number): Promise<Price | undefined>;
  findCoupon(code: string, price: Price): Promise<Coupon | undefined>;
  createCheckout(order: CheckoutOrder): Promise<CheckoutSession>;
  describePayment(subscription: RestSubscriptionRow, period: PaidPeriod): PaymentDetails;
  /**
   * The page, plain text, at a path of this instance: a checkout or an invoice whose address starts with `/`. Pages
   * need no token, so they must contain no personal data. `undefined` for other paths. Default: no pages.
   */
  showPage?(path: string): string | undefined;
}

export type NotificationKind =
  | 'organization created'
  | 'organization deleted'
  | 'invitation created'
  | 'invitation accepted'
  | 'subscription paused'
  | 'subscription resumed';

/** An event to notify users about. */
export interface RestNotification {
  readonly kind: NotificationKind;
  readonly organizationId: number;
  readonly userId: number;
  readonly atMs: number;
  /** The hash of an invitation. */
  readonly hash?: string;
}

/** Adapter for notifications. Called after the change is stored; its failure does not fail the request. */
export interface NotificationPort {
  notify(notification: RestNotification): Promise<void>;
}

/** A production zone: a part of the platform with its own address. */
export interface ProductionZone {
  readonly id: number;
  readonly domain: string;
  readonly name: string;
  readonly regionId: number;
  /** Name of the platform for organizations of the zone. */
  readonly serviceName: string;
  /** Whether scenarios run there; only such zones show private spaces. */
  readonly runsApps: boolean;
  /** Whether the API may delete organizations of this zone. */
  readonly deletion: boolean;
}

/** Adapter for the directory of the production zones. */
export interface ZoneDirectory {
  /** The zone of this instance. */
  readonly current: ProductionZone;
  readonly zones: readonly ProductionZone[];
  readonly regions: readonly { readonly id: number; readonly name: string }[];
}

/** Adapter for access lists outside the store. A rejection prevents the lock of the key. */
export interface AccessListPort {
  provision(entry: { readonly organizationId: number; readonly userId: number }): Promise<void>;
}

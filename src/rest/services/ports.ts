import type { PlainObject } from '../../util/plain-object.js';
import type { Coupon, RestSubscriptionRow } from '../store/subscription-row.js';
import type { PaidPeriod } from '../store/subscription-state.js';
import type { License } from '../store/tables.js';

/** What a subscription can be bought at. */
export interface Price {
  readonly id: number;
  readonly productId: number;
  readonly productName: string;
  /** In units of the currency, not in hundredths. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly period: 'month' | 'year';
  /** Whether customers manage it themselves; only such a subscription can be paused. */
  readonly selfService: boolean;
  /** The organization's license while the subscription lasts; what it leaves out is as in the default license. */
  readonly license: License;
}

/** What a customer is about to buy. */
export interface CheckoutOrder {
  readonly organizationId: number;
  readonly subscriptionId: number;
  readonly price: Price;
  readonly coupon: Coupon | undefined;
  readonly customer: Readonly<PlainObject> | undefined;
}

/** A checkout that waits for its customer, or was paid at once. */
export interface CheckoutSession {
  readonly sessionId: number;
  /** Where the customer pays; one that begins with `/` is of this instance. */
  readonly url: string;
  /** Whether the subscription begins at once; else `activateSubscription` begins it later. */
  readonly paid: boolean;
}

/** Source: https://developers.make.com/api-documentation (Payment). [seed] */
export interface PaymentMethod {
  readonly type: string;
  readonly card: {
    readonly brand: string;
    readonly last4: string;
    readonly country: string;
    readonly network: string;
    readonly exp_year: number;
    readonly exp_month: number;
    readonly fingerprint: string;
  };
}

/** The parts of a payment only whoever takes the money knows. */
export interface PaymentDetails {
  readonly typeName: string;
  readonly statusName: string;
  readonly method: PaymentMethod;
  /** One that begins with `/` is of this instance, as is `hostedInvoiceUrl`. */
  readonly invoiceUrl: string;
  readonly hostedInvoiceUrl: string;
}

/** The port to whoever sells and takes payments. */
export interface BillingPort {
  findPrice(priceId: number): Promise<Price | undefined>;
  findCoupon(code: string, price: Price): Promise<Coupon | undefined>;
  createCheckout(order: CheckoutOrder): Promise<CheckoutSession>;
  describePayment(subscription: RestSubscriptionRow, period: PaidPeriod): PaymentDetails;
  /**
   * The page, plain text, at a path of this instance: of a checkout or an invoice whose address begins with `/`. Everybody may read
   * it, so it tells nothing of anybody. `undefined` for a path that is none of them. Default: there are no pages.
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

/** Something people may be told of. */
export interface RestNotification {
  readonly kind: NotificationKind;
  readonly organizationId: number;
  readonly userId: number;
  readonly atMs: number;
  /** The hash of an invitation. */
  readonly hash?: string;
}

/** The port to whoever tells people. It is called once the change is stored; its failure fails no request. */
export interface NotificationPort {
  notify(notification: RestNotification): Promise<void>;
}

/** A production zone: a part of the service with an address of its own. */
export interface ProductionZone {
  readonly id: number;
  readonly domain: string;
  readonly name: string;
  readonly regionId: number;
  /** What organizations call the service they are on. */
  readonly serviceName: string;
  /** Whether scenarios run there; private spaces are shown in such zones only. */
  readonly runsApps: boolean;
  /** Whether organizations of this zone may be deleted through the API. */
  readonly deletion: boolean;
}

/** The port to the map of the production zones. */
export interface ZoneDirectory {
  /** The zone these calls are addressed to. */
  readonly current: ProductionZone;
  readonly zones: readonly ProductionZone[];
  readonly regions: readonly { readonly id: number; readonly name: string }[];
}

/** The port to whoever keeps access lists beside our own. A rejection keeps the key from being locked. */
export interface AccessListPort {
  provision(entry: { readonly organizationId: number; readonly userId: number }): Promise<void>;
}

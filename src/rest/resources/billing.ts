import { ANY_LIST, checkOptions, type OptionShapes } from '../../shared/errors/check-options.js';
import type { BillingPort, Price } from '../services/ports.js';
import type { License } from '../store/rows.js';
import { addUtcMonths } from '../store/subscription-state.js';

/**
 * Limits of calls per minute are those of the plans. Source: https://developers.make.com/api-documentation (rate
 * limiting). [doc]; prices and volumes [inf].
 */
const PLANS: readonly { readonly name: string; readonly monthly: number; readonly license: License }[] = [
  {
    name: 'Core',
    monthly: 10.59,
    license: { apiLimit: 60, operations: 10_000, interval: 1, priority: 'low' },
  },
  {
    name: 'Pro',
    monthly: 18.82,
    license: { apiLimit: 120, operations: 10_000, interval: 1, priority: 'medium' },
  },
  {
    name: 'Teams',
    monthly: 34.12,
    license: { apiLimit: 240, operations: 10_000, interval: 1, priority: 'high' },
  },
];

const YEARLY_FACTOR = 10;
const ENTERPRISE: Price = {
  id: 100,
  productId: 100,
  productName: 'Enterprise',
  amount: 12_000,
  currencyCode: 'USD',
  period: 'year',
  selfService: false,
  license: { apiLimit: 1000, operations: 1_000_000, interval: 1, priority: 'high' },
};

/** Ids: 11, 21, 31 for a month of each plan, 12, 22, 32 for a year; 33 a month that is not managed by customers. */
const PRICES: readonly Price[] = [
  ...PLANS.flatMap((plan, index) => {
    const id = index + 1;
    const common = {
      productId: id,
      productName: plan.name,
      currencyCode: 'USD',
      selfService: true,
      license: plan.license,
    };
    const month: Price = { ...common, id: id * 10 + 1, amount: plan.monthly, period: 'month' };
    const year: Price = { ...common, id: id * 10 + 2, amount: plan.monthly * YEARLY_FACTOR, period: 'year' };
    return [month, year];
  }),
  { ...ENTERPRISE, id: 33, productId: 3, productName: 'Teams', amount: 34.12, period: 'month' },
  ENTERPRISE,
];

/** A coupon of local billing. */
export interface LocalCoupon {
  readonly code: string;
  /** Part of the price that is left: 0.9 for a tenth off. */
  readonly factor: number;
}

const COUPONS: readonly LocalCoupon[] = [{ code: 'WELCOME10', factor: 0.9 }];

/** What local billing sells. */
export interface LocalBillingOptions {
  /** Default: prices of test plans. */
  readonly prices?: readonly Price[] | undefined;
  /** Default: `WELCOME10`. */
  readonly coupons?: readonly LocalCoupon[] | undefined;
}

/** The prices and coupons of local billing, with their defaults. */
export function listOffers({ prices = PRICES, coupons = COUPONS }: LocalBillingOptions): {
  readonly prices: readonly Price[];
  readonly coupons: readonly LocalCoupon[];
} {
  return { prices, coupons };
}

const SHAPES: OptionShapes<LocalBillingOptions> = { prices: ANY_LIST, coupons: ANY_LIST };

const COUPON_FROM_MS: number = Date.UTC(2020, 0, 1);
const COUPON_MONTHS = 12 * 30;

/** The pages of checkouts and invoices. All have the same text, so that they do not reveal which ones exist. */
const PAGES: readonly (readonly [path: RegExp, page: string])[] = [
  [
    /^\/checkout\/\d{1,15}$/,
    `Local checkout

This instance takes no money: each checkout counts as paid, and the subscription starts at once.
You do not have to pay or enter anything.
`,
  ],
  [
    // Payments in older stores have an address that ends with `.pdf`.
    /^\/invoices\/\d{1,15}-\d{1,15}(?:\.pdf)?$/,
    `Local invoice

This instance takes no money: payments use a test card and have no invoice.
The list of payments of the organization shows amounts and periods.
`,
  ],
];

/** Billing without money: every checkout counts as paid, and every payment uses the same test card. */
export function createLocalBilling(options: LocalBillingOptions = {}): BillingPort {
  checkOptions(options, SHAPES, 'The options of createLocalBilling');
  const { prices, coupons } = listOffers(options);
  return {
    findPrice: async (priceId) => prices.find((price) => price.id === priceId),
    findCoupon: async (code, price) => {
      const coupon = coupons.find((one) => one.code === code);
      if (coupon === undefined) return undefined;
      return {
        code,
        validFrom: new Date(COUPON_FROM_MS).toISOString(),
        validTo: new Date(addUtcMonths(COUPON_FROM_MS, COUPON_MONTHS)).toISOString(),
        price: Math.round(price.amount * coupon.factor * 100) / 100,
        currencyCode: price.currencyCode,
        productId: price.productId,
        productName: price.productName,
      };
    },
    createCheckout: async ({ subscriptionId }) => ({
      sessionId: subscriptionId,
      url: `/checkout/${subscriptionId}`,
      paid: true,
    }),
    describePayment: (subscription, period) => {
      const invoice = `/invoices/${subscription.id}-${period.startsAtMs}`;
      const card = {
        brand: 'visa',
        last4: '4242',
        country: 'US',
        network: 'visa',
        exp_year: 2099,
        exp_month: 12,
        fingerprint: 'local-test-card',
      };
      return {
        typeName: 'subscription',
        statusName: 'paid',
        method: { type: 'card', card },
        invoiceUrl: invoice,
        hostedInvoiceUrl: invoice,
      };
    },
    showPage: (path) => PAGES.find(([pattern]) => pattern.test(path))?.[1],
  };
}

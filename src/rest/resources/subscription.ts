import type { PlainObject } from '../../shared/plain-object.js';
import { dateTime, flag, named, number, object, text } from '../../shared/schema/build.js';
import { absoluteAddress } from '../call/addresses.js';
import { freeText, id, OK, OK_SCHEMA } from '../call/fields.js';
import { shapeSchema } from '../call/shapes.js';
import { badRequest, blocked, invalidParameter } from '../problems.js';
import type { Price } from '../services/ports.js';
import { assertReferences } from '../services/reference-data.js';
import { notify, type RestServices } from '../services/services.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import type { Coupon } from '../store/rows.js';
import {
  advanceSubscription,
  pausePhase,
  restartPeriod,
  resumeAtProblem,
  schedulePause,
} from '../store/subscription-state.js';
import type { RestSubscriptionRow } from '../store/tables.js';
import { changeLicense, presentOrganization } from './organization-life.js';
import {
  activateSubscription,
  activeSubscription,
  applyProduct,
  assertNoSubscription,
  changeBilling,
  changeSubscription,
  copyTerms,
  newSubscription,
} from './subscription-change.js';

/** Source: https://developers.make.com/api-documentation (Subscription). [seed] */
const SUBSCRIPTION_SCHEMA = shapeSchema('Subscription');

/** A subscription that was advanced to `nowMs`, as the API shows it. */
function subscriptionRecord(row: RestSubscriptionRow, nowMs: number): PlainObject {
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

const TAG = 'subscription';
const PATH = '/organizations/{organizationId}/subscription';
const BASE = {
  tag: TAG,
  params: { organizationId: id() },
  subject: { kind: 'organization', in: 'params', name: 'organizationId' },
} as const;
const WRITE = { ...BASE, scopes: ['organizations:write'], permission: 'organization billing' } as const;

/** Source: https://developers.make.com/api-documentation (Customer). [seed] */
const CUSTOMER_SCHEMA = named(
  'Customer',
  object(
    {
      email: text({ format: 'email', maxLength: 254 }),
      name: text({ minLength: 1, maxLength: 255 }),
      isBusiness: flag(),
      countryId: number(),
    },
    {
      companyName: freeText(),
      taxId: freeText(),
      city: freeText(),
      line1: freeText(),
      line2: freeText(),
      postalCode: freeText(),
      state: freeText(),
    },
  ),
);

const getSubscription: StoreOperation = defineOperation({
  ...BASE,
  id: 'getSubscription',
  method: 'GET',
  path: PATH,
  summary: 'Shows the subscription of an organization.',
  scopes: ['organizations:read'],
  permission: 'organization view',
  response: SUBSCRIPTION_SCHEMA,
  handler: async ({ services, params, nowMs }) => {
    const row = await activeSubscription(services.store, params.organizationId);
    return subscriptionRecord(advanceSubscription(row, nowMs).row, nowMs);
  },
});

const createSubscription: StoreOperation = defineOperation({
  ...WRITE,
  id: 'createSubscription',
  method: 'POST',
  path: PATH,
  summary: 'Starts a checkout for a subscription.',
  body: object(
    { priceId: number() },
    { couponCode: text({ minLength: 1, maxLength: 100 }), customer: CUSTOMER_SCHEMA },
  ),
  response: shapeSchema('Checkout'),
  handler: async ({ services, addresses, params, body, nowMs }) => {
    const { billing } = services;
    const { organizationId } = params;
    const { customer } = body;
    assertCustomer(customer, services);
    const price = await findPrice(services, body.priceId);
    const coupon = await findCoupon(services, body.couponCode, price, nowMs);
    const start = newSubscription(organizationId, price, nowMs);
    const pending = await addCheckout(services, {
      ...start,
      coupon: coupon ?? null,
      customer: customer ?? null,
    });
    const order = { organizationId, subscriptionId: pending.id, price, coupon, customer };
    const session = await billing.createCheckout(order);
    if (session.paid) await beginSubscription(services, pending);
    const url = absoluteAddress(session.url, addresses);
    return { sessionId: session.sessionId, url, subscriptionId: pending.id };
  },
});

const changePrice: StoreOperation = defineOperation({
  ...WRITE,
  id: 'changeSubscription',
  method: 'PATCH',
  path: PATH,
  summary: 'Moves the subscription to another price.',
  body: object({ priceId: number() }, { customer: CUSTOMER_SCHEMA }),
  response: OK_SCHEMA,
  handler: async ({ services, params, body }) => {
    assertCustomer(body.customer, services);
    const price = await findPrice(services, body.priceId);
    const { organizationId } = params;
    await changeSubscription(services, organizationId, async (row, writer, nowMs) => {
      if (pausePhase(row, nowMs) !== 'none') throw blocked('The subscription is paused.');
      await applyProduct(services, writer, { organizationId, price, nowMs });
      const { customer = row.customer } = body;
      const changed = { ...row, ...copyTerms(price), coupon: null, customer };
      // A period of another length starts immediately; a price of the same length counts from the next bill. [inf]
      return price.period === row.period ? changed : restartPeriod(changed, nowMs);
    });
    return OK;
  },
});

const cancelSubscription: StoreOperation = defineOperation({
  ...WRITE,
  id: 'cancelSubscription',
  method: 'DELETE',
  path: PATH,
  summary: 'Ends the subscription.',
  response: OK_SCHEMA,
  handler: async ({ services, params }) => {
    const { organizationId } = params;
    const { defaultProductName: productName, defaultLicense: license } = services.settings;
    await changeSubscription(services, organizationId, async (row, writer, nowMs) => {
      await writer.remove('subscriptions', { id: row.id });
      const organization = await presentOrganization(writer, organizationId);
      await changeLicense(writer, organization, { productName, license, nowMs });
      return row;
    });
    return OK;
  },
});

const pauseSubscription: StoreOperation = defineOperation({
  ...WRITE,
  id: 'pauseSubscription',
  method: 'POST',
  path: `${PATH}/pause`,
  summary: 'Pauses a monthly self-service subscription from the end of its period until `resumeAt`.',
  body: object({ resumeAt: dateTime() }),
  response: OK_SCHEMA,
  handler: async ({ services, caller, params, body, nowMs: atMs }) => {
    const { organizationId } = params;
    const resumeAtMs = Date.parse(body.resumeAt);
    await changeSubscription(services, organizationId, async (row, _, nowMs) => {
      if (row.period !== 'month' || !row.selfService) {
        throw blocked('Only a monthly self-service subscription can be paused.');
      }
      if (pausePhase(row, nowMs) !== 'none') throw blocked('The subscription is already paused.');
      const problem = resumeAtProblem(row, resumeAtMs, nowMs);
      if (problem !== undefined) throw badRequest([invalidParameter('resumeAt', problem)]);
      return schedulePause(row, resumeAtMs);
    });
    const userId = caller.user.id;
    await notify(services, { kind: 'subscription paused', organizationId, userId, atMs });
    return OK;
  },
});

const unpauseSubscription: StoreOperation = defineOperation({
  ...WRITE,
  id: 'unpauseSubscription',
  method: 'POST',
  path: `${PATH}/unpause`,
  summary: 'Calls off a scheduled pause, or ends one in effect and starts a new billing period.',
  response: OK_SCHEMA,
  handler: async ({ services, caller, params, nowMs: atMs }) => {
    const { organizationId } = params;
    await changeSubscription(services, organizationId, async (row, _, nowMs) => {
      switch (pausePhase(row, nowMs)) {
        case 'none':
          throw blocked('The subscription is not paused.');
        case 'scheduled':
          return { ...row, pauseStartsAt: null, pauseEndsAt: null };
        case 'in effect':
          return restartPeriod(row, nowMs);
      }
    });
    const userId = caller.user.id;
    await notify(services, { kind: 'subscription resumed', organizationId, userId, atMs });
    return OK;
  },
});

/** How long a checkout can be paid. [inf] */
const CHECKOUT_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Adds a subscription that starts after payment. Other unpaid checkouts stay: a customer may be paying one of them.
 */
function addCheckout(
  services: RestServices,
  start: Omit<RestSubscriptionRow, 'id'>,
): Promise<RestSubscriptionRow> {
  const { organizationId } = start;
  return changeBilling(services, organizationId, async (writer, nowMs) => {
    await assertNoSubscription(writer, organizationId);
    const forgotten = { atMost: nowMs - CHECKOUT_LIFETIME_MS };
    await writer.remove('subscriptions', { organizationId, status: 'pending', anchorAt: forgotten });
    // A concurrent deletion of the organization must retry, or it would leave this row behind.
    const { syncedAt } = await presentOrganization(writer, organizationId);
    await writer.update('organizations', { id: organizationId }, { syncedAt });
    return writer.insert('subscriptions', start);
  });
}

/** Of several concurrent payments, one starts its subscription; the others leave no rows. */
async function beginSubscription(services: RestServices, pending: RestSubscriptionRow): Promise<void> {
  try {
    await activateSubscription(services, pending.id);
  } catch (error) {
    await services.store.transaction((writer) =>
      writer.remove('subscriptions', { id: pending.id, status: 'pending' }),
    );
    throw error;
  }
}

async function findPrice({ billing }: RestServices, priceId: number): Promise<Price> {
  const price = await billing.findPrice(priceId);
  if (!price) throw badRequest([invalidParameter('priceId', 'must be a price that is offered')]);
  return price;
}

async function findCoupon(
  { billing }: RestServices,
  code: string | undefined,
  price: Price,
  nowMs: number,
): Promise<Coupon | undefined> {
  if (code === undefined) return undefined;
  const coupon = await billing.findCoupon(code, price);
  const good = coupon && Date.parse(coupon.validFrom) <= nowMs && nowMs < Date.parse(coupon.validTo);
  if (!good) throw badRequest([invalidParameter('couponCode', 'must be a coupon that is valid')]);
  return coupon;
}

function assertCustomer(customer: { readonly countryId: number } | undefined, services: RestServices): void {
  if (customer) assertReferences({ countryId: customer.countryId }, services.zones);
}

export const SUBSCRIPTION_OPERATIONS: readonly StoreOperation[] = [
  getSubscription,
  createSubscription,
  changePrice,
  cancelSubscription,
  pauseSubscription,
  unpauseSubscription,
];

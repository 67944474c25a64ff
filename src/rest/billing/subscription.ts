import { dateTime, flag, named, number, object, text } from '../../schema/build.js';
import { freeText, id, OK, OK_SCHEMA } from '../call/fields.js';
import { notify } from '../services/notify.js';
import { defineOperation, type Operation } from '../call/operation.js';
import { changeLicense, presentOrganization } from '../organizations/organization-life.js';
import type { Price } from '../services/ports.js';
import { badRequest, blocked, invalidParameter } from '../problems.js';
import { assertReferences } from '../reference/reference-data.js';
import type { RestServices } from '../services/services.js';
import {
  activateSubscription,
  activeSubscription,
  applyProduct,
  changeInTransaction,
  newSubscription,
  termsOf,
} from './subscription-change.js';
import { SUBSCRIPTION_SCHEMA, subscriptionRecord } from './subscription-record.js';
import type { Coupon } from '../store/subscription-row.js';
import {
  advanceSubscription,
  pausePhase,
  resumeAtProblem,
  schedulePause,
  startPeriodAt,
} from '../store/subscription-state.js';

const TAG = 'subscription';
const PATH = '/organizations/{organizationId}/subscription';
const BASE = {
  tag: TAG,
  params: { organizationId: id() },
  subject: { kind: 'organization', in: 'params', name: 'organizationId' },
} as const;
const WRITE = { ...BASE, scopes: ['organizations:write'], permission: 'organization billing' } as const;

/** Source: specification/000 (Customer). [seed] */
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

const getSubscription: Operation = defineOperation({
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

const createSubscription: Operation = defineOperation({
  ...WRITE,
  id: 'createSubscription',
  method: 'POST',
  path: PATH,
  summary: 'Starts a checkout for a subscription.',
  body: object(
    { priceId: number() },
    { couponCode: text({ minLength: 1, maxLength: 100 }), customer: CUSTOMER_SCHEMA },
  ),
  response: object({ sessionId: number(), url: text({ format: 'uri' }), subscriptionId: number() }),
  handler: async ({ services, params, body, nowMs }) => {
    const { billing, store } = services;
    const { organizationId } = params;
    const { customer } = body;
    assertCustomer(customer, services);
    const price = await findPrice(services, body.priceId);
    const coupon = await findCoupon(services, body.couponCode, price, nowMs);
    const pending = await store.transaction(async (writer) => {
      await presentOrganization(writer, organizationId);
      const before = await writer.get('subscriptions', { organizationId });
      if (before?.status === 'active') throw blocked('The organization has an active subscription.');
      if (before) await writer.remove('subscriptions', { id: before.id });
      const start = newSubscription(organizationId, price, nowMs);
      return writer.insert('subscriptions', { ...start, coupon: coupon ?? null, customer: customer ?? null });
    });
    const session = await billing.createCheckout({
      organizationId,
      subscriptionId: pending.id,
      price,
      coupon,
      customer,
    });
    if (session.paid) await activateSubscription(services, pending.id);
    return { sessionId: session.sessionId, url: session.url, subscriptionId: pending.id };
  },
});

const changeSubscription: Operation = defineOperation({
  ...WRITE,
  id: 'changeSubscription',
  method: 'PATCH',
  path: PATH,
  summary: 'Moves the subscription to another price.',
  body: object({ priceId: number() }, { customer: CUSTOMER_SCHEMA }),
  response: OK_SCHEMA,
  handler: async ({ services, params, body, nowMs }) => {
    assertCustomer(body.customer, services);
    const price = await findPrice(services, body.priceId);
    await changeInTransaction(services, params.organizationId, nowMs, async (row, writer) => {
      if (pausePhase(row, nowMs) !== 'none') throw blocked('The subscription is paused.');
      await applyProduct(writer, row.organizationId, price, nowMs);
      const { customer = row.customer } = body;
      const changed = { ...row, ...termsOf(price), coupon: null, customer };
      // Another length of the period begins at once; a price of the same length counts from the next bill. [inf]
      return price.period === row.period ? changed : startPeriodAt(changed, nowMs);
    });
    return OK;
  },
});

const cancelSubscription: Operation = defineOperation({
  ...WRITE,
  id: 'cancelSubscription',
  method: 'DELETE',
  path: PATH,
  summary: 'Ends the subscription.',
  response: OK_SCHEMA,
  handler: async ({ services, params, nowMs }) => {
    const { organizationId } = params;
    const { settings } = services;
    await changeInTransaction(services, organizationId, nowMs, async (row, writer) => {
      await writer.remove('subscriptions', { id: row.id });
      await changeLicense(writer, await presentOrganization(writer, organizationId), {
        productName: settings.defaultProductName,
        license: settings.defaultLicense,
        nowMs,
      });
      return row;
    });
    return OK;
  },
});

const pauseSubscription: Operation = defineOperation({
  ...WRITE,
  id: 'pauseSubscription',
  method: 'POST',
  path: `${PATH}/pause`,
  summary: 'Pauses a monthly self-service subscription from the end of its period until `resumeAt`.',
  body: object({ resumeAt: dateTime() }),
  response: OK_SCHEMA,
  handler: async ({ services, caller, params, body, nowMs }) => {
    const { organizationId } = params;
    const resumeAtMs = Date.parse(body.resumeAt);
    await changeInTransaction(services, organizationId, nowMs, async (row) => {
      if (row.period !== 'month' || !row.selfService) {
        throw blocked('Only a monthly self-service subscription can be paused.');
      }
      if (pausePhase(row, nowMs) !== 'none') throw blocked('The subscription is already paused.');
      const problem = resumeAtProblem(row, resumeAtMs, nowMs);
      if (problem !== undefined) throw badRequest([invalidParameter('resumeAt', problem)]);
      return schedulePause(row, resumeAtMs);
    });
    const userId = caller.user.id;
    await notify(services, { kind: 'subscription paused', organizationId, userId, atMs: nowMs });
    return OK;
  },
});

const unpauseSubscription: Operation = defineOperation({
  ...WRITE,
  id: 'unpauseSubscription',
  method: 'POST',
  path: `${PATH}/unpause`,
  summary: 'Calls off a scheduled pause, or ends one in effect and starts a new billing period.',
  response: OK_SCHEMA,
  handler: async ({ services, caller, params, nowMs }) => {
    const { organizationId } = params;
    await changeInTransaction(services, organizationId, nowMs, async (row) => {
      switch (pausePhase(row, nowMs)) {
        case 'none':
          throw blocked('The subscription is not paused.');
        case 'scheduled':
          return { ...row, pauseStartsAt: null, pauseEndsAt: null };
        case 'in effect':
          return startPeriodAt(row, nowMs);
      }
    });
    const userId = caller.user.id;
    await notify(services, { kind: 'subscription resumed', organizationId, userId, atMs: nowMs });
    return OK;
  },
});

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

export const SUBSCRIPTION_OPERATIONS: readonly Operation[] = [
  getSubscription,
  createSubscription,
  changeSubscription,
  cancelSubscription,
  pauseSubscription,
  unpauseSubscription,
];

import { changeLicense, presentOrganization } from '../organizations/organization-life.js';
import { recordPayments } from './payments.js';
import type { Price } from '../services/ports.js';
import { notFound } from '../problems.js';
import type { RestServices } from '../services/services.js';
import type { RestSubscriptionRow } from '../store/subscription-row.js';
import { advanceSubscription, startPeriodAt } from '../store/subscription-state.js';
import type { RestReader, RestWriter } from '../store/tables.js';

/**
 * Begins a subscription whose checkout has been paid; for billing ports that learn of the payment later.
 * A subscription that has begun already stays as it is.
 * @throws RestError 404 when there is none of that id
 */
export async function activateSubscription(services: RestServices, subscriptionId: number): Promise<void> {
  const nowMs = services.clock.now();
  const pending = await services.store.get('subscriptions', { id: subscriptionId });
  const price = pending && (await services.billing.findPrice(pending.priceId));
  if (!price) throw notFound('Subscription');
  await services.store.transaction(async (writer) => {
    const row = await writer.get('subscriptions', { id: subscriptionId });
    if (!row) throw notFound('Subscription');
    if (row.status === 'active') return;
    const started = { ...startPeriodAt(row, nowMs), status: 'active' } as const;
    await saveSubscription(writer, started);
    await recordPayments(services, writer, started, [
      { startsAtMs: started.periodStartsAt, endsAtMs: started.periodEndsAt },
    ]);
    await applyProduct(writer, row.organizationId, price, nowMs);
  });
}

export type SubscriptionChange = (
  row: RestSubscriptionRow,
  writer: RestWriter,
) => Promise<RestSubscriptionRow>;

/** Brings the subscription to the present, lets it be changed and stores it with every payment that fell due on the way. */
export async function changeInTransaction(
  services: RestServices,
  organizationId: number,
  nowMs: number,
  change: SubscriptionChange,
): Promise<void> {
  await services.store.transaction(async (writer) => {
    const { row, due } = advanceSubscription(await activeSubscription(writer, organizationId), nowMs);
    await recordPayments(services, writer, row, due);
    const changed = await change(row, writer);
    const isNewPeriod = changed.periodStartsAt !== row.periodStartsAt;
    if (isNewPeriod) {
      const period = { startsAtMs: changed.periodStartsAt, endsAtMs: changed.periodEndsAt };
      await recordPayments(services, writer, changed, [period]);
    }
    await saveSubscription(writer, changed);
  });
}

async function saveSubscription(
  writer: RestWriter,
  { id: rowId, ...columns }: RestSubscriptionRow,
): Promise<void> {
  await writer.update('subscriptions', { id: rowId }, columns);
}

/** @throws RestError 404 when the organization has none */
export async function activeSubscription(
  reader: RestReader,
  organizationId: number,
): Promise<RestSubscriptionRow> {
  const row = await reader.get('subscriptions', { organizationId, status: 'active' });
  if (!row) throw notFound('Subscription');
  return row;
}

/** The organization gets the product's name and what its license gives more. [inf] */
export async function applyProduct(
  writer: RestWriter,
  organizationId: number,
  { license, productName }: Price,
  nowMs: number,
): Promise<void> {
  const organization = await presentOrganization(writer, organizationId);
  const change = { license: { ...organization.license, ...license }, productName, nowMs };
  await changeLicense(writer, organization, change);
}

type Terms = 'priceId' | 'productId' | 'productName' | 'amount' | 'currencyCode' | 'period' | 'selfService';

/** What a subscription takes over from the price it is bought at. */
export function termsOf(price: Price): Pick<RestSubscriptionRow, Terms> {
  const { id: priceId, productId, productName, amount, currencyCode, period, selfService } = price;
  return { priceId, productId, productName, amount, currencyCode, period, selfService };
}

/** A subscription whose checkout has not been paid yet. */
export function newSubscription(
  organizationId: number,
  price: Price,
  nowMs: number,
): Omit<RestSubscriptionRow, 'id'> {
  const { id: _, ...row } = startPeriodAt(
    {
      id: 0,
      organizationId,
      status: 'pending',
      ...termsOf(price),
      coupon: null,
      customer: null,
      anchorAt: nowMs,
      periodIndex: 0,
      periodStartsAt: nowMs,
      periodEndsAt: nowMs,
      pauseStartsAt: null,
      pauseEndsAt: null,
    },
    nowMs,
  );
  return row;
}

import { changeLicense, presentOrganization } from '../organizations/organization-life.js';
import { blocked, notFound } from '../problems.js';
import type { Price } from '../services/ports.js';
import type { RestServices } from '../services/services.js';
import type { RestSubscriptionRow } from '../store/subscription-row.js';
import { advanceSubscription, startPeriodAt } from '../store/subscription-state.js';
import type { RestReader, RestWriter } from '../store/tables.js';
import { recordPayments } from './record-payments.js';

/**
 * Begins a subscription whose checkout has been paid; for billing ports that learn of the payment later.
 * A subscription that has begun already stays as it is. Of several checkouts the first that is paid counts.
 * @throws RestError 404 when there is none of that id, 400 `IM016` when the organization has another one by now
 */
export async function activateSubscription(services: RestServices, subscriptionId: number): Promise<void> {
  const pending = await services.store.get('subscriptions', { id: subscriptionId });
  const price = pending && (await services.billing.findPrice(pending.priceId));
  if (!price) throw notFound('Subscription');
  const { organizationId } = pending;
  await changeBilling(services, organizationId, async (writer, nowMs) => {
    const row = await writer.get('subscriptions', { id: subscriptionId });
    if (!row) throw notFound('Subscription');
    if (row.status === 'active') return;
    await assertNoSubscription(writer, organizationId);
    const started = { ...startPeriodAt(row, nowMs), status: 'active' } as const;
    await saveSubscription(writer, started);
    await recordPayments(services, writer, started, [
      { startsAtMs: started.periodStartsAt, endsAtMs: started.periodEndsAt },
    ]);
    await applyProduct(services, writer, { organizationId, price, nowMs });
  });
}

/** @throws RestError 400 `IM016` when the organization has a subscription that has begun */
export async function assertNoSubscription(reader: RestReader, organizationId: number): Promise<void> {
  const active = await reader.get('subscriptions', { organizationId, status: 'active' });
  if (active) throw blocked('The organization has an active subscription.');
}

/**
 * Changes what an organization pays for, one change after the other: each holds the organization's row and takes its time once it
 * does, so that changes follow one another in time as they do in the store.
 * @throws RestError 404 when there is no such organization
 */
export function changeBilling<R>(
  { store, clock }: Pick<RestServices, 'store' | 'clock'>,
  organizationId: number,
  work: (writer: RestWriter, nowMs: number) => Promise<R>,
): Promise<R> {
  return store.transaction(
    async (writer) => {
      if (!(await writer.getLocked('organizations', { id: organizationId }, 'update'))) {
        throw notFound('Organization');
      }
      return work(writer, clock.now());
    },
    { isolation: 'read-committed' },
  );
}

/** The subscription as it is at `nowMs`, and what becomes of it. */
export type SubscriptionChange = (
  row: RestSubscriptionRow,
  writer: RestWriter,
  nowMs: number,
) => Promise<RestSubscriptionRow>;

/** Brings the subscription to the present, lets it be changed and stores it with every payment that fell due on the way. */
export async function changeSubscription(
  services: RestServices,
  organizationId: number,
  change: SubscriptionChange,
): Promise<void> {
  await changeBilling(services, organizationId, async (writer, nowMs) => {
    const { row, due } = advanceSubscription(await activeSubscription(writer, organizationId), nowMs);
    await recordPayments(services, writer, row, due);
    const changed = await change(row, writer, nowMs);
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

/** What an organization gets with a price. */
export interface ProductChange {
  readonly organizationId: number;
  readonly price: Price;
  readonly nowMs: number;
}

/** Gives the organization the product's name and the whole of its license; what that leaves out is as in the default license. [inf] */
export async function applyProduct(
  { settings }: Pick<RestServices, 'settings'>,
  writer: RestWriter,
  { organizationId, price, nowMs }: ProductChange,
): Promise<void> {
  const organization = await presentOrganization(writer, organizationId);
  const license = { ...settings.defaultLicense, ...price.license };
  await changeLicense(writer, organization, { license, productName: price.productName, nowMs });
}

type Terms = 'priceId' | 'productId' | 'productName' | 'amount' | 'currencyCode' | 'period' | 'selfService';

/** What a subscription takes over from the price it is bought at. */
export function copyTerms(price: Price): Pick<RestSubscriptionRow, Terms> {
  const { id: priceId, productId, productName, amount, currencyCode, period, selfService } = price;
  return { priceId, productId, productName, amount, currencyCode, period, selfService };
}

/** A subscription whose checkout has not been paid yet. */
export function newSubscription(
  organizationId: number,
  price: Price,
  nowMs: number,
): Omit<RestSubscriptionRow, 'id'> {
  return startPeriodAt<Omit<RestSubscriptionRow, 'id'>>(
    {
      organizationId,
      status: 'pending',
      ...copyTerms(price),
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
}

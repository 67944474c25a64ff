import { blocked, notFound } from '../problems.js';
import type { Price } from '../services/ports.js';
import type { RestServices } from '../services/services.js';
import { advanceSubscription, type PaidPeriod, startPeriodAt } from '../store/subscription-state.js';
import type { RestReader, RestSubscriptionRow, RestWriter } from '../store/tables.js';
import { changeLicense, presentOrganization } from './organization-life.js';

/**
 * Starts a subscription after its checkout was paid, for billing ports that report the payment later. Does not change
 * a subscription that has started. The first paid checkout of an organization counts.
 * @throws RestError 404 if the subscription does not exist, 400 `IM016` if the organization has another one
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

/** @throws RestError 400 `IM016` if the organization has an active subscription */
export async function assertNoSubscription(reader: RestReader, organizationId: number): Promise<void> {
  const active = await reader.get('subscriptions', { organizationId, status: 'active' });
  if (active) throw blocked('The organization has an active subscription.');
}

/**
 * Changes what an organization pays for, serially: each change locks the row of the organization and reads the time
 * after that, so that the times of changes have the order of the store.
 * @throws RestError 404 if the organization does not exist
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

/** Receives the subscription as it is at `nowMs` and returns the changed one. */
export type SubscriptionChange = (
  row: RestSubscriptionRow,
  writer: RestWriter,
  nowMs: number,
) => Promise<RestSubscriptionRow>;

/**
 * Brings the subscription to the present, applies the change and stores the result with every payment that is due.
 */
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

/** @throws RestError 404 if the organization has none */
export async function activeSubscription(
  reader: RestReader,
  organizationId: number,
): Promise<RestSubscriptionRow> {
  const row = await reader.get('subscriptions', { organizationId, status: 'active' });
  if (!row) throw notFound('Subscription');
  return row;
}

/** Change of the license of an organization to a price. */
export interface ProductChange {
  readonly organizationId: number;
  readonly price: Price;
  readonly nowMs: number;
}

/**
 * Gives the organization the product name and the complete license; absent members are those of the default license.
 * [inf]
 */
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

/** The terms that a subscription copies from its price. */
export function copyTerms(price: Price): Pick<RestSubscriptionRow, Terms> {
  const { id: priceId, productId, productName, amount, currencyCode, period, selfService } = price;
  return { priceId, productId, productName, amount, currencyCode, period, selfService };
}

/** A subscription with an unpaid checkout. */
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

/** Stores one payment per period. */
export async function recordPayments(
  { billing }: RestServices,
  writer: RestWriter,
  subscription: RestSubscriptionRow,
  periods: readonly PaidPeriod[],
): Promise<void> {
  for (const period of periods) {
    const details = billing.describePayment(subscription, period);
    const { startsAtMs, endsAtMs } = period;
    await writer.insert('payments', {
      organizationId: subscription.organizationId,
      subscriptionId: subscription.id,
      paymentId: `in_${subscription.id}_${startsAtMs}`,
      createdAt: startsAtMs,
      periodFrom: startsAtMs,
      periodTo: endsAtMs,
      amountTotal: amountAt(subscription, startsAtMs),
      record: {
        type_name: details.typeName,
        status_name: details.statusName,
        product_name: { en: subscription.productName },
        payment_method: details.method,
        currency_code: subscription.currencyCode,
        invoice_url: details.invoiceUrl,
        hosted_invoice_url: details.hostedInvoiceUrl,
      },
    });
  }
}

function amountAt({ amount, coupon }: RestSubscriptionRow, atMs: number): number {
  const applies = coupon && Date.parse(coupon.validFrom) <= atMs && atMs < Date.parse(coupon.validTo);
  return applies ? coupon.price : amount;
}

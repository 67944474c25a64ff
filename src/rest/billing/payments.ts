import {
  dateTime,
  freeForm,
  integer,
  list,
  named,
  number,
  object,
  type Schema,
  text,
} from '../../schema/build.js';
import type { PlainObject } from '../../util/plain-object.js';
import { id, wrapped } from '../call/fields.js';
import { defineOperation, type Operation } from '../call/operation.js';
import { type Paging, pageQuery } from '../call/paging.js';
import type { RestServices } from '../services/services.js';
import type { RestSubscriptionRow } from '../store/subscription-row.js';
import { advanceSubscription, type PaidPeriod } from '../store/subscription-state.js';
import type { PaymentRow, RestWriter } from '../store/tables.js';

const CARD_SCHEMA: Schema<unknown> = object({
  brand: text(),
  last4: text(),
  country: text(),
  network: text(),
  exp_year: integer(),
  exp_month: integer(),
  fingerprint: text(),
});

/** Source: specification/000 (Payment). [seed] */
const PAYMENT_SCHEMA: Schema<unknown> = named(
  'Payment',
  object({
    id: text(),
    invoice_number: integer(),
    created: dateTime(),
    type_name: text(),
    status_name: text(),
    product_name: freeForm(),
    payment_method: object({ type: text(), card: CARD_SCHEMA }),
    amount_total: number(),
    currency_code: text(),
    invoice_url: text(),
    hosted_invoice_url: text(),
    period_from: text({ format: 'date' }),
    period_to: text({ format: 'date' }),
  }),
);

const SORTS = {
  created: 'createdAt',
  id: 'paymentId',
  invoice_number: 'id',
  amount_total: 'amountTotal',
  period_from: 'periodFrom',
  period_to: 'periodTo',
} as const satisfies Readonly<Record<string, keyof PaymentRow>>;

/** Source: reference/rest-api.md section 1.3 (100, newest first). [inf] */
const PAGING: Paging = {
  sortBy: Object.keys(SORTS),
  defaultSortBy: 'created',
  defaultSortDir: 'desc',
  defaultLimit: 100,
};

const listPayments: Operation = defineOperation({
  id: 'listPayments',
  method: 'GET',
  path: '/organizations/{organizationId}/payments',
  tag: 'payments',
  summary: 'Lists past payments of an organization.',
  scopes: ['organizations:read'],
  params: { organizationId: id() },
  paging: PAGING,
  subject: { kind: 'organization', in: 'params', name: 'organizationId' },
  permission: 'organization billing',
  response: wrapped('payments', list(PAYMENT_SCHEMA)),
  handler: async ({ services, params, page, nowMs }) => {
    const { organizationId } = params;
    await settlePayments(services, organizationId, nowMs);
    const rows = await services.store.find('payments', {
      where: { organizationId },
      ...pageQuery(page, SORTS),
    });
    return { payments: rows.map(paymentRecord) };
  },
});

/** Stores the payments of periods that are due by now, whichever node is asked first. */
async function settlePayments(services: RestServices, organizationId: number, nowMs: number): Promise<void> {
  const where = { organizationId, status: 'active' } as const;
  const before = await services.store.get('subscriptions', where);
  if (!before || advanceSubscription(before, nowMs).due.length === 0) return;
  await services.store.transaction(async (writer) => {
    const row = await writer.get('subscriptions', where);
    if (!row) return;
    const { row: advanced, due } = advanceSubscription(row, nowMs);
    const { id: subscriptionId, ...columns } = advanced;
    await recordPayments(services, writer, advanced, due);
    await writer.update('subscriptions', { id: subscriptionId }, columns);
  });
}

/** Stores one payment a period. */
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

function paymentRecord(row: PaymentRow): PlainObject {
  return {
    id: row.paymentId,
    invoice_number: row.id,
    created: new Date(row.createdAt).toISOString(),
    ...row.record,
    amount_total: row.amountTotal,
    period_from: dateOf(row.periodFrom),
    period_to: dateOf(row.periodTo),
  };
}

function dateOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}

export const PAYMENT_OPERATIONS: readonly Operation[] = [listPayments];

import type { PlainObject } from '../../shared/plain-object.js';
import { list } from '../../shared/schema/build.js';
import { absoluteAddress } from '../call/addresses.js';
import { id, wrapped } from '../call/fields.js';
import { type Paging, pageQuery } from '../call/lists.js';
import type { Addresses } from '../call/operation.js';
import { shapeSchema } from '../call/shapes.js';
import type { RestServices } from '../services/services.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { advanceSubscription } from '../store/subscription-state.js';
import type { PaymentRow } from '../store/tables.js';
import { changeBilling, recordPayments } from './subscription-change.js';

/** Source: https://developers.make.com/api-documentation (Payment). [seed] */
const PAYMENT_SCHEMA = shapeSchema('Payment');

const SORTS = {
  created: 'createdAt',
  id: 'paymentId',
  invoice_number: 'id',
  amount_total: 'amountTotal',
  period_from: 'periodFrom',
  period_to: 'periodTo',
} as const satisfies Readonly<Record<string, keyof PaymentRow>>;

/** Source: https://developers.make.com/api-documentation (pagination and sorting, filtering, 100, newest first). [inf] */
const PAGING: Paging = {
  sortBy: Object.keys(SORTS),
  defaultSortBy: 'created',
  defaultSortDir: 'desc',
  defaultLimit: 100,
};

const listPayments: StoreOperation = defineOperation({
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
  handler: async ({ services, addresses, params, page, nowMs }) => {
    const { organizationId } = params;
    await settlePayments(services, organizationId, nowMs);
    const rows = await services.store.find('payments', {
      where: { organizationId },
      ...pageQuery(page, SORTS),
    });
    return { payments: rows.map((row) => paymentRecord(row, addresses)) };
  },
});

/** Stores the payments of periods that are due. */
async function settlePayments(services: RestServices, organizationId: number, nowMs: number): Promise<void> {
  const where = { organizationId, status: 'active' } as const;
  const before = await services.store.get('subscriptions', where);
  if (!before || advanceSubscription(before, nowMs).due.length === 0) return;
  await changeBilling(services, organizationId, async (writer, atMs) => {
    const row = await writer.get('subscriptions', where);
    if (!row) return;
    const { row: advanced, due } = advanceSubscription(row, atMs);
    const { id: subscriptionId, ...columns } = advanced;
    await recordPayments(services, writer, advanced, due);
    await writer.update('subscriptions', { id: subscriptionId }, columns);
  });
}

function paymentRecord(row: PaymentRow, addresses: Addresses): PlainObject {
  const { invoice_url: invoice, hosted_invoice_url: hosted } = row.record;
  return {
    id: row.paymentId,
    invoice_number: row.id,
    created: new Date(row.createdAt).toISOString(),
    ...row.record,
    invoice_url: absoluteAddress(String(invoice), addresses),
    hosted_invoice_url: absoluteAddress(String(hosted), addresses),
    amount_total: row.amountTotal,
    period_from: formatDate(row.periodFrom),
    period_to: formatDate(row.periodTo),
  };
}

function formatDate(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}

export const PAYMENT_OPERATIONS: readonly StoreOperation[] = [listPayments];

import type { RestServices } from '../services/services.js';
import type { RestSubscriptionRow } from '../store/subscription-row.js';
import type { PaidPeriod } from '../store/subscription-state.js';
import type { RestWriter } from '../store/tables.js';

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

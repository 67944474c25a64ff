import { inTurns } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import { Turns } from '../util/turns.js';
import type { CompiledWebhook } from './compile-webhook.js';
import { type Delivery, evaluateUid, findRecipients, type Recipients } from './find-recipients.js';

/** Where the bundles of a call gather. */
export interface BundleDelivery {
  /** Adds a bundle. @param at where its item is seen */
  readonly add: (bundle: unknown, at: RunContext) => void;
  readonly deliver: () => DeliveredBundles | Promise<DeliveredBundles>;
}

export interface DeliveredBundles {
  readonly bundles: readonly unknown[];
  readonly deliveries: readonly Delivery[] | undefined;
}

/** Of a dedicated hook: everything is its owner's. */
export function createDedicatedDelivery(): BundleDelivery {
  const bundles: unknown[] = [];
  return {
    add: (bundle) => void bundles.push(bundle),
    deliver: () => ({ bundles, deliveries: undefined }),
  };
}

/**
 * Of a shared hook: bundles go to the connections with the event's uid, which is read once a call, or, where it
 * evaluates to nothing then and the payload is iterated over, for each item. A bundle nobody waits for is dropped.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [inf][choice]
 */
export async function createSharedDelivery(
  spec: CompiledWebhook,
  connections: Recipients | undefined,
  context: RunContext,
): Promise<BundleDelivery> {
  const ofCall = await inTurns(context, () => evaluateUid(spec, context));
  const routed: { readonly uid: string; readonly bundle: unknown }[] = [];
  return {
    add: (bundle, at) => {
      const uid = ofCall ?? (spec.iterate === undefined ? undefined : evaluateUid(spec, at));
      if (uid !== undefined) routed.push({ uid, bundle });
    },
    deliver: async () => {
      const turns = new Turns(() => context.assertGoesOn());
      const deliveries = await findRecipients(routed, connections, turns);
      const delivered = new Set<string>();
      const bundles: unknown[] = [];
      await turns.forEach(deliveries, ({ uid }) => {
        delivered.add(uid);
        return true;
      });
      await turns.forEach(routed, ({ uid, bundle }) => {
        if (delivered.has(uid)) bundles.push(bundle);
        return true;
      });
      return { bundles, deliveries };
    },
  };
}

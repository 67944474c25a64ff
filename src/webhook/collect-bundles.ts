import { readContainer } from '../run/response/collect-outputs.js';
import { evaluateDirective, evaluateFlag, inTurns, runError } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import { Turns } from '../util/turns.js';
import type { BundleDelivery } from './bundle-delivery.js';
import type { CompiledWebhook } from './compile-webhook.js';

/**
 * Takes a payload apart and maps it: `iterate`, its condition, `output`; without `iterate` the body is the one item.
 * Exactly one bundle for each item, unless its output is undefined or null: then none.
 *
 * @param add gets each bundle, and the place where its item is seen
 * @throws AppError of type RuntimeError for a container that is no list, and for more items than there may be;
 *   ModuleTimeoutError when time is up
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks; no bundle for nothing [choice]
 */
export async function collectBundles(
  webhook: CompiledWebhook,
  maxItems: number,
  context: RunContext,
  add: BundleDelivery['add'],
): Promise<void> {
  const { iterate, output } = webhook;
  const addOutput = (item: unknown, at: RunContext): void => {
    const bundle = output === undefined ? item : evaluateDirective(output, at);
    if (bundle !== undefined && bundle !== null) add(bundle, at);
  };
  if (iterate === undefined) return addOutput(context.scope['body'], context);
  const items = await inTurns(context, () => readContainer(iterate, context));
  if (items.length > maxItems) {
    const place = webhook.document.placeOf(iterate.container.pointer);
    const message = `The payload holds ${items.length} items; at most ${maxItems} are taken.`;
    throw runError('RuntimeError', message, context, { place });
  }
  const turns = new Turns(() => context.assertGoesOn());
  const { context: at, show } = context.forItems();
  const take = (item: unknown): boolean => {
    show(item);
    if (evaluateFlag(iterate.condition, true, at)) addOutput(item, at);
    return true;
  };
  for (let next = turns.forEach(items, 0, take); next < items.length; ) {
    await turns.next();
    next = turns.forEach(items, next, take);
  }
}

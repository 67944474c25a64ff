import type { Directive } from '../document/compile/compile-directive.js';
import type { CompiledIterate } from '../document/compile/compiled-request.js';
import { readContainer } from '../run/response/collect-outputs.js';
import {
  evaluateDirective,
  evaluateFlag,
  forEachItem,
  inTurns,
  runError,
} from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import type { BundleDelivery } from './bundle-delivery.js';
import type { CompiledWebhook } from './compile-webhook.js';

/**
 * Takes a payload apart and maps it: `iterate`, its condition, `output`; without `iterate` the body is the one item.
 * Exactly one bundle for each item, unless its output is undefined or null: then none.
 *
 * @param add gets each bundle, and the place where its item is seen
 * @returns undefined where one turn did for all of it, as it does for nearly every call
 * @throws AppError of type RuntimeError for a container that is no list, and for more items than there may be;
 *   ModuleTimeoutError when time is up
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks; no bundle for nothing [choice]
 */
export function collectBundles(
  webhook: CompiledWebhook,
  maxItems: number,
  context: RunContext,
  add: BundleDelivery['add'],
): Promise<void> | undefined {
  const { iterate } = webhook;
  if (iterate === undefined) {
    const added = inTurns(context, () => addOutput(webhook.output, context.scope['body'], context, add));
    return added instanceof Promise ? added : undefined;
  }
  const addItems = (items: readonly unknown[]): Promise<void> | undefined => {
    if (items.length > maxItems) throw tooManyItems(items.length, maxItems, webhook, iterate, context);
    const { context: at, show } = context.forItems();
    const addItem = (item: unknown): boolean => {
      show(item);
      if (evaluateFlag(iterate.condition, true, at)) addOutput(webhook.output, item, at, add);
      return true;
    };
    return forEachItem(items, addItem, context);
  };
  const items = inTurns(context, () => readContainer(iterate, context));
  return items instanceof Promise ? items.then(addItems) : addItems(items);
}

function addOutput(
  output: Directive | undefined,
  item: unknown,
  at: RunContext,
  add: BundleDelivery['add'],
): void {
  const bundle = output === undefined ? item : evaluateDirective(output, at);
  if (bundle !== undefined && bundle !== null) add(bundle, at);
}

function tooManyItems(
  count: number,
  maxItems: number,
  { document }: CompiledWebhook,
  { container }: CompiledIterate,
  context: RunContext,
): Error {
  const message = `The payload holds ${count} items; at most ${maxItems} are taken.`;
  return runError('RuntimeError', message, context, { place: document.placeOf(container.pointer) });
}

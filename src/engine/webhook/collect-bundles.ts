import { toText } from '../../language/values/coerce.js';
import { isUnsafeNumber } from '../../language/values/value-kind.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledIterate } from '../document/compiled-request.js';
import { readContainer } from '../run/collect-outputs.js';
import { evaluateDirective, evaluateFlag, runError } from '../run/evaluate-directive.js';
import { createItemContext, type RunContext, throwIfAborted } from '../run/run-context.js';
import type { CompiledWebhook } from './compile-webhook.js';

/** A connection as far as routing needs it. */
export interface Recipient {
  readonly id: string;
  /** Result of `info.response.uid`; text or a number. */
  readonly uid: unknown;
}

/** The connections that events are routed to: all of them, or a function that finds their ids by uid. */
export type Recipients =
  | readonly Recipient[]
  | ((uid: string) => readonly string[] | Promise<readonly string[]>);

/** The bundles for one user of a shared hook. */
export interface Delivery {
  readonly uid: string;
  /** Ids of the connections with this uid. */
  readonly recipients: readonly string[];
  readonly bundles: readonly unknown[];
}

/** The bundles of a call, and how they came about. */
export interface CollectedBundles {
  readonly bundles: readonly CollectedBundle[];
  /** Number of items in the list of `iterate`; undefined without `iterate`. */
  readonly items: number | undefined;
  /** Number of items whose `iterate.condition` holds. */
  readonly accepted: number;
}

export interface CollectedBundle {
  readonly bundle: unknown;
  /** Of a shared hook: undefined if `uid` evaluates to nothing. */
  readonly uid: string | undefined;
}

interface CollectOptions {
  readonly isShared: boolean;
  /** Of the call. */
  readonly uid: string | undefined;
  readonly maxItems: number;
}

/**
 * Evaluates `iterate`, its condition and `output`. Without `iterate` the body is the only item. One bundle per item, none
 * for an output of undefined or null. The uid of a shared hook is that of the call or, if that is nothing, of each item.
 *
 * @throws AppError: RuntimeError for a container that is no list and for too many items, DataError for a uid that is not
 *   exact, ModuleTimeoutError
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export function collectBundles(
  webhook: CompiledWebhook,
  { isShared, uid, maxItems }: CollectOptions,
  context: RunContext,
): CollectedBundles {
  const { iterate } = webhook;
  const bundles: CollectedBundle[] = [];
  if (iterate === undefined) {
    const bundle = evaluateOutput(webhook.output, context.scope['body'], context);
    if (bundle !== undefined && bundle !== null) bundles.push({ bundle, uid });
    return { bundles, items: undefined, accepted: 1 };
  }
  const items = readContainer(iterate, context);
  if (items.length > maxItems) throw tooManyItems(items.length, maxItems, webhook, iterate, context);
  const { itemContext, setItem } = createItemContext(context);
  let accepted = 0;
  for (const item of items) {
    throwIfAborted(context);
    setItem(item);
    if (!evaluateFlag(iterate.condition, true, itemContext)) continue;
    accepted++;
    const bundle = evaluateOutput(webhook.output, item, itemContext);
    if (bundle === undefined || bundle === null) continue;
    bundles.push({ bundle, uid: isShared ? (uid ?? evaluateUid(webhook, itemContext)) : undefined });
  }
  return { bundles, items: items.length, accepted };
}

function evaluateOutput(output: Directive | undefined, item: unknown, at: RunContext): unknown {
  return output === undefined ? item : evaluateDirective(output, at);
}

function tooManyItems(
  count: number,
  maxItems: number,
  { document }: CompiledWebhook,
  { container }: CompiledIterate,
  context: RunContext,
): Error {
  const message = `The payload has ${count} items. The limit is ${maxItems}.`;
  return runError('RuntimeError', message, context, { place: document.locationOf(container.pointer) });
}

/**
 * The `uid` of a shared hook as text; undefined if it evaluates to nothing or to a value that cannot be a uid, such as a
 * collection. Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks: compared as
 * strings. [inf]
 *
 * @throws AppError of type DataError for a number that is not exact: its text could be the uid of another user
 */
export function evaluateUid({ uid, document }: CompiledWebhook, context: RunContext): string | undefined {
  const value = evaluateDirective(uid, context);
  if (isUnsafeNumber(value)) {
    const message = `The uid ${value} is a number that JSON does not carry exactly. The API has to send it as text.`;
    throw runError('DataError', message, context, { place: document.locationOf(uid?.pointer ?? '/uid') });
  }
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? toText(value) || undefined : undefined;
}

/**
 * Groups the bundles of a shared hook by recipient, in order of their first bundle. Drops bundles without a uid, and
 * bundles whose uid no connection has.
 *
 * @param connections undefined if the caller finds the recipients: then every uid stays, without recipients
 */
export async function routeBundles(
  collected: readonly CollectedBundle[],
  connections: Recipients | undefined,
): Promise<readonly Delivery[]> {
  const groups = new Map<string, unknown[]>();
  for (const { uid, bundle } of collected) {
    if (uid === undefined) continue;
    const group = groups.get(uid);
    if (group === undefined) groups.set(uid, [bundle]);
    else group.push(bundle);
  }
  const find = typeof connections === 'function' ? connections : indexIds(connections ?? []);
  const deliveries: Delivery[] = [];
  for (const [uid, bundles] of groups) {
    const recipients = await find(uid);
    if (recipients.length > 0 || connections === undefined) deliveries.push({ uid, recipients, bundles });
  }
  return deliveries;
}

/** The bundles that have a recipient, in order; all bundles of a dedicated hook. */
export function selectDelivered(
  collected: readonly CollectedBundle[],
  deliveries: readonly Delivery[] | undefined,
): readonly unknown[] {
  const uids = deliveries && new Set<string | undefined>(deliveries.map(({ uid }) => uid));
  return collected.filter(({ uid }) => uids?.has(uid) ?? true).map(({ bundle }) => bundle);
}

/** The ids of connections by uid. A connection whose uid is not exact is left out: the uid could be that of another user. */
function indexIds(connections: readonly Recipient[]): (uid: string) => readonly string[] {
  const ids = new Map<string, string[]>();
  for (const { id, uid } of connections) {
    if (isUnsafeNumber(uid)) continue;
    const text = toText(uid);
    const known = ids.get(text);
    if (known === undefined) ids.set(text, [id]);
    else known.push(id);
  }
  return (uid) => ids.get(uid) ?? [];
}

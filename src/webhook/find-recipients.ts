import { toText } from '../iml/values/coerce.js';
import { evaluateDirective } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import type { Turns } from '../util/turns.js';
import type { CompiledWebhook } from './compile-webhook.js';

/** A connection as far as routing needs it. */
export interface Recipient {
  readonly id: string;
  /** What `info.response.uid` gave; text or a number. */
  readonly uid: unknown;
}

/** The connections an event is routed to: all there are, or a function that finds their ids by uid. */
export type Recipients =
  | readonly Recipient[]
  | ((uid: string) => readonly string[] | Promise<readonly string[]>);

/** What one user of a shared hook gets. */
export interface Delivery {
  readonly uid: string;
  /** Ids of the connections with this uid. */
  readonly recipients: readonly string[];
  readonly bundles: readonly unknown[];
}

/** A bundle on its way to whoever has the uid. */
export interface RoutedBundle {
  readonly uid: string;
  readonly bundle: unknown;
}

/**
 * The `uid` of a shared hook in the scope as it is now; undefined where it evaluates to nothing, or to what no uid can
 * be: a collection would match every other one by its text.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks: compared as strings. [inf]
 */
export function evaluateUid(webhook: CompiledWebhook, context: RunContext): string | undefined {
  const value = evaluateDirective(webhook.uid, context);
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? toText(value) || undefined : undefined;
}

/**
 * Finds who gets which bundles, in order of their first bundle. A uid nobody has is left out.
 *
 * @param connections undefined where the caller finds the recipients: then every uid stays, with none
 */
export async function findRecipients(
  routed: readonly RoutedBundle[],
  connections: Recipients | undefined,
  turns: Turns,
): Promise<readonly Delivery[]> {
  const bundles = new Map<string, unknown[]>();
  for (const { uid, bundle } of routed) {
    if (turns.isOver) await turns.next();
    const list = bundles.get(uid);
    if (list === undefined) bundles.set(uid, [bundle]);
    else list.push(bundle);
  }
  const find = typeof connections === 'function' ? connections : await listIds(connections ?? [], turns);
  const deliveries: Delivery[] = [];
  for (const [uid, list] of bundles) {
    if (turns.isOver) await turns.next();
    const found = find(uid);
    const recipients = found instanceof Promise ? await found : found;
    if (recipients.length > 0 || connections === undefined)
      deliveries.push({ uid, recipients, bundles: list });
  }
  return deliveries;
}

/** The ids of connections, by their uid. */
async function listIds(
  connections: readonly Recipient[],
  turns: Turns,
): Promise<(uid: string) => readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, uid } of connections) {
    if (turns.isOver) await turns.next();
    const text = toText(uid);
    const known = ids.get(text);
    if (known === undefined) ids.set(text, [id]);
    else known.push(id);
  }
  return (uid) => ids.get(uid) ?? [];
}

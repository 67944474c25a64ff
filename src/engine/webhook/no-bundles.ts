import { describeType } from '../../language/values/value-kind.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import type { Directive } from '../document/compile-directive.js';
import type { RunContext } from '../run/run-context.js';
import type { CollectedBundles, Delivery } from './collect-bundles.js';
import type { CompiledWebhook, ConditionPath } from './compile-webhook.js';

/** Why a call that was processed has no bundles. */
export interface NoBundles {
  /**
   * `verification`: the call is a verification request. `condition`: the condition of the webhook is false, and it has no
   * default. `list`: the list of `iterate` is empty. `item-condition`: no item meets the condition of `iterate`.
   * `output`: `output` evaluates to nothing, or the call has no body. `uid`: `uid` evaluates to nothing. `recipient`: no
   * connection has the uid.
   */
  readonly reason: 'verification' | 'condition' | 'list' | 'item-condition' | 'output' | 'uid' | 'recipient';
  /** The reason as a sentence; secrets are redacted. */
  readonly message: string;
  /** Source location of the directive that decided. */
  readonly place: SourceLocation;
  /** The paths that a false condition reads, with their values as text. Secrets are redacted. Empty for other reasons. */
  readonly values: readonly ConditionValue[];
}

/** A path of an expression and its value. */
export interface ConditionValue {
  readonly path: string;
  /** A text in quotes, a number or another scalar, or the type of the value. */
  readonly value: string;
}

const MESSAGES: Readonly<Record<NoBundles['reason'], string>> = {
  verification: 'The call is a verification request.',
  condition: 'The condition is false',
  list: 'The list of iterate is empty.',
  'item-condition': 'No item meets the condition of iterate.',
  output: 'The output evaluates to nothing.',
  uid: 'The uid evaluates to nothing.',
  recipient: 'No connection has the uid of the event.',
};

/** Explains a call without bundles. */
export function explainNoBundles(
  reason: NoBundles['reason'],
  webhook: CompiledWebhook,
  context: RunContext,
): NoBundles {
  const { document, verification, condition, iterate, output, uid } = webhook;
  const directives: Readonly<Record<NoBundles['reason'], Directive | undefined>> = {
    verification: verification?.condition,
    condition: condition?.test,
    list: iterate?.container,
    'item-condition': iterate?.condition,
    output,
    uid,
    recipient: uid,
  };
  const place = document.locationOf(directives[reason]?.pointer ?? '');
  if (reason !== 'condition') return { reason, message: MESSAGES[reason], place, values: [] };
  const values = webhook.conditionPaths().map((path) => readValue(path, context));
  const shown = values.map(({ path, value }) => `${path} is ${value}`).join(', ');
  return { reason, message: `${MESSAGES[reason]}${shown === '' ? '' : `: ${shown}`}.`, place, values };
}

/**
 * The reason if no bundle was collected, or none of them was delivered.
 *
 * @param isAccepted whether the condition of the webhook holds
 */
export function findReason(
  isAccepted: boolean,
  { bundles, items, accepted }: CollectedBundles,
  deliveries: readonly Delivery[] | undefined,
): NoBundles['reason'] {
  if (!isAccepted && bundles.length === 0) return 'condition';
  if (items === 0) return 'list';
  if (accepted === 0) return 'item-condition';
  if (bundles.length === 0 || deliveries === undefined) return 'output';
  return bundles.some(({ uid }) => uid !== undefined) ? 'recipient' : 'uid';
}

/** Characters of a text that are shown. */
const MAX_TEXT = 100;

function readValue({ path, name, evaluate }: ConditionPath, context: RunContext): ConditionValue {
  const value = attempt(() => evaluate(context.scope));
  if (typeof value === 'number' || typeof value === 'boolean') return { path, value: String(value) };
  if (typeof value !== 'string') return { path, value: describeType(value) };
  const redacted = context.run.log.redactor.value({ [name]: value }) as Readonly<Record<string, unknown>>;
  const text = String(redacted[name]);
  return { path, value: JSON.stringify(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text) };
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

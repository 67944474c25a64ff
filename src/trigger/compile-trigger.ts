import type { ItemId } from '../component/trigger-data.js';
import type { Directive } from '../document/compile/compile-directive.js';
import type { CompiledRequest, CompiledTrigger } from '../document/compile/compiled-request.js';
import { TRIGGER_ORDERS, TRIGGER_TYPES } from '../document/shapes/directive-values.js';
import type { Place } from '../errors/place.js';
import { readDate } from '../iml/date/read-date.js';
import { isDate, toText } from '../iml/values/coerce.js';
import { describeType } from '../iml/values/value-kind.js';
import type { ItemKey } from '../run/response/collect-outputs.js';
import { atDirective, evaluateDirective, runError } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';
import type { ItemPosition, TriggerOrder, TriggerType } from './trigger-state.js';

/**
 * `response.trigger` of the request that polls.
 *
 * @throws AppError of type InvalidConfigurationError where there is none, and where there is no url to poll
 */
export function compileTrigger(request: CompiledRequest, context: RunContext): CompiledTrigger {
  const { response, document, isStatic } = request;
  if (isStatic) throw specError('A polling trigger needs a url to poll.', document.placeOf(''), context);
  if (response.trigger !== undefined) return response.trigger;
  throw specError('A polling trigger needs response.trigger.', document.placeOf('/response'), context);
}

function specError(message: string, place: Place, context: RunContext): Error {
  return runError('InvalidConfigurationError', message, context, { place });
}

/**
 * `trigger.type`; undefined where it evaluates to nothing yet. Not written: `date` if there is a date, else `id`. [choice]
 *
 * @throws AppError of type InvalidConfigurationError for any other value
 */
export function readTriggerType(trigger: CompiledTrigger, context: RunContext): TriggerType | undefined {
  if (trigger.type === undefined) return trigger.date === undefined ? 'id' : 'date';
  return readWord(trigger.type, TRIGGER_TYPES, context);
}

/**
 * `trigger.order`. Without one nothing is known about the order, so all pages are read. [choice]
 *
 * @throws AppError of type InvalidConfigurationError for any other value
 */
export function readTriggerOrder(trigger: CompiledTrigger, context: RunContext): TriggerOrder {
  return readWord(trigger.order, TRIGGER_ORDERS, context) ?? 'unordered';
}

function readWord<Word extends string>(
  directive: Directive | undefined,
  words: readonly Word[],
  context: RunContext,
): Word | undefined {
  const text = toText(evaluateDirective(directive, context)).trim().toLowerCase();
  if (directive === undefined || text === '') return undefined;
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  const place = context.document?.placeOf(directive.pointer);
  const message = `One of ${words.join(', ')} is expected, not ${JSON.stringify(text.slice(0, 80))}.`;
  throw runError('InvalidConfigurationError', message, context, { place });
}

/**
 * What identifies an item. One without id, or without date in a trigger by date, cannot be told from others: it gives
 * undefined, and a warning, as does a draft without a date of publication. [choice]
 *
 * @throws AppError of type RuntimeError for a date that cannot be read
 */
export function readItemKey(
  key: ItemKey,
  trigger: CompiledTrigger,
  type: TriggerType,
  context: RunContext,
): ItemPosition | undefined {
  const id = readId(key.id);
  const dateMs = type === 'id' ? 0 : readItemDate(key.date, trigger.date, context);
  if (id !== undefined && dateMs !== undefined) return { id, dateMs };
  const what = id === undefined ? 'id' : 'date';
  const place = context.document?.placeOf(trigger[what]?.pointer ?? '/response/trigger');
  const message = `Items without ${what} are left out: trigger.${what} gives nothing for them.`;
  context.warnOnce({ code: 'trigger-key', message, place });
  return undefined;
}

function readId(value: unknown): ItemId | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'object' && !isDate(value)) return undefined;
  return toText(value) || undefined;
}

function readItemDate(
  value: unknown,
  directive: Directive | undefined,
  context: RunContext,
): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const date = atDirective(directive, context, () => readDate(value, readTimezone(context)));
  if (date !== undefined) return date.getTime();
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : describeType(value);
  const message = `trigger.date has to give a date, not ${shown}. parseDate reads dates in other forms, "X" being Unix time.`;
  const place = directive && context.document?.placeOf(directive.pointer);
  throw runError('RuntimeError', message, context, { place });
}

function readTimezone(context: RunContext): string {
  const environment = context.scope['environment'];
  const timezone = isPlainObject(environment) ? ownMember(environment, 'timezone') : undefined;
  return typeof timezone === 'string' ? timezone : 'UTC';
}

import { readDate } from '../../language/date/read-date.js';
import { describeType, isDate, toText } from '../../language/values/value.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import type { ItemId } from '../component/trigger-data.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest, CompiledTrigger } from '../document/compiled-request.js';
import { TRIGGER_ORDERS, TRIGGER_TYPES } from '../document/directive-values.js';
import type { ItemKey } from '../run/collect-outputs.js';
import { atDirective, evaluateText, runError } from '../run/evaluate-directive.js';
import { type RunContext, warnOnce } from '../run/run-context.js';
import type { ItemPosition, TriggerOrder, TriggerType } from './trigger-state.js';

/**
 * Returns `response.trigger` of the polling request.
 *
 * @throws AppError of type InvalidConfigurationError without `response.trigger` or url
 */
export function compileTrigger(request: CompiledRequest, context: RunContext): CompiledTrigger {
  const { response, document, isStatic } = request;
  if (isStatic) throw specError('A polling trigger needs a url to poll.', document.locationOf(''), context);
  if (response.trigger !== undefined) return response.trigger;
  throw specError('A polling trigger needs response.trigger.', document.locationOf('/response'), context);
}

function specError(message: string, place: SourceLocation, context: RunContext): Error {
  return runError('InvalidConfigurationError', message, context, { place });
}

/**
 * Evaluates `trigger.type`; undefined if its value is empty so far. Default: `date` if `date` is set, else `id`.
 * [choice]
 *
 * @throws AppError of type InvalidConfigurationError for any other value
 */
export function readTriggerType(trigger: CompiledTrigger, context: RunContext): TriggerType | undefined {
  if (trigger.type === undefined) return trigger.date === undefined ? 'id' : 'date';
  return readWord(trigger.type, TRIGGER_TYPES, context);
}

/**
 * Evaluates `trigger.order`. Default: `unordered`, which reads all pages. [choice]
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
  const text = evaluateText(directive, context)?.trim().toLowerCase() ?? '';
  if (directive === undefined || text === '') return undefined;
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  const place = context.position.document?.locationOf(directive.pointer);
  const message = `Expected one of ${words.join(', ')}, got ${JSON.stringify(text.slice(0, 80))}.`;
  throw runError('InvalidConfigurationError', message, context, { place });
}

/**
 * Returns id and date of an item. Returns undefined, with a warning, without an id and, for a trigger by date, without
 * a date, as for drafts. [choice]
 *
 * @param index 0-based index of the item on its page
 * @throws AppError: RuntimeError for an invalid date, DataError for an id that JSON rounded
 */
export function readItemKey(
  key: ItemKey,
  index: number,
  { trigger, type }: { readonly trigger: CompiledTrigger; readonly type: TriggerType },
  context: RunContext,
): ItemPosition | undefined {
  if (isRounded(key.id)) throw roundedId(key.id, index, trigger, context);
  const id = readId(key.id);
  const dateMs = type === 'id' ? 0 : readItemDate(key.date, trigger.date, context);
  if (id !== undefined && dateMs !== undefined) return { id, dateMs };
  const what = id === undefined ? 'id' : 'date';
  const place = context.position.document?.locationOf(trigger[what]?.pointer ?? '/response/trigger');
  const message = `Items without ${what} are skipped: trigger.${what} is empty.`;
  warnOnce({ code: 'trigger-key', message, place }, context);
  return undefined;
}

/** JSON rounds integers above 2^53: two items could get the same id. */
function isRounded(id: unknown): id is number {
  return typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER;
}

function roundedId(id: number, index: number, trigger: CompiledTrigger, context: RunContext): Error {
  const item = `item ${index + 1} of page ${context.position.page}`;
  const message = `trigger.id of ${item} is the number ${id}, which exceeds the exact range of JSON numbers. Use text.`;
  return runError('DataError', message, context, {
    place: context.position.document?.locationOf(trigger.id?.pointer ?? ''),
  });
}

function readId(value: unknown): ItemId | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'object' && !isDate(value)) return undefined;
  return toText(value) || undefined;
}

/**
 * Returns the date of an item in milliseconds since the epoch; undefined without a date.
 *
 * @param value evaluated `trigger.date`
 * @throws AppError of type RuntimeError for an invalid date
 */
function readItemDate(
  value: unknown,
  directive: Directive | undefined,
  context: RunContext,
): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const date = atDirective(directive, context, () => readDate(value, readTimezone(context)));
  if (date !== undefined) return date.getTime();
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : describeType(value);
  const message = `trigger.date has to be a date, not ${shown}. Use parseDate for other formats, such as "X" for Unix time.`;
  const place = directive && context.position.document?.locationOf(directive.pointer);
  throw runError('RuntimeError', message, context, { place });
}

function readTimezone(context: RunContext): string {
  const environment = context.scope['environment'];
  const timezone = isPlainObject(environment) ? ownMember(environment, 'timezone') : undefined;
  return typeof timezone === 'string' ? timezone : 'UTC';
}

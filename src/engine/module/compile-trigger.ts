import type { SourceLocation } from '../../shared/errors/source-location.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest, CompiledTrigger } from '../document/compiled-request.js';
import { TRIGGER_ORDERS, TRIGGER_TYPES } from '../document/directive-values.js';
import { evaluateText, runError } from '../run/evaluate-directive.js';
import type { RunContext } from '../run/run-context.js';
import type { TriggerOrder, TriggerType } from './trigger-state.js';

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

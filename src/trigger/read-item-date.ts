import type { Directive } from '../document/compile/compile-directive.js';
import { readDate } from '../iml/date/read-date.js';
import { describeType } from '../iml/values/value-kind.js';
import { atDirective, runError } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';

/**
 * When an item of a polling trigger happened, in milliseconds since the epoch; undefined for one without a date.
 *
 * @param value what `trigger.date` gave
 * @throws AppError of type RuntimeError for what cannot be read as a date
 */
export function readItemDate(
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

import type { PlainObject } from '../../util/plain-object.js';

/** The record an object is made of just now: one that shows its own members only. */
let record: object | undefined;

/**
 * Whether all that an object shows under a name that `Object.prototype` lacks is its own: its prototype decides, whatever
 * `constructor` says. To ask for the prototype is a call into the engine, unless the engine knows the shape of the object by
 * then; a name read before, as `constructor` is, tells it, where no more than four shapes pass.
 */
export function showsOwn(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false;
  if (value === record) return true;
  if ((value as PlainObject)['constructor'] === Object && Object.getPrototypeOf(value) === Object.prototype)
    return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Runs what reads one record over and over, so that it is looked at once. It has to be done before anybody can change
 * the prototype of the record; the evaluation of an object is.
 *
 * @param source a record for which `showsOwn` holds; undefined where there is none
 */
export function withRecord<Input, Output>(
  source: PlainObject | undefined,
  run: (source: PlainObject | undefined, input: Input) => Output,
  input: Input,
): Output {
  const outer = record;
  record = source;
  try {
    return run(source, input);
  } finally {
    record = outer;
  }
}

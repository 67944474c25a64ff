import { RESPONSE_TYPES } from '../../document/shapes/directive-values.js';
import { SpecError } from '../../errors/engine-error.js';
import { describeType } from '../../iml/values/value-kind.js';
import { isPlainObject } from '../../util/plain-object.js';
import { didYouMean } from '../../util/suggest.js';

export type ResponseType = (typeof RESPONSE_TYPES)[number];

/**
 * The type that holds for a status: a name, or by status under keys `*` (1 to 999), `NNN` and `NNN-NNN`.
 * Both ends of a range are inside it; the narrowest range wins, of equal ones the first. Nothing fitting: automatic.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 *
 * @param spec evaluated; undefined, null and empty text are automatic
 * @throws SpecError SPEC_INVALID for a type that does not exist
 */
export function selectResponseType(spec: unknown, status: number): ResponseType {
  if (!isPlainObject(spec)) return readResponseType(spec);
  let narrowest = Number.POSITIVE_INFINITY;
  let selected: unknown;
  for (const [key, type] of Object.entries(spec)) {
    const range = readRange(key);
    if (range === undefined || status < range.from || status > range.to) continue;
    if (range.to - range.from < narrowest) {
      narrowest = range.to - range.from;
      selected = type;
    }
  }
  return readResponseType(selected);
}

function readRange(key: string): { from: number; to: number } | undefined {
  if (key.trim() === '*') return { from: 1, to: 999 };
  const match = /^\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*$/.exec(key);
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return { from: Math.min(from, to), to: Math.max(from, to) };
}

function readResponseType(type: unknown): ResponseType {
  if (type === undefined || type === null || type === '') return 'automatic';
  const found = RESPONSE_TYPES.find((name) => name === type);
  if (found !== undefined) return found;
  const shown = typeof type === 'string' ? JSON.stringify(type.slice(0, 80)) : describeType(type);
  const hint = typeof type === 'string' ? didYouMean(type, RESPONSE_TYPES) : '';
  throw new SpecError(
    'SPEC_INVALID',
    `The response type is ${shown}; it must be one of ${RESPONSE_TYPES.join(', ')}.${hint}`,
  );
}

import { isPlainObject } from '../plain-object.js';

/** A wrong copy of a case and its change. */
export interface Mutant {
  /** The changed place, with `*` for indices: `expect.bundles.*.id`. */
  readonly place: string;
  readonly what: string;
  readonly entry: unknown;
}

type Path = readonly (string | number)[];

/** Objects whose members are part of the format: an unknown member must fail the case. */
const CLOSED = [
  /^$/,
  /^(?:app|component|input|server|expect)$/,
  /^(?:app\.webhook|input\.request|input\.(?:events|connections)\.\*|exchanges\.\*)$/,
  /^exchanges\.\*\.(?:request|response|request\.parts\.\*)$/,
  /^expect\.(?:error|respond|authorizeUrl|states\.\*)$/,
];

/** Members that exclude values: another text in them expects less. They have separate mutants. */
const ABSENCES = /^(?:expect\.logExcludes|exchanges\.\*\.request\.headersAbsent)(?:\.|$)/;

/**
 * Wrong copies of a fixture: another value at every leaf of the expectation and the requests, one item more or less
 * in every list, one exchange more or less, an error that does not occur, an unknown member and an unknown kind.
 */
export function* mutateFixture(fixture: Readonly<Record<string, unknown>>): Generator<Mutant> {
  const expectations = Object.keys(fixture).includes('exchanges') ? ['expect', 'exchanges'] : ['expect'];
  for (const [path, value] of walk(fixture, [])) {
    const place = locationOf(path);
    if (isPlainObject(value) && CLOSED.some((pattern) => pattern.test(place))) {
      yield mutant(fixture, path, 'an unknown member', { ...value, unheardOf: 1 });
    }
    if (!expectations.includes(String(path[0])) || /^exchanges\.\*\.response/.test(place)) continue;
    if (!ABSENCES.test(place)) yield* changed(fixture, path, value);
  }
  yield* absences(fixture);
  yield mutant(fixture, ['kind'], 'an unknown kind', 'unheardOf');
  if (!isPlainObject(fixture['expect']) || 'error' in fixture['expect']) return;
  yield mutant(fixture, ['expect', 'error'], 'an error that does not come', {});
}

function* changed(fixture: object, path: Path, value: unknown): Generator<Mutant> {
  if (Array.isArray(value)) {
    yield mutant(fixture, path, 'one more', [...value, value.at(-1) ?? null]);
    if (value.length > 0) yield mutant(fixture, path, 'one less', value.slice(0, -1));
  } else if (isPlainObject(value)) {
    if (path.length > 1 && Object.keys(value).length === 0 && !CLOSED.some((p) => p.test(locationOf(path))))
      yield mutant(fixture, path, 'a member', { unheardOf: 1 });
  } else yield mutant(fixture, path, 'another value', otherValue(value));
}

function* absences(fixture: Readonly<Record<string, unknown>>): Generator<Mutant> {
  const { expect, exchanges } = fixture;
  if (isPlainObject(expect) && 'logExcludes' in expect)
    yield mutant(fixture, ['expect', 'logExcludes'], 'a text of every log', ['"kind"']);
  if (!Array.isArray(exchanges)) return;
  for (const [index, exchange] of exchanges.entries()) {
    if (!isPlainObject(exchange) || !isPlainObject(exchange['request'])) continue;
    const { headers, headersAbsent } = exchange['request'];
    if (headersAbsent === undefined || !isPlainObject(headers)) continue;
    const path = ['exchanges', index, 'request', 'headersAbsent'];
    yield mutant(fixture, path, 'a header that is there', Object.keys(headers).slice(0, 1));
  }
}

/** Copies of a vector that are wrong. */
export function* mutateVector(vector: Readonly<Record<string, unknown>>): Generator<Mutant> {
  yield mutant(vector, [], 'an unknown member', { ...vector, unheardOf: 1 });
  const { expect, error, errorMessage, ...rest } = vector;
  yield mutant(vector, [], 'nothing expected', rest);
  if (error !== undefined) {
    const kinds = ['unknown-function', 'function-error', 'syntax'];
    yield mutant(vector, ['error'], 'another kind', kinds[(kinds.indexOf(String(error)) + 1) % kinds.length]);
    yield mutant(vector, ['error'], 'an unknown kind', 'unheardOf');
    yield mutant(vector, [], 'a value instead of an error', { ...rest, expect: null });
    if (errorMessage !== undefined)
      yield mutant(vector, ['errorMessage'], 'another text', `${String(errorMessage)}~`);
    return;
  }
  yield mutant(vector, [], 'an error instead of a value', { ...rest, error: 'function-error' });
  for (const [path, value] of walk(expect, ['expect'])) {
    if (typeof path.at(-1) === 'string' && String(path.at(-1)).startsWith('$')) continue;
    const isTagged = isPlainObject(value) && Object.keys(value).some((name) => name.startsWith('$'));
    if (isTagged) yield mutant(vector, path, 'another value', 'unheardOf');
    else yield* changed(vector, path, value);
  }
}

function otherValue(value: unknown): unknown {
  if (typeof value === 'string') return `${value}~`;
  // Far enough away to be no rounding of it.
  if (typeof value === 'number') return value + Math.max(1, Math.abs(value));
  return typeof value === 'boolean' ? !value : 'unheardOf';
}

function* walk(value: unknown, path: Path): Generator<[Path, unknown]> {
  yield [path, value];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* walk(item, [...path, index]);
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* walk(member, [...path, name]);
  }
}

function locationOf(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? '*' : step)).join('.');
}

function mutant(entry: unknown, path: Path, what: string, value: unknown): Mutant {
  return { place: locationOf(path), what, entry: replaced(entry, path, value) };
}

/** A copy with another value at a place. */
function replaced(entry: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(entry)) {
    return entry.map((item, index) => (index === step ? replaced(item, rest, value) : item));
  }
  const object = isPlainObject(entry) ? entry : {};
  return { ...object, [step]: replaced(object[step], rest, value) };
}

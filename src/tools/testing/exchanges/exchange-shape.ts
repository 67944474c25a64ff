import { ANY_LIST, checkValue } from '../../../shared/errors/check-options.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import {
  flag,
  freeForm,
  integer,
  list,
  number,
  object,
  oneOf,
  type Schema,
  text,
} from '../../../shared/schema/build.js';
import { compileSchema } from '../../../shared/schema/compile-schema.js';
import type { SchemaCheck } from '../../../shared/schema/schema-check.js';
import { didYouMean } from '../../../shared/suggest.js';
import { MATCHER_NAMES } from '../matching/matchers.js';
import type { Exchange, ScriptedResponse } from './exchange.js';

/** For objects without unknown members. */
export const CLOSED = { additionalProperties: false } as const;

/** Any JSON value. */
export const ANY: Schema<unknown> = {};

export const TEXTS: Schema<Readonly<Record<string, unknown>>> = freeForm({
  additionalProperties: { type: 'string' },
});
export const BASE64: Schema<string> = text({
  pattern: '^[A-Za-z0-9+/]*={0,2}$',
  description: 'must be Base64',
});

/** An object of matchers in place of a value. */
const MATCHER = freeForm({ propertyNames: { enum: MATCHER_NAMES }, minProperties: 1 });

/** The schema of a value, or of an object of matchers in its place. */
export function orMatcher<T>(schema: Schema<T>): Schema<unknown> {
  return { anyOf: [schema, MATCHER] };
}

/** Headers of a response: text, or a list of texts for repeated names. */
const PAIRS = freeForm({
  additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
});

/** Query parameters and form fields: a text, boolean, number or list, or an object of matchers. */
const LOOSE_PAIRS = freeForm({
  additionalProperties: {
    anyOf: [{ type: ['string', 'boolean', 'number'] }, { type: 'array' }, MATCHER],
  },
});

const PART = object(
  { name: text() },
  {
    text: orMatcher(text()),
    base64: orMatcher(BASE64),
    filename: orMatcher(text()),
    contentType: orMatcher(text()),
  },
  CLOSED,
);

const REQUEST_MEMBERS = {
  method: orMatcher(text()),
  url: orMatcher(text()),
  query: LOOSE_PAIRS,
  headers: freeForm({ additionalProperties: orMatcher(text()) }),
  headersMatch: TEXTS,
  headersAbsent: list(text()),
  body: ANY,
  bodyText: orMatcher(text()),
  bodyBase64: orMatcher(BASE64),
  form: LOOSE_PAIRS,
  parts: list(PART),
  bodyAbsent: flag(),
};

const RESPONSE_MEMBERS = {
  status: integer({ minimum: 100, maximum: 999 }),
  headers: PAIRS,
  body: ANY,
  bodyText: text(),
  bodyBase64: BASE64,
  encoding: oneOf(['gzip']),
  networkError: text({ minLength: 1 }),
  delayMs: number({ minimum: 0 }),
};

/** A request and its response, as in files. */
export const EXCHANGE: Schema<unknown> = object(
  {},
  {
    request: object({}, REQUEST_MEMBERS, CLOSED),
    response: object({}, RESPONSE_MEMBERS, CLOSED),
    repeat: flag(),
  },
  CLOSED,
);

/** An exchange of a case, whose bodies can be in separate files. */
export const CASE_EXCHANGE: Schema<unknown> = object(
  {},
  {
    request: object({}, { ...REQUEST_MEMBERS, bodyFile: text({ minLength: 1 }) }, CLOSED),
    response: object({}, { ...RESPONSE_MEMBERS, bodyFile: text({ minLength: 1 }) }, CLOSED),
    repeat: flag(),
  },
  CLOSED,
);

/** Compiled on first use. */
let checkList: SchemaCheck | undefined;

/**
 * Checks exchanges of a caller.
 *
 * @throws EngineError (USAGE) that names the first invalid member
 */
export function checkExchanges(exchanges: readonly Exchange[], what: string): void {
  checkValue(exchanges, ANY_LIST, what);
  checkList ??= compileSchema(list(EXCHANGE));
  const [invalid] = checkList(exchanges);
  const hint = invalid?.unknown && didYouMean(invalid.unknown.name, invalid.unknown.known);
  const problem =
    invalid === undefined
      ? exchangeProblems(exchanges)[0]
      : `${['exchanges', ...invalid.path].join('.')} ${invalid.message}`;
  if (problem !== undefined) throw new EngineError('USAGE', `${what}: ${problem}.${hint ?? ''}`);
}

/** Members for the body of a response; at most one is allowed. */
export const RESPONSE_BODIES: readonly string[] = ['body', 'bodyText', 'bodyBase64'];

/** Problems of valid exchanges: members that exclude or require each other. */
export function exchangeProblems(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(({ request, response, repeat }, index) => [
    ...responseProblems(`exchanges.${index}.response`, response),
    ...(request?.parts ?? []).flatMap((part, at) =>
      exactlyOne(`exchanges.${index}.request.parts.${at}`, part, ['text', 'base64']),
    ),
    ...(repeat === true && index < exchanges.length - 1
      ? [`exchanges.${index}.repeat is allowed only in the last exchange: later ones would never be used`]
      : []),
  ]);
}

function responseProblems(place: string, response: ScriptedResponse | undefined): readonly string[] {
  const others = Object.keys(response ?? {}).filter((name) => name !== 'networkError' && name !== 'delayMs');
  const isAlone = response?.networkError === undefined || others.length === 0;
  return [
    ...atMostOne(place, response, RESPONSE_BODIES),
    ...(isAlone ? [] : [`${place}: where networkError is, there is no ${others.join(' and no ')}`]),
  ];
}

/** Reports several members that exclude each other. */
export function atMostOne(
  place: string,
  value: object | undefined,
  names: readonly string[],
): readonly string[] {
  const present = names.filter((name) => Object.hasOwn(value ?? {}, name));
  return present.length > 1 ? [`${place} has ${present.join(' and ')}, which exclude each other`] : [];
}

/** Reports anything but exactly one of the members. */
export function exactlyOne(place: string, value: object, names: readonly string[]): readonly string[] {
  const isMissing = names.every((name) => !Object.hasOwn(value, name));
  return isMissing ? [`${place} needs ${names.join(' or ')}`] : atMostOne(place, value, names);
}

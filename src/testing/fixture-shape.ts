import { flag, freeForm, integer, list, number, object, oneOf, type Schema, text } from '../schema/build.js';
import { compileSchema, type SchemaProblem } from '../schema/compile-schema.js';
import type { PlainObject } from '../util/plain-object.js';
import type { Fixture, FixtureKind, ScriptedResponse } from './fixture.js';

/*
 * What vectors and fixtures may hold. A member nobody checks would let a case pass that asks for more than was looked
 * at, so whatever is not known here makes its case fail. Source: conformance/README.md, runtime/README.md, apps/README.md.
 */

const CLOSED = { additionalProperties: false };

/** Any JSON value. */
const ANY: Schema<unknown> = {};

/** The component types an app file names, each with the kinds of runs it has. */
const KINDS: Readonly<Record<string, readonly FixtureKind[]>> = {
  module: ['action', 'search', 'trigger', 'epoch', 'instant_trigger', 'responder'],
  rpc: ['rpc'],
  connection: ['connection', 'oauth1', 'oauth2', 'oauth2-refresh', 'oauth2-invalidate'],
  webhook: ['webhook', 'attach', 'detach', 'update'],
};

const ALL_KINDS: readonly FixtureKind[] = [...Object.values(KINDS).flat(), 'scenario'];

const TEXTS = freeForm({ additionalProperties: { type: 'string' } });
/** Query parameters and form fields: text, or a list of texts for a repeated name. */
const PAIRS = freeForm({
  additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
});
const BASE64 = text({ pattern: '^[A-Za-z0-9+/]*={0,2}$', description: 'must be Base64' });
const COUNT = integer({ minimum: 0 });
/** Text, or a list of texts, that only tells people something. */
const REMARK = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };

const APP = object(
  {},
  {
    ...{ base: ANY, common: ANY, communication: ANY, epoch: ANY, params: ANY, defaultScope: ANY },
    endpoints: freeForm(),
    webhook: object({}, { type: oneOf(['web', 'web-shared']), communication: ANY }, CLOSED),
  },
  CLOSED,
);

const INCOMING = object(
  { method: text({ minLength: 1 }) },
  { query: freeForm(), headers: TEXTS, body: ANY, bodyText: text(), bodyBase64: BASE64 },
  CLOSED,
);

/** One of: it went well, it failed, or something else happened to the scenario. */
const EVENT = object(
  {},
  {
    ok: { const: true },
    error: text({ minLength: 1 }),
    event: oneOf(['started', 'success', 'warning', 'rollback', 'turned-on', 'turned-off']),
    delay: number({ minimum: 0 }),
    storageFull: flag(),
    firstModule: flag(),
  },
  CLOSED,
);

const INPUT = object(
  {},
  {
    ...{ parameters: freeForm(), connection: freeForm(), data: freeForm(), webhook: freeForm() },
    ...{ oauth: freeForm(), query: freeForm(), settings: freeForm(), payload: ANY },
    start: oneOf(['all', 'now', 'newest']),
    scopes: list(text()),
    expires: text(),
    now: text({ format: 'date-time' }),
    request: INCOMING,
    connections: list(object({ id: text(), uid: ANY }, {}, CLOSED)),
    events: list(EVENT),
    firstModule: flag(),
    clock: oneOf(['virtual']),
  },
  CLOSED,
);

const PART = object(
  { name: text() },
  { text: text(), base64: BASE64, filename: text(), contentType: text() },
  CLOSED,
);

const REQUEST = object(
  {},
  {
    ...{ method: text(), url: text(), query: PAIRS, headers: TEXTS, headersMatch: TEXTS },
    headersAbsent: list(text()),
    ...{ body: ANY, bodyText: text(), form: PAIRS, parts: list(PART), bodyAbsent: flag() },
  },
  CLOSED,
);

const RESPONSE = object(
  {},
  {
    status: integer({ minimum: 100, maximum: 999 }),
    headers: PAIRS,
    ...{ body: ANY, bodyText: text(), bodyBase64: BASE64 },
    encoding: oneOf(['gzip']),
    networkError: text({ minLength: 1 }),
  },
  CLOSED,
);

const SERVER = object(
  {
    ...{ kind: oneOf(['pages']), path: text(), pageParam: text(), itemsKey: text() },
    pageSize: integer({ minimum: 1 }),
  },
  { delayMs: number({ minimum: 0 }) },
  CLOSED,
);

const STATE = object(
  {},
  {
    ...{ active: flag(), stored: flag(), unresolved: flag(), isDiscarded: flag() },
    ...{
      errors: COUNT,
      delayMs: number({ minimum: 0 }),
      kind: text(),
      reason: text(),
      status: text(),
      data: text(),
      notify: text(),
    },
  },
  CLOSED,
);

const EXPECTATION = object(
  {},
  {
    ...{ bundles: list(ANY), bundleCount: COUNT, firstBundle: ANY, lastBundle: ANY, result: ANY },
    error: object({}, { type: text(), message: text() }, CLOSED),
    ...{ requestCount: COUNT, waits: list(number()), state: freeForm(), starts: list(ANY) },
    ...{ connection: ANY, metadata: ANY, uid: ANY, expires: ANY, webhookData: ANY },
    authorizeUrl: object({ url: text() }, { query: TEXTS }, CLOSED),
    verification: flag(),
    respond: object(
      {},
      { status: integer(), headers: TEXTS, json: ANY, text: text() },
      { ...CLOSED, minProperties: 1 },
    ),
    recipients: list(text()),
    logExcludes: list(text({ minLength: 1 })),
    states: list(STATE),
  },
  CLOSED,
);

const FIXTURE = object(
  { kind: oneOf(ALL_KINDS), expect: EXPECTATION },
  {
    ...{ name: text({ minLength: 1 }), title: text(), covers: list(text()), basis: text() },
    ...{ certainty: text(), source: REMARK, note: REMARK, disputed: ANY },
    app: APP,
    component: object({ type: oneOf(Object.keys(KINDS)), name: text() }, {}, CLOSED),
    common: ANY,
    input: INPUT,
    exchanges: list(object({}, { request: REQUEST, response: RESPONSE }, CLOSED)),
    server: SERVER,
  },
  CLOSED,
);

const VECTOR = object(
  { id: text({ minLength: 1 }), template: ANY },
  {
    ...{ title: text(), fn: text(), feature: text(), context: freeForm(), timezone: text({ minLength: 1 }) },
    now: text({ format: 'date-time' }),
    expect: ANY,
    error: oneOf(['unknown-function', 'function-error', 'syntax']),
    errorMessage: text(),
    ...{ certainty: text(), source: REMARK, note: REMARK, disputed: ANY },
  },
  CLOSED,
);

const checkFixture = compileSchema(FIXTURE);
const checkVector = compileSchema(VECTOR);

/** What is wrong with the form of a fixture, a line each: members and kinds that nobody would look at, above all. */
export function fixtureProblems(entry: PlainObject): readonly string[] {
  const problems = checkFixture(entry).map(say);
  return problems.length > 0 ? problems : choiceProblems(entry as unknown as Fixture);
}

/** The same for a vector. */
export function vectorProblems(entry: PlainObject): readonly string[] {
  const problems = checkVector(entry).map(say);
  if (problems.length > 0) return problems;
  return [
    ...atMostOne('the vector', entry, ['fn', 'feature']),
    ...exactlyOne('the vector', entry, ['expect', 'error']),
    ...('errorMessage' in entry && !('error' in entry) ? ['errorMessage is given without error'] : []),
  ];
}

function say({ path, message }: SchemaProblem): string {
  return `${path.length === 0 ? 'it' : path.join('.')} ${message}`;
}

const BODIES = ['body', 'bodyText', 'bodyBase64'];

/** Members of which one may or must be there. */
function choiceProblems(fixture: Fixture): readonly string[] {
  const { kind, component, input, exchanges = [], expect } = fixture;
  const kinds: readonly string[] = component === undefined ? [kind] : (KINDS[component.type] ?? []);
  const hasEvents = input?.events !== undefined;
  return [
    ...(kinds.includes(kind) ? [] : [`component.type ${component?.type} has no runs of the kind ${kind}`]),
    ...(hasEvents === (kind === 'scenario') ? [] : ['input.events belong to scenarios, which need them']),
    ...atMostOne('the fixture', fixture, ['exchanges', 'server']),
    ...atMostOne('input.request', input?.request, BODIES),
    ...atMostOne('expect.respond', expect.respond, ['json', 'text']),
    ...(input?.events ?? []).flatMap((event, index) =>
      exactlyOne(`input.events.${index}`, event, ['ok', 'error', 'event']),
    ),
    ...exchanges.flatMap(({ request, response }, index) => [
      ...responseProblems(`exchanges.${index}.response`, response),
      ...(request?.parts ?? []).flatMap((part, at) =>
        exactlyOne(`exchanges.${index}.request.parts.${at}`, part, ['text', 'base64']),
      ),
    ]),
  ];
}

function responseProblems(place: string, response: ScriptedResponse | undefined): readonly string[] {
  const others = Object.keys(response ?? {}).filter((name) => name !== 'networkError');
  const isAlone = response?.networkError === undefined || others.length === 0;
  return [
    ...atMostOne(place, response, BODIES),
    ...(isAlone ? [] : [`${place}: where networkError is, there is no ${others.join(' and no ')}`]),
  ];
}

function atMostOne(place: string, value: object | undefined, names: readonly string[]): readonly string[] {
  const present = names.filter((name) => Object.hasOwn(value ?? {}, name));
  return present.length > 1 ? [`${place} has ${present.join(' and ')}, which exclude each other`] : [];
}

function exactlyOne(place: string, value: object, names: readonly string[]): readonly string[] {
  const isMissing = names.every((name) => !Object.hasOwn(value, name));
  return isMissing ? [`${place} needs ${names.join(' or ')}`] : atMostOne(place, value, names);
}

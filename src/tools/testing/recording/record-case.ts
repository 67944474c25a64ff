import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../../engine/document/app.js';
import { isJsonMediaType, readContentType } from '../../../engine/http/headers.js';
import {
  ANY_LIST,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
} from '../../../shared/errors/check-options.js';
import { RecordingError } from '../../../shared/errors/engine-error.js';
import { mapLeaves, type PlainObject } from '../../../shared/plain-object.js';
import { escapeUnsafe } from '../../../shared/text.js';
import { findKind, fixtureOfCase } from '../cases/case-fixture.js';
import { type ReadCase, readCase } from '../cases/read-case.js';
import type { CaseExchange, TestCase } from '../cases/test-case.js';
import { canonicalRequest } from '../exchanges/canonical-request.js';
import { printRequestDifference } from '../exchanges/match-request.js';
import { printDifference } from '../fixtures/check-outcome.js';
import type { Expectation, FixtureKind, Outcome } from '../fixtures/fixture.js';
import { playFixture } from '../fixtures/play-fixture.js';
import { writeTagged } from '../matching/tagged-values.js';
import { holdsSecretBytes, writePlaceholders } from '../secrets/mask-value.js';
import { remainingSecret, type SecretBook } from '../secrets/secret-book.js';
import { findSuspects, type Suspect } from './find-suspects.js';
import { mergeCase, printCase } from './print-case.js';
import { listStandIns, type RehearsedRun, type RunToRecord, rehearseRun } from './rehearse-run.js';

/** The files of a case, not yet written. */
export interface WrittenCase {
  /** Text of `<case>.test.json` with escaped control and invisible characters. */
  readonly text: string;
  /** Files of `<case>.bodies/` by name. */
  readonly bodies: ReadonlyMap<string, Uint8Array>;
  /** Names of the placeholders. */
  readonly placeholders: readonly string[];
  /** Values that look like unknown keys. */
  readonly suspects: readonly Suspect[];
}

/** Options of `recordCase`. */
export interface WriteCaseOptions {
  /** Version of this package, for `recorded`. */
  readonly runtime: string;
  /** Milliseconds since the epoch. */
  readonly recordedAtMs: number;
  /** Value of `$schema`. Default: none. */
  readonly schema?: string | undefined;
  /** The case with `"record": true`; its other members stay, and a matching `expect` too. Default: a new case. */
  readonly into?: ReadCase | undefined;
}

const RUN_SHAPES: OptionShapes<RunToRecord> = {
  kind: ANY_TEXT,
  app: ANY_OBJECT,
  component: ANY_OBJECT,
  input: ANY_OBJECT,
  common: ANY_VALUE,
  calls: ANY_LIST,
  digests: ANY_LIST,
  addresses: ANY_LIST,
  secrets: ANY_VALUE,
  secretData: ANY_VALUE,
  ended: ANY_OBJECT,
};

const OPTION_SHAPES: OptionShapes<WriteCaseOptions> = {
  runtime: ANY_TEXT,
  recordedAtMs: ANY_NUMBER,
  schema: ANY_TEXT,
  into: ANY_OBJECT,
};

/**
 * Writes a run as a case that passes as it is, on any machine and at any time: its secrets replaced by placeholders, its
 * requests those the app makes with what stands for them.
 *
 * @throws RecordingError (RECORDING_REFUSED) for a run that does not come out the same without its secrets, and where a
 *   secret would stand in a file
 */
export async function recordCase(run: RunToRecord, options: WriteCaseOptions): Promise<WrittenCase> {
  const required = ['kind', 'app', 'component', 'input', 'calls', 'ended'] as const;
  checkOptions(run, RUN_SHAPES, 'The run of recordCase', required);
  checkOptions(options, OPTION_SHAPES, 'The options of recordCase', ['runtime', 'recordedAtMs']);
  const rehearsed = await rehearseRun(run);
  const bodies = new Map<string, Uint8Array>();
  const composed = composeCase(run, rehearsed, options);
  const loosened = loosen(composed, rehearsed.book);
  const { secrets } = composed;
  const written = {
    ...(writePlaceholders(loosened, rehearsed.placeholders) as TestCase),
    ...(secrets !== undefined && { secrets }),
  };
  const placed = { ...written, exchanges: (written.exchanges ?? []).map(placeBodies(bodies)) };
  const text = await printWhole(placed, bodies, run.app, options);
  // A secret may contain escaped characters.
  const texts = [printCase(placed), text];
  assertNoSecret(texts, bodies, rehearsed.book);
  const problems = await listProblems(text, bodies, run.app);
  if (problems.length > 0) throw notTheSame(problems);
  const standIns = rehearsed.book.secrets().map(({ standIn }) => String(standIn));
  const known = (word: string): boolean => holdsAny(word, ['fake-', 'secret:', ...standIns]);
  return {
    text,
    bodies,
    placeholders: listPlaceholderNames(rehearsed.book, texts, bodies),
    suspects: findSuspects(written, known),
  };
}

/** The text of a new or merged case. */
async function printWhole(
  placed: TestCase,
  bodies: Bodies,
  app: App,
  { into, schema }: WriteCaseOptions,
): Promise<string> {
  if (into === undefined) {
    return escapeUnsafe(printCase({ ...(schema !== undefined && { $schema: schema }), ...placed }));
  }
  const hasExpectation = Object.keys(into.written.expect ?? {}).length > 0;
  const kept = hasExpectation ? mergeCase(into, placed, true) : undefined;
  if (kept !== undefined && (await listProblems(kept, bodies, app)).length === 0) return kept;
  return mergeCase(into, placed, false);
}

type Bodies = ReadonlyMap<string, Uint8Array>;

/** Also inside Base64. */
function holdsAny(word: string, pieces: readonly string[]): boolean {
  const decoded = Buffer.from(word, 'base64').toString('latin1');
  return pieces.some((piece) => word.includes(piece) || decoded.includes(piece));
}

/** Creates the case with its members in order. */
function composeCase(run: RunToRecord, rehearsed: RehearsedRun, options: WriteCaseOptions): TestCase {
  const { component, kind, app } = run;
  const { fixture, rehearsal, book } = rehearsed;
  const name = `${component.type}:${component.name}`;
  const secrets = listStandIns(book);
  const { parameters, connection, checkParameters, ...rest } = fixture.input;
  const isChecked = checkParameters === true;
  const input = {
    ...(!isChecked && { checkParameters }),
    ...(connection && { connection }),
    ...(parameters && { parameters }),
    ...rest,
  };
  const common = needsCommon(run, rehearsed) ? { common: writeTagged(fixture.common) } : {};
  return {
    component: name,
    ...(kind !== findKind(component, app) && { kind }),
    recorded: { at: new Date(options.recordedAtMs).toISOString(), runtime: options.runtime },
    ...(Object.keys(secrets).length > 0 && { secrets }),
    input: writeTagged(input) as NonNullable<TestCase['input']>,
    ...common,
    exchanges: rehearsal.requests.map((request, index): CaseExchange => {
      const { headers, ...sent } = canonicalRequest(request);
      const response = fixture.exchanges?.[index]?.response ?? {};
      return { request: { ...sent, ...(Object.keys(headers).length > 0 && { headers }) }, response };
    }),
    expect: writeExpectation(kind, rehearsal.outcome),
  };
}

/** Common data of the app are read again when the case runs, unless they contain secrets. */
function needsCommon({ common, app, component }: RunToRecord, { fixture }: RehearsedRun): boolean {
  if (common === undefined) return false;
  const own = component.type === 'connection' ? app.connections.get(component.name)?.common : undefined;
  const given = (own ?? app.common)?.value;
  return common !== given || JSON.stringify(common) !== JSON.stringify(fixture.common);
}

/** Literal secrets of the app stay in its folder and are not copied. */
function loosen(value: TestCase, book: SecretBook): unknown {
  const loosened = { ...value };
  const { exchanges = [], expect } = value;
  return {
    ...loosened,
    exchanges: exchanges.map(({ request, response }) => ({ request: loosenValue(request, book), response })),
    expect: loosenValue(expect, book),
  };
}

function loosenValue(value: unknown, book: SecretBook): unknown {
  const isSecret = (text: string): boolean => book.isIn(text) || isShortSecret(text, book);
  return mapLeaves(value, (leaf) => (typeof leaf === 'string' && isSecret(leaf) ? { $any: true } : leaf));
}

function isShortSecret(value: string, book: SecretBook): boolean {
  return value.length >= 4 && book.standInFor(value) !== undefined;
}

/** Longer bodies are written to files. */
const MAX_BODY_TEXT = 8 * 1024;

function placeBodies(bodies: Map<string, Uint8Array>) {
  return ({ request, response }: CaseExchange, index: number): CaseExchange => {
    const number = String(index + 1).padStart(2, '0');
    return {
      ...(request !== undefined && { request: placeBody({ ...request }, `${number}-request`, bodies) }),
      ...(response !== undefined && { response: placeBody({ ...response }, `${number}-response`, bodies) }),
    };
  };
}

/** Moves binary and long bodies to files; forms and parts stay for readability. */
function placeBody(message: PlainObject, name: string, bodies: Map<string, Uint8Array>): PlainObject {
  const { body, bodyText, bodyBase64, ...rest } = message;
  const file = (ending: string, content: Uint8Array): PlainObject => {
    bodies.set(`${name}.${ending}`, content);
    return { ...rest, bodyFile: `${name}.${ending}` };
  };
  if (typeof bodyBase64 === 'string') return file('bin', Buffer.from(bodyBase64, 'base64'));
  if (typeof bodyText === 'string') {
    return bodyText.length > MAX_BODY_TEXT ? file('txt', Buffer.from(bodyText, 'utf8')) : message;
  }
  if (body === undefined || JSON.stringify(body).length <= MAX_BODY_TEXT) return message;
  return file('json', Buffer.from(printCase(body), 'utf8'));
}

/** Final check: nothing is written that contains a secret. */
function assertNoSecret(texts: readonly string[], bodies: Bodies, book: SecretBook): void {
  const files = [...bodies].filter(([name, bytes]) => book.isIn(name) || holdsSecretBytes(bytes, book));
  const [file] = texts.some(book.isIn) ? ['the case'] : files.map(([name]) => `the body ${name}`);
  if (file !== undefined) throw remainingSecret(file, texts, book);
}

/** Problems of the written case when it runs. */
async function listProblems(text: string, bodies: Bodies, app: App): Promise<readonly string[]> {
  const reading = await readCase(text, {
    file: 'the recorded case',
    name: 'recording',
    readBody: async (name) => {
      const bytes = bodies.get(name);
      return bytes === undefined ? { ok: false, problem: 'is missing' } : { ok: true, bytes };
    },
  });
  if (!reading.ok) return reading.errors.map(({ message }) => message);
  const { differences, exchanges } = await playFixture(fixtureOfCase(reading.case, app), {
    app,
    isStrict: true,
  });
  return [
    ...differences.map(printDifference),
    ...exchanges.flatMap(({ message, differences: inside }) => [
      message,
      ...inside.map(printRequestDifference),
    ]),
  ];
}

function notTheSame(problems: readonly string[]): RecordingError {
  return new RecordingError(
    `Nothing was written: a repetition of the run gives another result. ${problems.slice(0, 3).join(' ')}`,
  );
}

function listPlaceholderNames(book: SecretBook, texts: readonly string[], bodies: Bodies): readonly string[] {
  const all = [...texts, ...[...bodies.values()].map((bytes) => Buffer.from(bytes).toString('utf8'))];
  const names = book.secrets().flatMap(({ isDerived, name }) => (isDerived ? [] : [name]));
  return names.filter((name) => all.some((content) => content.includes(`{{secret:${name}}}`)));
}

/** Beyond this size, only the count, the first and the last bundle are written. */
const MAX_BUNDLES_TEXT = 64 * 1024;

/** The outcome of a run as expectation of a case. */
function writeExpectation(kind: FixtureKind, outcome: Outcome): Expectation {
  if (outcome.error !== undefined && kind !== 'webhook') {
    const { type, message } = outcome.error;
    return { error: { type, message } };
  }
  return { ...WRITERS[kind](outcome), ...(outcome.stop !== undefined && { stop: outcome.stop }) };
}

type Writer = (outcome: Outcome) => Expectation;

const ofModule: Writer = ({ bundles = [] }) => writeBundles(bundles);
const ofConnection: Writer = ({ connection, metadata, uid, expires }) =>
  definedOnly({
    connection: writeTagged(connection),
    metadata: metadata && writeTagged(metadata),
    uid,
    expires: expires && writeTagged(expires),
  });
const ofPage: Writer = (outcome) => ({ ...ofConnection(outcome), ...writePage(outcome.authorizeUrl) });
const ofCall: Writer = ({ result }) => ({ result: writeTagged(result) });
const ofHook: Writer = ({ webhookData }) => ({ webhookData: writeTagged(webhookData) });

const WRITERS: Readonly<Record<FixtureKind, Writer>> = {
  action: ofModule,
  search: ofModule,
  instant_trigger: ofModule,
  trigger: ({ bundles = [], state }) => ({
    ...writeBundles(bundles),
    ...(state !== undefined && { state: writeTagged(state) as Record<string, unknown> }),
  }),
  epoch: ({ result, starts }) =>
    definedOnly({ result: writeTagged(result), starts: starts?.map(writeTagged) }),
  rpc: ofCall,
  endpoint: ofCall,
  responder: ({ respond }) => writeAnswer(respond),
  connection: ofConnection,
  'oauth2-refresh': ofConnection,
  'oauth2-invalidate': ofConnection,
  oauth1: ofPage,
  oauth2: ofPage,
  attach: ofHook,
  detach: ofHook,
  update: ofHook,
  webhook: ({ bundles = [], verification, recipients = [], respond, error }) => ({
    ...(error === undefined
      ? { ...writeBundles(bundles), ...(verification === true && { verification }) }
      : { error: { type: error.type, message: error.message } }),
    ...(recipients.length > 0 && { recipients }),
    ...writeAnswer(respond),
  }),
  scenario: ({ states }) => definedOnly({ states }),
};

function writeBundles(bundles: readonly unknown[]): Expectation {
  const written = bundles.map(writeTagged);
  if (JSON.stringify(written).length <= MAX_BUNDLES_TEXT) return { bundles: written };
  return { bundleCount: bundles.length, firstBundle: written[0], lastBundle: written.at(-1) };
}

function writePage(address: string | undefined): Expectation {
  if (address === undefined) return {};
  const url = new URL(address);
  // The state differs each time.
  url.searchParams.delete('state');
  return {
    authorizeUrl: { url: url.origin + url.pathname, query: Object.fromEntries(url.searchParams) },
  };
}

function writeAnswer(respond: Outcome['respond']): Expectation {
  if (respond === undefined) return {};
  const { status, headers, body } = respond;
  const type = headers.get('content-type') ?? undefined;
  const { mediaType } = readContentType(type);
  const json = isJsonMediaType(mediaType) ? readJson(body) : undefined;
  return {
    respond: {
      status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(json === undefined ? { text: body } : { json: json.value }),
    },
  };
}

/** Undefined for invalid JSON and for values that look like tags. */
function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDeepStrictEqual(writeTagged(value), value) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function definedOnly<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(members).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

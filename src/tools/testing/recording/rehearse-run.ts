import { generateKeyPairSync, randomInt } from 'node:crypto';
import type { App } from '../../../engine/document/app.js';
import type { TransportRequest } from '../../../engine/http/transport.js';
import { readSanitize, type Sanitize } from '../../../engine/redaction/sanitize-paths.js';
import { RecordingError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { fakeSecret, secretPlaceholder } from '../cases/placeholders.js';
import { canonicalRequest } from '../exchanges/canonical-request.js';
import type { Exchange } from '../exchanges/exchange.js';
import { playExchanges } from '../exchanges/play-exchanges.js';
import type { Fixture, FixtureInput, Outcome } from '../fixtures/fixture.js';
import { playFixture } from '../fixtures/play-fixture.js';
import { maskValue, type Placeholders } from '../secrets/mask-value.js';
import {
  type ChooseStandIn,
  createSecretBook,
  plainStandIn,
  type SecretBook,
} from '../secrets/secret-book.js';
import { listAppTexts, listSanitized } from './app-texts.js';
import {
  isSecretParameter,
  learnDerived,
  learnDigests,
  learnInput,
  learnRequest,
  learnResponse,
  listSecretParameters,
} from './collect-secrets.js';
import { createDigestLog } from './digest-log.js';
import { chooseHeaders, type KeepsHeader, maskIncoming, maskResponse } from './mask-call.js';
import type { RecordedCall } from './record-transport.js';

/** A run against an API with its input and exchanges, including secrets. */
export interface RunToRecord extends Pick<Fixture, 'kind'> {
  readonly app: App;
  readonly component: { readonly type: string; readonly name: string };
  readonly input: FixtureInput;
  /** The replacement of the common data, or the common data. */
  readonly common?: unknown;
  readonly calls: readonly RecordedCall[];
  /** See `createDigestLog`. Default: none. */
  readonly digests?: readonly Uint8Array[] | undefined;
  /** Mapped hosts of the run: pairs of the address used and the original one. Default: none. */
  readonly addresses?: readonly (readonly [from: string, to: string])[] | undefined;
  /** Named secrets, which keep their names. Default: names come from members. */
  readonly secrets?: ReadonlyMap<string, string> | undefined;
  /** Additional secret data, such as the connection of a hook. Default: none. */
  readonly secretData?: unknown;
  /** The outcome that the rehearsal must have. */
  readonly ended: { readonly error?: Outcome['error']; readonly bundleCount?: number | undefined };
}

/** A redacted run, verified by a rehearsal. */
export interface RehearsedRun {
  readonly rehearsal: PlayedRun;
  readonly book: SecretBook;
  /** The fixture with stand-ins. */
  readonly fixture: Fixture;
  readonly placeholders: Placeholders;
}

/** Secrets found in one round are replaced in the next. */
const MAX_ROUNDS = 6;

/**
 * Takes the secrets out of a run: whatever is secret gets a stand-in, and the run is made once more over no network, with
 * the answers that came and the stand-ins in place of the secrets. So all that the app makes of a secret is made of its
 * stand-in: encodings, hashes, signatures. Where an app looks into a secret, stand-ins of the same form are tried.
 *
 * @throws RecordingError (RECORDING_REFUSED) for a run that does not come out the same without its secrets
 */
export async function rehearseRun(run: RunToRecord): Promise<RehearsedRun> {
  const plain = await rehearseWith(run, plainStandIn);
  if (plain.problem === undefined) return plain.rehearsed;
  const shaped = await rehearseWith(run, shapedStandIn);
  if (shaped.problem === undefined) return shaped.rehearsed;
  const { book, rehearsal } = plain.rehearsed;
  const why =
    listUnmatched(run, book) ??
    'The run depends on something that is not recorded, such as random values or the time.';
  const dropped = rehearsal.outcome.noBundles?.message;
  throw new RecordingError(
    `The replay of the run differs: ${plain.problem}${dropped === undefined ? '' : ` ${dropped}`} ${why}`,
  );
}

/** Names the secrets of an incoming call that the app does not derive from the secrets of its input. */
function listUnmatched({ input: { request } }: RunToRecord, book: SecretBook): string | undefined {
  if (request === undefined) return undefined;
  const places = [
    ...Object.entries(request.headers ?? {}).map(([name, value]) => [`header ${name}`, value] as const),
    ...Object.entries(request.query ?? {}).map(([name, value]) => [`query ${name}`, String(value)] as const),
  ];
  const unmatched = places.filter(([, text]) =>
    book.secrets().some(({ isDerived, value }) => !isDerived && text.includes(value)),
  );
  if (unmatched.length === 0) return undefined;
  const names = unmatched.map(([place]) => place).join(', ');
  return `A placeholder replaced the value of ${names}, and the app does not compute it from the recorded secrets. Is the secret in the hook data or the parameters the one that the sender used?`;
}

interface Attempt {
  readonly rehearsed: RehearsedRun;
  /** Why the rehearsal differs; undefined if it does not. */
  readonly problem: string | undefined;
}

async function rehearseWith(run: RunToRecord, choose: ChooseStandIn): Promise<Attempt> {
  const book = createSecretBook(choose);
  const { app, component, common, input, secretData } = run;
  const secretFields = listSecretParameters(app, component);
  const sanitize = readSanitize(listSanitized(app));
  const keeps = chooseHeaders(listAppTexts(app));
  const isConnectionData = run.kind.startsWith('oauth2-');
  for (const [name, value] of run.secrets ?? []) book.enter(name, value);
  learnInput(input, { app, common, secretFields, isConnectionData, secretData }, book);
  for (const [from, to] of run.addresses ?? []) book.enterDerived(from, to);
  for (const call of run.calls) learnResponse(call, sanitize, book);
  let before = '';
  for (let round = 1; ; round++) {
    const fixture = maskRun(run, book, keeps);
    const rehearsal = await rehearse(fixture, app);
    const written = JSON.stringify(fixture);
    // The next round may know the missing secrets, such as the signature of an incoming call.
    if (written === before || round >= MAX_ROUNDS) {
      const rehearsed = { rehearsal, book, fixture, placeholders: mapPlaceholders(book) };
      return { rehearsed, problem: findProblem(run, rehearsal) };
    }
    before = written;
    learnFrom(rehearsal, run, sanitize, book);
  }
}

/** The redacted input and responses of a run. */
function maskRun(run: RunToRecord, book: SecretBook, keeps: KeepsHeader): Fixture {
  const { app, component, kind, common, input } = run;
  const { parameters, request, ...rest } = input;
  const isSecretField = isSecretParameter(listSecretParameters(app, component));
  const masked = {
    ...(maskValue(rest, book) as FixtureInput),
    ...(parameters !== undefined && {
      parameters: maskValue(parameters, book, isSecretField) as PlainObject,
    }),
    ...(request !== undefined && { request: maskIncoming(request, book) }),
  };
  return {
    name: 'recording',
    kind,
    component,
    expect: run.ended.error === undefined ? {} : { error: {} },
    // As in a case.
    input: { checkParameters: true, ...masked },
    ...(common !== undefined && { common: maskValue(common, book) }),
    exchanges: run.calls.map((call): Exchange => ({ response: maskResponse(call, book, keeps) })),
  };
}

function learnFrom(rehearsal: PlayedRun, run: RunToRecord, sanitize: Sanitize, book: SecretBook): void {
  learnDigests(run.digests ?? [], rehearsal.digests, book);
  for (const [index, call] of run.calls.entries()) {
    const request = rehearsal.requests[index];
    if (request !== undefined) learnDerived(canonicalRequest(call.request), canonicalRequest(request), book);
    learnRequest(call, sanitize, book);
  }
}

/** Why the rehearsal differs; undefined if it does not. */
function findProblem({ calls, ended }: RunToRecord, { requests, outcome }: PlayedRun): string | undefined {
  if (requests.length !== calls.length) {
    const count = requests.length < calls.length ? `only ${requests.length} of` : 'more than';
    return `it makes ${count} the ${calls.length} calls.`;
  }
  const wrong = calls.findIndex(({ request }, index) => request.method !== requests[index]?.method);
  if (wrong >= 0)
    return `call ${wrong + 1} is ${requests[wrong]?.method} instead of ${calls[wrong]?.request.method}.`;
  const [was, is] = [ended.error?.type, outcome.error?.type];
  if (was !== is) return `it ends with ${describeEnd(outcome.error)} instead of ${describeEnd(ended.error)}.`;
  const [given, played] = [ended.bundleCount, outcome.bundles?.length];
  if (given === undefined || given === played) return undefined;
  return `it gives ${played ?? 0} bundles instead of ${given}.`;
}

function describeEnd(error: Outcome['error']): string {
  return error === undefined ? 'no error' : `the error ${error.type}`;
}

/** Placeholders by stand-in. */
export function mapPlaceholders(book: SecretBook): Placeholders {
  const named = book.secrets().filter(({ isDerived }) => !isDerived);
  return new Map(named.map(({ name, standIn }) => [standIn, secretPlaceholder(name)]));
}

/** Stand-ins that differ from the default, for `secrets` of a case. */
export function listStandIns(book: SecretBook): Record<string, string | number> {
  const own = book
    .secrets()
    .filter(({ isDerived, name, standIn }) => !isDerived && standIn !== fakeSecret(name));
  return Object.fromEntries(own.map(({ name, standIn }) => [name, standIn]));
}

/** The outcome of a run without a network. */
interface PlayedRun {
  readonly requests: readonly TransportRequest[];
  readonly digests: readonly Uint8Array[];
  readonly outcome: Outcome;
}

/** Returns the responses of a fixture in order for any request, and records the requests. */
async function rehearse(fixture: Fixture, app: App): Promise<PlayedRun> {
  const requests: TransportRequest[] = [];
  const { digest, results } = createDigestLog();
  const { outcome } = await playFixture(fixture, {
    app,
    digest,
    service: (clock) =>
      playExchanges(fixture.exchanges ?? [], { clock, onCall: (_call, request) => requests.push(request) }),
  });
  return { requests, digests: results(), outcome };
}

/**
 * Chooses a stand-in with the format of the secret, for apps that read parts of it: same length, letters for letters,
 * digits for digits, a JWT for a JWT, a key for a key. Random, so that it reveals nothing.
 */
const shapedStandIn: ChooseStandIn = (_name, value) => {
  if (typeof value === 'number') return Number(scramble(String(Math.abs(value))));
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value)) return throwawayKey();
  return likeJwt(value) ?? scramble(value);
};

const CLASSES: readonly (readonly [pattern: RegExp, characters: string])[] = [
  [/[a-z]/, 'abcdefghijkmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHJKLMNPQRSTUVWXYZ'],
  // No zero, because numbers do not start with it.
  [/\d/, '123456789'],
];

/** Other characters are kept if no encoding changes them. */
function scramble(text: string): string {
  return text.replace(/[^._-]/g, (character) => {
    const characters = CLASSES.find(([pattern]) => pattern.test(character))?.[1];
    return characters === undefined ? '-' : (characters[randomInt(characters.length)] ?? '-');
  });
}

function throwawayKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A JWT with replaced claims; undefined for other text. */
function likeJwt(value: string): string | undefined {
  const parts = value.split('.');
  const [header, claims] = [readPart(parts[0]), readPart(parts[1])];
  if (parts.length !== 3 || header === undefined || claims === undefined) return undefined;
  const changed: PlainObject = {};
  for (const [name, claim] of Object.entries(claims)) {
    setMember(changed, name, typeof claim === 'string' && !/^https?:/.test(claim) ? scramble(claim) : claim);
  }
  const write = (part: PlainObject): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${write({ alg: header['alg'], typ: header['typ'] })}.${write(changed)}.${scramble(parts[2] ?? '')}`;
}

function readPart(part: string | undefined): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { type Report, reportFailure, reportSuccess } from '../component/report.js';
import type { Runtime } from '../component/runtime.js';
import { findRunSecrets, startRun } from '../component/start-run.js';
import type { Directive } from '../document/compile/compile-directive.js';
import type { CompiledRequest, CompiledResponse } from '../document/compile/compiled-request.js';
import { AppError } from '../errors/app-error.js';
import { readDate } from '../iml/date/read-date.js';
import type { Scope } from '../iml/environment/environment.js';
import { toNumber, toText } from '../iml/values/coerce.js';
import { describeType, isUnsafeNumber } from '../iml/values/value-kind.js';
import { SANITIZED } from '../redaction/redact-value.js';
import { collectPages } from '../run/paging/page-source.js';
import { runRequest } from '../run/run-communication.js';
import { atDirective, evaluateDirective, learnGiven, runError } from '../run/scope/evaluate-directive.js';
import { type RunContext, warn, withPosition, withVariables } from '../run/scope/run-context.js';
import type { RunNames } from '../run/scope/run-scope.js';
import type { TraceDepth, TraceEvent } from '../run/trace/trace.js';
import { deepMerge, isPlainObject, ownMember, type PlainObject } from '../util/plain-object.js';
import { unixTimeToMs } from '../util/time.js';
import type { ConnectionMetadata, StoredConnection } from './connection-store.js';

/** What a run of a connection starts from. */
export interface ConnectionStart {
  /** The connection as far as it is made. */
  readonly stored: StoredConnection;
  readonly common: unknown;
  readonly temp?: PlainObject | undefined;
  /** `oauth` and `query`. */
  readonly names?: Readonly<Record<string, unknown>> | undefined;
  /** Values beside those of the connection that nothing may show. */
  readonly secrets?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** What a response says of the connection; undefined for what it does not. */
interface ReadConnection extends Pick<StoredConnection, 'connection' | 'expires' | 'uid' | 'metadata'> {
  /** What comes next is seen from here. */
  readonly context: RunContext;
}

const MAX_LABEL = 512;

/** One run of requests of a connection: what they keep is added to the connection. */
export class ConnectionRun {
  private here: RunContext;
  private readonly timezone: string;
  private current: StoredConnection;

  constructor(context: RunContext, stored: StoredConnection, timezone: string) {
    this.here = context;
    this.current = stored;
    this.timezone = timezone;
  }

  /** Where the run is, with the names that all so far has left. */
  get context(): RunContext {
    return this.here;
  }

  /** The connection with all that was kept so far. */
  get stored(): StoredConnection {
    return this.current;
  }

  /** What a step that makes or changes the connection gives. */
  given(): { readonly stored: StoredConnection } {
    return { stored: this.current };
  }

  /** What happened, without what turned out to be a secret only later: a token is known as one once it is kept. */
  trace(hasFailed: boolean): readonly TraceEvent[] {
    const { trace, redactor } = this.here.run.log;
    const failed = hasFailed ? trace.events.findLast(isRefusal) : undefined;
    return trace.events.map((event) => {
      const shown = event === failed ? withOpenHeaders(event) : withOpenHeaders(withoutBody(event));
      return redactor.value(shown) as TraceEvent; // only texts change
    });
  }

  /** Runs the requests of a section in order; each sees what the ones before have stored. */
  async section(requests: readonly CompiledRequest[]): Promise<void> {
    for (const [index, request] of requests.entries()) {
      const context = withPosition(this.here, { requestIndex: index, document: request.document });
      const { counters } = context.run;
      const sentBefore = counters.requests;
      warnOfUnavailable(request, context);
      const shown = { ...request, response: withProviderMessage(request.response) };
      const { end } = await collectPages(runRequest(shown, { appliesLimit: false }, context));
      this.here = end.context;
      // A request whose condition is false has received nothing to keep.
      if (counters.requests > sentBefore) await this.keep(request.response, end.context);
    }
  }

  /**
   * Adds what a response says to keep. What comes next is seen from here, with what was kept as `data`.
   * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses. [doc]
   */
  async keep(spec: CompiledResponse, received: RunContext): Promise<void> {
    const data = readData(spec.data, received);
    if (data !== undefined) this.learn(data);
    this.take(this.read(spec, data, received));
  }

  /** `keep` without collecting secrets, for `iml check`. */
  tryKeep(spec: CompiledResponse, received: RunContext): void {
    this.take(this.read(spec, readData(spec.data, received), received));
  }

  private read(spec: CompiledResponse, data: PlainObject | undefined, received: RunContext): ReadConnection {
    const connection = atDirective(spec.data, received, () => this.extended(data));
    const context = data === undefined ? received : withVariables(received, connectionNames(connection));
    return {
      context,
      connection,
      expires: this.readExpires(spec.expires, context),
      uid: readUid(spec.uid, context),
      metadata: readMetadata(spec.metadata, context),
    };
  }

  private take({ context, connection, expires, uid, metadata }: ReadConnection): void {
    this.here = context;
    this.current = {
      ...this.current,
      connection,
      expires: expires ?? this.current.expires,
      uid: uid ?? this.current.uid,
      metadata: metadata ?? this.current.metadata,
    };
  }

  /** Values that no trace and no error of this run may show. */
  learn(values: unknown): void {
    learnGiven(values, this.here);
  }

  private extended(data: PlainObject | undefined): PlainObject {
    const { connection } = this.current;
    return data === undefined ? connection : deepMerge(connection, data);
  }

  private readExpires(directive: Directive | undefined, context: RunContext): Date | undefined {
    const value = evaluateDirective(directive, context);
    if (directive === undefined || value === undefined || value === null || value === '') return undefined;
    const instant = readExpires(value, this.timezone);
    if (instant === undefined || Number.isNaN(new Date(instant).getTime())) {
      throw invalid(directive, 'expires has to be a date', value, context);
    }
    return new Date(instant);
  }
}

/**
 * The three names of one store: the parameters and all `response.data`, in every request of a connection.
 * Source: docs/differences.md. [rt]
 */
function connectionNames(connection: PlainObject): RunNames {
  return { data: connection, connection, parameters: connection };
}

function readData(directive: Directive | undefined, context: RunContext): PlainObject | undefined {
  const data = evaluateDirective(directive, context);
  if (directive === undefined || data === undefined || data === null) return undefined;
  if (isPlainObject(data)) return data;
  throw invalid(directive, 'data has to be a collection', data, context);
}

function invalid(directive: Directive, expectation: string, value: unknown, context: RunContext): Error {
  const place = context.position.document?.locationOf(directive.pointer);
  return runError('RuntimeError', `${expectation}, not ${describeType(value)}.`, context, { place });
}

/** Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc] */
const UNAVAILABLE = ['aws', 'endpoint', 'pagination'];
const UNAVAILABLE_IN_RESPONSE = ['iterate', 'limit', 'output', 'trigger', 'wrapper'];

function warnOfUnavailable({ document }: CompiledRequest, context: RunContext): void {
  const { value } = document;
  const response = isPlainObject(value) ? ownMember(value, 'response') : undefined;
  const written = [
    ...UNAVAILABLE.filter((key) => isPlainObject(value) && Object.hasOwn(value, key)).map((key) => `/${key}`),
    ...UNAVAILABLE_IN_RESPONSE.filter((key) => isPlainObject(response) && Object.hasOwn(response, key)).map(
      (key) => `/response/${key}`,
    ),
  ];
  for (const pointer of written) {
    const name = pointer.slice(1).replace('/', '.');
    const message = `"${name}" is not available in connections and is ignored.`;
    warn({ code: 'directive-ignored', message, place: document.locationOf(pointer) }, context);
  }
}

/** Response headers that hold no credentials; any other may be where a service hands out a session. */
const OPEN_HEADER =
  /^(?:cache-control|connection|content-(?:encoding|length|type)|date|keep-alive|retry-after|server|transfer-encoding|vary|www-authenticate|x-request-id|(?:x-)?rate-?limit(?:-[a-z-]+)?)$/;

/** A response with an error status and a JSON body: it names the error and hands out no token. */
function isRefusal(event: TraceEvent): boolean {
  return event.kind === 'response' && event.status >= 400 && isJsonObject(event.body);
}

function isJsonObject(body: unknown): boolean {
  if (typeof body !== 'string') return isPlainObject(body);
  try {
    return isPlainObject(JSON.parse(body));
  } catch {
    return false;
  }
}

function withoutBody(event: TraceEvent): TraceEvent {
  if (event.kind !== 'request' && event.kind !== 'response') return event;
  const { body: _, ...rest } = event;
  return rest;
}

function withOpenHeaders(event: TraceEvent): TraceEvent {
  if (event.kind !== 'response') return event;
  const headers = Object.entries(event.headers).map(([name, value]) => [
    name,
    OPEN_HEADER.test(name) ? value : SANITIZED,
  ]);
  return { ...event, headers: Object.fromEntries(headers) };
}

/** Starts a run, lets `work` send requests in it, and reports on it; trace events come at its end. */
export async function runConnection<Given extends object>(
  runtime: Runtime,
  start: ConnectionStart,
  work: (run: ConnectionRun) => Promise<Given>,
): Promise<Report<Given>> {
  const { stored, common, names, signal } = start;
  const { parameters } = stored;
  const connection = { ...parameters, ...stored.connection };
  const input = { common, names, signal };
  const trace: TraceDepth = runtime.settings.trace === 'summary' ? 'summary' : 'full';
  const settings = { ...runtime.settings, onTrace: undefined, trace };
  // Events are emitted at the end: a value of a response is known as a secret only once it is stored. Bodies are left out,
  // as not every secret is stored, except that of a refusal, which explains the failure.
  const secrets = findRunSecrets(runtime, input, connection, parameters, start.temp, start.secrets);
  const { context, finish } = startRun({ ...runtime, settings }, input, secrets, { hidesTemp: true });
  const started = withVariables(context, { ...connectionNames(connection), temp: start.temp ?? {} });
  const run = new ConnectionRun(started, stored, toText(runtime.environment['timezone']) || 'UTC');
  let hasFailed = false;
  try {
    const given = await work(run);
    return { ...reportSuccess(given, context), trace: run.trace(false) };
  } catch (thrown) {
    hasFailed = true;
    return { ...reportFailure<Given>(thrown, context), trace: run.trace(true) };
  } finally {
    finish();
    for (const event of run.trace(hasFailed)) runtime.settings.onTrace?.(event);
  }
}

/** Source: https://github.com/integromat/vscode-apps-sdk: text or number. [src] */
function readUid(directive: Directive | undefined, context: RunContext): string | number | undefined {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  const place = context.position.document?.locationOf(directive.pointer);
  if (isUnsafeNumber(value)) {
    const message = `The uid ${value} is a number that JSON does not carry exactly, so the connection has no uid. Use text.`;
    warn({ code: 'connection-uid', message, place }, context);
    return undefined;
  }
  if (typeof value === 'number') return value;
  const message = `uid has to be text or a number, not ${describeType(value)}.`;
  throw runError('RuntimeError', message, context, { place });
}

/** Source: https://github.com/integromat/vscode-apps-sdk; a bare text counts as its value. [src][inf] */
function readMetadata(directive: Directive | undefined, context: RunContext): ConnectionMetadata | undefined {
  const value = evaluateDirective(directive, context);
  const label = toText(isPlainObject(value) ? ownMember(value, 'value') : value).slice(0, MAX_LABEL);
  if (label === '') return undefined;
  const type = isPlainObject(value) && ownMember(value, 'type') === 'email' ? 'email' : 'text';
  return { type, value: label };
}

/** Characters of a provider's text that a message shows. */
const MAX_TEXT = 300;

/**
 * The response of a request whose error message falls back to the error of the provider: the app's own message comes
 * first, the default message last.
 */
function withProviderMessage(response: CompiledResponse): CompiledResponse {
  const { error } = response;
  const own = error?.message;
  const message = {
    pointer: own?.pointer ?? '/response',
    raw: own?.raw,
    evaluate: (scope: Scope): unknown => {
      const value = own?.evaluate(scope);
      return value === undefined || value === null || value === '' ? describeProviderError(scope) : value;
    },
  };
  const entry = error ?? { type: undefined, pointer: '/response/error', entries: new Map() };
  return { ...response, error: { ...entry, message } };
}

/**
 * The error that the body of a response names: `error` and `error_description` (RFC 6749 section 5.2), or the members that
 * APIs use most. Undefined if it names none.
 */
function describeProviderError({ body, statusCode }: Scope): string | undefined {
  const text = typeof body === 'string' ? readText(body) : readError(body);
  if (text === undefined) return undefined;
  return typeof statusCode === 'number' && statusCode >= 400 ? `[${statusCode}] ${text}` : text;
}

function readError(body: unknown): string | undefined {
  if (!isPlainObject(body)) return undefined;
  const error = ownMember(body, 'error');
  const code = isPlainObject(error) ? undefined : readText(error);
  const source = isPlainObject(error) ? error : body;
  const details = ['error_description', 'message', 'description', 'detail', 'error_message', 'title']
    .map((name) => readText(ownMember(source, name)))
    .find((text) => text !== undefined);
  const ofList = [ownMember(body, 'errors')]
    .flat()
    .map((item) => (isPlainObject(item) ? readError({ error: item }) : readText(item)));
  if (code === undefined) return details ?? ofList.find((text) => text !== undefined);
  return details === undefined ? code : `${code}: ${details}`;
}

function readText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/\p{C}/gu, ' ').slice(0, MAX_TEXT).trim();
  return text === '' ? undefined : text;
}

/**
 * Milliseconds since the epoch of a date, a date text, or a Unix time in seconds or milliseconds (as a number or as
 * text), which is how services tell the end of a token; undefined for anything else. [inf]
 *
 * @param timezone of texts without an offset
 */
function readExpires(value: unknown, timezone: string): number | undefined {
  const number = toNumber(value);
  if (number === undefined) return readDate(value, timezone)?.getTime();
  return unixTimeToMs(number);
}

/**
 * Fails for a connection whose user has to authorize again.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc], the type [inf]
 *
 * @throws AppError of type InvalidAccessTokenError
 */
export function assertNotExpired(stored: StoredConnection, runtime: Runtime): void {
  const end = readExpires(stored.expires, readTimezone(runtime));
  if (end === undefined || end > runtime.settings.clock.now()) return;
  throw new AppError('InvalidAccessTokenError', 'The connection has expired. It has to be authorized again.');
}

/**
 * Whether `data.expires`, the end of the access token, has passed.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [inf]
 */
export function isTokenOver({ connection }: StoredConnection, runtime: Runtime): boolean {
  const end = readExpires(ownMember(connection, 'expires'), readTimezone(runtime));
  return end !== undefined && end <= runtime.settings.clock.now();
}

function readTimezone(runtime: Runtime): string {
  return toText(runtime.environment['timezone']) || 'UTC';
}

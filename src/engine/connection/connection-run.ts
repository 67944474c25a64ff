import { readDate } from '../../language/date/read-date.js';
import type { Scope } from '../../language/environment.js';
import { describeType, isUnsafeNumber, toNumber, toText } from '../../language/values/value.js';
import { unixTimeToMs } from '../../shared/clock.js';
import { AppError } from '../../shared/errors/app-error.js';
import { deepMerge, isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { type RunReport, reportFailure, reportSuccess } from '../component/report.js';
import type { Runtime } from '../component/runtime.js';
import { applyCommonTimeout, findRunSecrets, startRun } from '../component/start-run.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest, CompiledResponse } from '../document/compiled-request.js';
import { SANITIZED } from '../redaction/redact-text.js';
import { atDirective, evaluateDirective, learnGiven, runError } from '../run/evaluate-directive.js';
import { collectPages } from '../run/page-source.js';
import { runRequest } from '../run/run-communication.js';
import { type RunContext, type RunNames, warn, withPosition, withVariables } from '../run/run-context.js';
import type { TraceDepth, TraceEvent } from '../run/trace.js';
import { readGrantedScope } from './connection-input.js';
import type { ConnectionMetadata, OAuthNames, StoredConnection } from './connection-store.js';

/** Input of a connection run. */
export interface ConnectionStart {
  /** The connection so far. */
  readonly stored: StoredConnection;
  readonly common: unknown;
  readonly temp?: PlainObject | undefined;
  /** `oauth` and `query`. */
  readonly names?: Readonly<Record<string, unknown>> | undefined;
  /** Further secret values. */
  readonly secrets?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Connection data in a response; undefined members are absent. */
interface ReadConnection
  extends Pick<StoredConnection, 'connection' | 'expires' | 'uid' | 'metadata' | 'oauth'> {
  /** Context for the following directives. */
  readonly context: RunContext;
}

const MAX_LABEL = 512;

const NO_ADDRESSES: Omit<OAuthNames, 'scope'> = {
  redirectUri: undefined,
  localRedirectUri: undefined,
  makeRedirectUri: undefined,
};

/** Runs requests of a connection and merges their data into it. */
export class ConnectionRun {
  private here: RunContext;
  private readonly timezone: string;
  private current: StoredConnection;

  constructor(context: RunContext, stored: StoredConnection, timezone: string) {
    this.here = context;
    this.current = stored;
    this.timezone = timezone;
  }

  /** Context with the variables set so far. */
  get context(): RunContext {
    return this.here;
  }

  /** The connection with all data stored so far. */
  get stored(): StoredConnection {
    return this.current;
  }

  /** Returns the result of a step that creates or changes the connection. */
  result(): { readonly stored: StoredConnection } {
    return { stored: this.current };
  }

  /**
   * Returns the trace without values that were recognized as secrets later: a token is registered as a secret when it
   * is stored.
   */
  trace(hasFailed: boolean): readonly TraceEvent[] {
    const { events, redactor } = this.here.run.log;
    const failed = hasFailed ? events.findLast(isRefusal) : undefined;
    return events.map((event) => {
      const shown = event === failed ? withOpenHeaders(event) : withOpenHeaders(withoutBody(event));
      return redactor.value(shown) as TraceEvent; // only texts change
    });
  }

  /**
   * Runs the requests of a section in order. Each reads the data stored by earlier ones.
   *
   * @param refusalCode code of the error if the provider refuses a request
   */
  async runSection(requests: readonly CompiledRequest[], refusalCode?: 'OAUTH_TOKEN_REFUSED'): Promise<void> {
    for (const [index, request] of requests.entries()) {
      const context = withPosition(this.here, { requestIndex: index, document: request.document });
      const { counters } = context.run;
      const sentBefore = counters.requests;
      warnOfUnavailable(request, context);
      const shown = { ...request, response: { ...withProviderMessage(request.response), refusalCode } };
      const { end } = await collectPages(runRequest(shown, { appliesLimit: false }, context));
      this.here = end.context;
      // A request with a false condition received nothing to store.
      if (counters.requests > sentBefore) await this.keep(request.response, end.context);
    }
  }

  /**
   * Stores the data of a response. Later directives read it as `data`. Source:
   * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses. [doc]
   */
  async keep(spec: CompiledResponse, received: RunContext): Promise<void> {
    const data = readData(spec.data, received);
    if (data !== undefined) this.registerSecrets(data);
    this.apply(this.read(spec, data, received));
  }

  /** `keep` without collecting secrets, for `iml check`. */
  tryKeep(spec: CompiledResponse, received: RunContext): void {
    this.apply(this.read(spec, readData(spec.data, received), received));
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
      oauth: this.grantedOAuth(spec.scope, context),
    };
  }

  private apply({ context, connection, expires, uid, metadata, oauth }: ReadConnection): void {
    this.here = context;
    this.current = {
      ...this.current,
      connection,
      expires: expires ?? this.current.expires,
      uid: uid ?? this.current.uid,
      metadata: metadata ?? this.current.metadata,
      oauth: oauth ?? this.current.oauth,
    };
  }

  /** Registers secrets for redaction in traces and errors. */
  registerSecrets(values: unknown): void {
    learnGiven(values, this.here);
  }

  private extended(data: PlainObject | undefined): PlainObject {
    const { connection } = this.current;
    return data === undefined ? connection : deepMerge(connection, data);
  }

  /** Scopes in a response replace all earlier scopes. A response without scopes keeps them. */
  private grantedOAuth(directive: Directive | undefined, context: RunContext): OAuthNames | undefined {
    const scope = readGrantedScope(evaluateDirective(directive, context));
    return scope.length === 0 ? undefined : { ...NO_ADDRESSES, ...this.current.oauth, scope };
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
 * Three names of the same data: the parameters and all `response.data`, in every request of a connection. Source:
 * docs/differences.md. [rt]
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

/** Response headers without credentials. Other headers may contain a session. */
const OPEN_HEADER =
  /^(?:cache-control|connection|content-(?:encoding|length|type)|date|keep-alive|retry-after|server|transfer-encoding|vary|www-authenticate|x-request-id|(?:x-)?rate-?limit(?:-[a-z-]+)?)$/;

/** A response with an error status and a JSON body, which names the error and contains no token. */
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

/** Runs `work` in a new run and reports the outcome. Trace events are emitted at the end. */
export async function runConnection<Given extends object>(
  runtime: Runtime,
  start: ConnectionStart,
  work: (run: ConnectionRun) => Promise<Given>,
): Promise<RunReport<Given>> {
  const { stored, common, names, signal } = start;
  const { parameters } = stored;
  const connection = { ...parameters, ...stored.connection };
  const input = { common, names, signal };
  const trace: TraceDepth = runtime.settings.trace === 'summary' ? 'summary' : 'full';
  const settings = { ...runtime.settings, onTrace: undefined, trace };
  // Emits events at the end, as a response value is recognized as a secret when it is stored. Omits bodies, as not
  // every secret is stored, except the body of a refusal, which explains the failure.
  const secrets = findRunSecrets(runtime, input, connection, parameters, start.temp, start.secrets);
  const { context, finish } = startRun({ ...runtime, settings }, input, secrets, {
    hidesTemp: true,
    component: `connection:${stored.component}`,
  });
  const started = withVariables(context, { ...connectionNames(connection), temp: start.temp ?? {} });
  const run = new ConnectionRun(started, stored, toText(runtime.environment['timezone']) || 'UTC');
  let failure: unknown;
  try {
    await applyCommonTimeout(runtime, context);
    const given = await work(run);
    return { ...reportSuccess(given, context), trace: run.trace(false) };
  } catch (thrown) {
    failure = thrown;
    return { ...reportFailure<Given>(thrown, context), trace: run.trace(true) };
  } finally {
    finish(failure);
    for (const event of run.trace(failure !== undefined)) {
      runtime.settings.onTrace?.(event, context.run.identity);
    }
  }
}

/** Source: https://github.com/integromat/vscode-apps-sdk: text or number. [src] */
function readUid(directive: Directive | undefined, context: RunContext): string | number | undefined {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  const place = context.position.document?.locationOf(directive.pointer);
  if (isUnsafeNumber(value)) {
    const message = `The uid ${value} exceeds the exact range of JSON numbers, so the connection has no uid. Use text.`;
    warn({ code: 'connection-uid', message, place }, context);
    return undefined;
  }
  if (typeof value === 'number') return value;
  const message = `uid has to be text or a number, not ${describeType(value)}.`;
  throw runError('RuntimeError', message, context, { place });
}

/** Source: https://github.com/integromat/vscode-apps-sdk; text means the value of the label. [src][inf] */
function readMetadata(directive: Directive | undefined, context: RunContext): ConnectionMetadata | undefined {
  const value = evaluateDirective(directive, context);
  const label = toText(isPlainObject(value) ? ownMember(value, 'value') : value).slice(0, MAX_LABEL);
  if (label === '') return undefined;
  const type = isPlainObject(value) && ownMember(value, 'type') === 'email' ? 'email' : 'text';
  return { type, value: label };
}

/** Largest length of a provider's text in a message. */
const MAX_TEXT = 300;

/** Adds the provider's error to the message of a response: after the app's own message, before the default message. */
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
 * Returns the error in a response body: `error` and `error_description` (RFC 6749 section 5.2), or other common
 * members. Undefined without one.
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
 * Converts an expiration time to milliseconds since the epoch: a date, a date text, or a Unix time in seconds or
 * milliseconds (as number or text). Undefined for other values. [inf]
 *
 * @param timezone of texts without an offset
 */
function readExpires(value: unknown, timezone: string): number | undefined {
  const number = toNumber(value);
  if (number === undefined) return readDate(value, timezone)?.getTime();
  return unixTimeToMs(number);
}

/**
 * Throws if the user has to authorize the connection again. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/connections. [doc], the type [inf]
 *
 * @throws AppError (CONNECTION_EXPIRED) of type InvalidAccessTokenError
 */
export function assertNotExpired(stored: StoredConnection, runtime: Runtime): void {
  const end = readExpires(stored.expires, readTimezone(runtime));
  if (end === undefined || end > runtime.settings.clock.now()) return;
  const message = 'The connection has expired. It has to be authorized again.';
  throw new AppError('InvalidAccessTokenError', message, { code: 'CONNECTION_EXPIRED' });
}

/**
 * Whether `data.expires`, the expiration of the access token, has passed. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/connections. [inf]
 */
export function isTokenOver({ connection }: StoredConnection, runtime: Runtime): boolean {
  const end = readExpires(ownMember(connection, 'expires'), readTimezone(runtime));
  return end !== undefined && end <= runtime.settings.clock.now();
}

function readTimezone(runtime: Runtime): string {
  return toText(runtime.environment['timezone']) || 'UTC';
}

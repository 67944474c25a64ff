import { randomUUID } from 'node:crypto';
import { SCOPE_LISTENER, type ScopeListener } from '../../language/environment.js';
import { LONGEST_TIMER_MS } from '../../shared/clock.js';
import { type AbortListener, addAbortListener, removeAbortListener } from '../../shared/concurrency.js';
import { AppError, type AppErrorOptions, type FailedRequest } from '../../shared/errors/app-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import { failSpan, NO_SPAN, type TraceSpan } from '../../shared/tracing.js';
import type { Document } from '../document/document.js';
import type { HttpServer } from '../http/transport.js';
import type { EngineSettings } from './engine-settings.js';
import type { Limits } from './limits.js';
import { RunLog } from './run-log.js';
import type { BudgetReason, RunWarning, StopReason, TraceDetail, TracedRun, TraceEvent } from './trace.js';

/** Facts of a run that are fixed at its start. */
export interface RunRules {
  /** Time limit in milliseconds at the start of the run. */
  readonly timeoutMs: number;
  /**
   * Whether requests may go only to servers that the app names, so that data of the run cannot choose another server.
   * For universal modules and endpoints.
   */
  readonly keepsHost: boolean;
  /** Runs a sibling endpoint of the app. */
  readonly callEndpoint: EndpointCaller | undefined;
  /** Whether all values of `temp` are secret. For connections. Default: by name. */
  readonly hidesTemp?: boolean | undefined;
  /** Returns the identity of the connection for budgets. Default: none. */
  readonly identifyConnection?: (() => string) | undefined;
  /** Default: those of the engine. */
  readonly limits?: Limits | undefined;
  /** Kind and name of the component, such as `module:listContacts`. */
  readonly component?: string | undefined;
  /** Name of the app, for spans. */
  readonly app?: string | undefined;
}

/** A call of a sibling endpoint, evaluated. */
export interface EndpointCall {
  readonly name: string;
  /** As `endpoint.connection` says: data of a connection, or the name of one; undefined for the run's own. */
  readonly connection: unknown;
  /** `parameters` of the endpoint. */
  readonly input: PlainObject;
  /** Whether it is for a follow-up page or a repeat: its input may come from a response. */
  readonly isFollowing: boolean;
}

/** The result of an endpoint: its output as `body`, status and headers of its last response. */
export interface EndpointAnswer {
  readonly body: unknown;
  readonly statusCode: unknown;
  readonly headers: unknown;
}

export type EndpointCaller = (call: EndpointCall, context: RunContext) => Promise<EndpointAnswer>;

/** Usage of the limits, endpoints included. */
export interface RunCounters {
  requests: number;
  /** Follow-up pages. */
  followUpPages: number;
  /** Records of requests with `pagination`. */
  pagedRecords: number;
  /** Records of the last request of the component. */
  records: number;
  /** Why its last paging ended; undefined if nothing was paged. */
  stopReason: StopReason | undefined;
}

/** Requests that waited for one reason. */
export interface BudgetWait {
  /** Origin of the API: `https://api.example.com`. */
  readonly origin: string;
  readonly reason: BudgetReason;
  /** The budget: concurrent requests, or requests per window; undefined if unknown. */
  readonly limit: number | undefined;
  /** Number of waits. */
  readonly times: number;
  readonly waitedMs: number;
}

/** A position in a run. */
export interface RunPosition {
  /** The document of directive pointers; undefined outside of directives. */
  readonly document: Document | undefined;
  /** Index in the chain. */
  readonly requestIndex: number;
  /** 1 for the first request, 2 for the first follow-up page. */
  readonly page: number;
  /** Name of the running endpoint; undefined for the component itself. */
  readonly endpoint: string | undefined;
  /** Whether that endpoint is called for a page or a repeat, so that its input may come from a response. */
  readonly followsResponse: boolean;
  /** Tells the communications of a run apart: the component's, and one for each call of an endpoint. */
  readonly communication: object;
}

/** Internal abort reasons, shared because creating an error captures the stack. */
const RUN_OVER: DOMException = new DOMException('The run is over.', 'AbortError');
const TIME_UP: DOMException = new DOMException('The time of the run is up.', 'TimeoutError');

/** Shared state of a run, from its first request to its report. */
export class Run {
  readonly settings: EngineSettings;
  readonly rules: RunRules;
  readonly limits: Limits;
  readonly counters: RunCounters = {
    requests: 0,
    followUpPages: 0,
    pagedRecords: 0,
    records: 0,
    stopReason: undefined,
  };
  /** Servers of endpoint requests for the first page, by endpoint and request. */
  readonly endpointServers: Map<string, HttpServer> = new Map();
  readonly log: RunLog;
  /** Ends with the run. */
  readonly span: TraceSpan;
  readonly startedAt: number;
  /** Time limit in milliseconds, with the `timeout` of the app. */
  timeoutMs: number;
  private cancelTimer: (() => void) | undefined;
  private controller: AbortController | undefined;
  /** The signal as a field: its getters take as long as a record. */
  private isAborted = false;
  private connectionIdentity: string | undefined;
  private known: TracedRun | undefined;
  private waited: BudgetWait[] | undefined;

  /** @param secrets values to redact */
  constructor(settings: EngineSettings, rules: RunRules, secrets: readonly string[]) {
    this.settings = settings;
    this.rules = rules;
    this.limits = rules.limits ?? settings.limits;
    const { onTrace } = settings;
    this.log = new RunLog(secrets, onTrace && ((event) => onTrace(event, this.identity)));
    this.span = this.startSpan();
    this.startedAt = settings.clock.now();
    this.timeoutMs = rules.timeoutMs;
  }

  get elapsedMs(): number {
    return this.settings.clock.now() - this.startedAt;
  }

  /** Identity of the connection for budgets. */
  get connection(): string {
    this.connectionIdentity ??= this.rules.identifyConnection?.() ?? '';
    return this.connectionIdentity;
  }

  /** The waits that call budgets caused. */
  get waits(): readonly BudgetWait[] | undefined {
    return this.waited;
  }

  addWait(why: Pick<BudgetWait, 'origin' | 'reason' | 'limit'>, waitedMs: number): void {
    this.waited ??= [];
    const { origin, reason } = why;
    const at = this.waited.findIndex((wait) => wait.origin === origin && wait.reason === reason);
    const before = this.waited[at] ?? { times: 0, waitedMs: 0 };
    const wait = { ...why, times: before.times + 1, waitedMs: before.waitedMs + waitedMs };
    this.waited.splice(at < 0 ? this.waited.length : at, 1, wait);
  }

  /** Aborts the current request at the deadline or the caller's abort. Created on first use. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    return this.controller.signal;
  }

  /** Aborts the run with the caller's reason. */
  abort(reason: unknown): void {
    this.isAborted = true;
    this.controller ??= new AbortController();
    this.controller.abort(reason);
  }

  /** Limits the time of the run, counted from its start, and aborts it at the deadline. */
  limitTime(timeoutMs: number): void {
    this.timeoutMs = timeoutMs;
    this.cancelTimer?.();
    // One extra millisecond: a run may use its limit completely. Timers would fire at once beyond their own limit.
    const leftMs = Math.max(0, timeoutMs + 1 - this.elapsedMs);
    this.cancelTimer =
      leftMs > LONGEST_TIMER_MS ? undefined : this.settings.clock.after(leftMs, () => this.abort(TIME_UP));
  }

  /** Below the active span. A run that prepares another has none. */
  private startSpan(): TraceSpan {
    const { settings, rules } = this;
    if (settings.tracing === undefined || rules.component === undefined) return NO_SPAN;
    const attributes = {
      'iml.app': rules.app,
      'iml.component': rules.component,
      'iml.run_id': this.identity.id,
    };
    return settings.tracing.startSpan({ name: 'iml run', kind: 'internal', attributes });
  }

  /** For listeners and spans. */
  get identity(): TracedRun {
    this.known ??= { id: randomUUID(), component: this.rules.component };
    return this.known;
  }

  /**
   * Aborts leftover work after the end of the run.
   *
   * @param error why it failed
   */
  end(error?: unknown): void {
    const { requests, records, followUpPages } = this.counters;
    this.span.set({ 'iml.requests': requests, 'iml.records': records, 'iml.follow_up_pages': followUpPages });
    if (error !== undefined) failSpan(this.span, error);
    this.span.end();
    this.cancelTimer?.();
    this.isAborted = true;
    this.controller?.abort(RUN_OVER);
  }

  /** Exactly at the limit a run may still go on. */
  get isTimeUp(): boolean {
    if (this.isAborted && this.controller?.signal.reason === TIME_UP) return true;
    return this.elapsedMs > this.timeoutMs;
  }

  /** @throws the reason of the caller's signal if it is aborted */
  throwIfCanceled(): void {
    if (!this.isAborted) return;
    const signal = this.controller?.signal;
    if (signal?.reason !== TIME_UP) signal?.throwIfAborted();
  }
}

/** The state of a run at one step: its facts, the variables that expressions see, and the position. Immutable. */
export interface RunContext {
  readonly run: Run;
  readonly scope: RunScope;
  readonly position: RunPosition;
}

/** The context in which a run starts. */
export function startContext(run: Run, names: RunScope): RunContext {
  const position = startPosition();
  return { run, scope: createScope(names, createScopeListener(run, position)), position };
}

function startPosition(): RunPosition {
  return {
    document: undefined,
    requestIndex: 0,
    page: 1,
    endpoint: undefined,
    followsResponse: false,
    communication: {},
  };
}

/** The same variables at another position. */
export function withPosition(
  { run, scope, position }: RunContext,
  changes: Partial<RunPosition>,
): RunContext {
  const next = { ...position, ...changes };
  return { run, scope: deriveScope(scope, {}, createScopeListener(run, next)), position: next };
}

/** The same position with other variables. */
export function withVariables({ run, scope, position }: RunContext, names: RunNames): RunContext {
  return { run, scope: deriveScope(scope, names), position };
}

/** The context of an endpoint call: a communication of its own that shares the run. */
export function endpointContext(
  { run, scope }: RunContext,
  endpoint: string,
  names: RunNames,
  followsResponse: boolean,
): RunContext {
  const position = { ...startPosition(), endpoint, followsResponse };
  return { run, scope: deriveScope(scope, names, createScopeListener(run, position)), position };
}

/**
 * A context for a list of items; `setItem` changes its variable `item`. One scope serves all items, because copying
 * the variables for each item costs as much as evaluating it.
 */
export function createItemContext(context: RunContext): {
  readonly itemContext: RunContext;
  readonly setItem: (item: unknown) => void;
} {
  const { run, position } = context;
  const scope = deriveScope(context.scope, { item: undefined });
  const setItem = (item: unknown): void => {
    scope['item'] = item;
  };
  return { itemContext: { run, scope, position }, setItem };
}

/**
 * Ends the run after its time limit or an abort by the caller. A run exactly at the limit continues.
 *
 * @param describeRequest the request that was in flight
 * @throws AppError of type ModuleTimeoutError; the reason of the caller's signal
 * @see docs/limits.md (Time)
 */
export function throwIfAborted(
  { run, position }: RunContext,
  describeRequest?: () => FailedRequest | undefined,
): void {
  run.throwIfCanceled();
  if (!run.isTimeUp) return;
  const { requestIndex, page } = position;
  throw moduleTimeout(run.timeoutMs, { requestIndex, page, request: describeRequest?.() });
}

/** The error of a module whose time is up. */
export function moduleTimeout(timeoutMs: number, details: AppErrorOptions = {}): AppError {
  return new AppError(
    'ModuleTimeoutError',
    `The module took longer than ${timeoutMs / 1000} seconds.`,
    details,
  );
}

/** Waits for work that the signal of the run ends, and throws the reason why the run ended. */
export async function awaitAbortable<T>(work: Promise<T>, context: RunContext): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throwIfAborted(context);
    throw error;
  }
}

/**
 * Waits for work that other runs share, at most until this run ends. The work continues.
 *
 * @throws as `throwIfAborted`
 */
export async function raceWithAbort<T>(work: Promise<T>, context: RunContext): Promise<T> {
  const { signal } = context.run;
  let listener: AbortListener | undefined;
  const aborted = new Promise<void>((resolve) => {
    // An aborted signal calls no listener.
    if (signal.aborted) return resolve();
    listener = { onAbort: resolve };
    addAbortListener(signal, listener);
  });
  try {
    await Promise.race([work, aborted]);
    throwIfAborted(context);
    return await work;
  } finally {
    if (listener !== undefined) removeAbortListener(signal, listener);
  }
}

/** The part of a context that an event needs: without its scope, which holds the decoded bodies. */
type EventSource = Pick<RunContext, 'run' | 'position'>;

/** Adds an event to the trace. */
export function emit(detail: TraceDetail, source: EventSource): void {
  emitLater(() => detail, source);
}

/**
 * Adds an event that is costly to render. `render` runs when the trace is read, or never. The trace keeps what `render` refers
 * to, so `render` must not refer to a context.
 */
export function emitLater(render: () => TraceDetail, { run, position }: EventSource): void {
  const { requestIndex, page, endpoint } = position;
  const at = run.settings.clock.now();
  const event = { at, requestIndex, page, ...(endpoint !== undefined && { endpoint }) };
  run.log.addEvent(() => ({ ...event, ...render() }) as TraceEvent);
}

/** Adds a warning to the report and the trace. The message is redacted, as it may quote a value. */
export function warn(raw: RunWarning, source: EventSource): void {
  const { log } = source.run;
  const warning = { ...raw, message: log.redactor.text(raw.message) };
  log.addWarning(warning);
  emit({ kind: 'warning', warning }, source);
}

/** Adds a warning unless the run has one with the same code and key. */
export function warnOnce(warning: RunWarning, source: EventSource, key: string = warning.message): void {
  if (source.run.log.markReported(`${warning.code} ${key}`)) warn(warning, source);
}

/** Records what expressions report: missing values, branches and `debug(...)`. */
function createScopeListener(run: Run, position: RunPosition): ScopeListener {
  const { log, settings } = run;
  const { document, requestIndex, endpoint } = position;
  return {
    onDebug({ function: name, values, place }) {
      const render = (): TraceDetail => {
        const shown = log.redactor.value(values);
        return { kind: 'debug', function: name, values: Array.isArray(shown) ? shown : [], place };
      };
      emitLater(render, { run, position });
    },
    onBranch({ pointer, offset, isTrue }) {
      settings.observer?.onDecision(document, pointer, isTrue, offset);
    },
    wantsMissing: () => log.acceptsMissing,
    // The log keeps a missing value once per run, however many records miss it.
    onMissing({ expression, pointer, offset, reason }) {
      if (!log.markMissing(`${requestIndex} ${pointer} ${offset} ${endpoint ?? ''}`)) return;
      const render = (): TraceDetail => {
        const place = document?.locationOf(pointer, offset) ?? { pointer };
        return { kind: 'missing', expression, reason, place };
      };
      emitLater(render, { run, position });
    },
  };
}

/** Variables of expressions. An embedder can add more. */
export interface RunNames {
  readonly environment?: unknown;
  readonly parameters?: unknown;
  readonly connection?: unknown;
  readonly common?: unknown;
  readonly data?: unknown;
  readonly webhook?: unknown;
  readonly payload?: unknown;
  readonly scenario?: unknown;
  readonly metadata?: unknown;
  readonly trigger?: unknown;
  readonly oauth?: unknown;
  readonly query?: unknown;
  readonly method?: unknown;
  readonly rawBody?: unknown;
  readonly temp?: unknown;
  readonly statusCode?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly iterate?: unknown;
  readonly item?: unknown;
  readonly output?: unknown;
  readonly pagination?: unknown;
}

/** The variables that expressions see. Immutable: `deriveScope` makes a scope with other values. */
export type RunScope = Readonly<Record<string, unknown>>;

/** A scope that only its creator can change. */
interface NewScope extends Record<string, unknown> {
  [SCOPE_LISTENER]: ScopeListener | undefined;
  [FURTHER]: readonly string[];
}

/** Names beside those above; a symbol, which no expression can name. */
const FURTHER: unique symbol = Symbol('iml.furtherNames');

const NONE: readonly string[] = [];

/** The first scope of a run; `listener` gets what its expressions report. */
function createScope(names: RunScope, listener: ScopeListener): NewScope {
  const further = Object.keys(names).filter((name) => !KNOWN.has(name));
  return addFurther(copyNames(names, listener), names, further);
}

/** A scope with the names and the listener of another one, some of them with another value. */
function deriveScope(
  scope: RunScope,
  changes: RunNames,
  listener: ScopeListener | undefined = (scope as NewScope)[SCOPE_LISTENER],
): NewScope {
  const derived = addFurther(copyNames(scope, listener), scope, (scope as NewScope)[FURTHER]);
  for (const name in changes) derived[name] = changes[name as keyof RunNames];
  return derived;
}

function addFurther(scope: NewScope, names: RunScope, further: readonly string[]): NewScope {
  for (const name of further) scope[name] = names[name];
  scope[FURTHER] = further;
  return scope;
}

/** One literal makes all scopes, so that they share one hidden class, by which expressions find a name fast. */
function copyNames(scope: RunNames, listener: ScopeListener | undefined): NewScope {
  return {
    environment: scope.environment,
    parameters: scope.parameters,
    connection: scope.connection,
    common: scope.common,
    data: scope.data,
    webhook: scope.webhook,
    payload: scope.payload,
    scenario: scope.scenario,
    metadata: scope.metadata,
    trigger: scope.trigger,
    oauth: scope.oauth,
    query: scope.query,
    method: scope.method,
    rawBody: scope.rawBody,
    temp: scope.temp,
    statusCode: scope.statusCode,
    headers: scope.headers,
    body: scope.body,
    iterate: scope.iterate,
    item: scope.item,
    output: scope.output,
    pagination: scope.pagination,
    [SCOPE_LISTENER]: listener,
    [FURTHER]: NONE,
  };
}

const KNOWN: ReadonlySet<string> = new Set(Object.keys(copyNames({}, undefined)));

import type { Document } from '../../document/reading/document.js';
import { AppError } from '../../errors/app-error.js';
import type { HttpServer } from '../../http/message/http-url.js';
import type { DebugOutput } from '../../iml/environment/environment.js';
import {
  type Branch,
  type MissingValue,
  SCOPE_LISTENER,
  type ScopeListener,
} from '../../iml/environment/scope-listener.js';
import type { Redactor } from '../../redaction/redact.js';
import { type AbortListener, addAbortListener, removeAbortListener } from '../../util/abort-listeners.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { BudgetReason } from '../limits/call-budget.js';
import type { Limits } from '../limits/limits.js';
import type { EventPosition, RunWarning, StopReason, TraceDetail, TraceEvent } from '../trace/trace.js';
import type { EngineSettings } from './engine-settings.js';
import { RunLog } from './run-log.js';
import { deriveScope, type NewScope, type RunNames, type RunScope, startScope } from './run-scope.js';

/** Renders an event of the trace. */
type WriteDetail = () => TraceDetail;

/** What is decided when a run starts. */
export interface RunRules {
  /** What the app may take, its own `timeout` considered. */
  readonly timeoutMs: number;
  /** Whether requests may only go where the app, not the data of a run, sends them. Of universal modules. */
  readonly keepsHost: boolean;
  /** Runs a sibling endpoint of the app. */
  readonly callEndpoint: EndpointCaller | undefined;
  /** Whether all that `temp` holds is a secret. Of connections. Default: what its names say. */
  readonly hidesTemp?: boolean | undefined;
  /** Gives the identity of the connection, whose calls share a budget. Default: that of a run without one. */
  readonly identifyConnection?: (() => string) | undefined;
  /** Default: those of the engine. */
  readonly limits?: Limits | undefined;
}

/** A call of a sibling endpoint, evaluated. */
export interface EndpointCall {
  readonly name: string;
  /** As `endpoint.connection` says: data of a connection, or the name of one; undefined for the run's own. */
  readonly connection: unknown;
  /** What the endpoint reads as `parameters`. */
  readonly input: PlainObject;
  /** Whether it is made for a further page or a repeat: what it is given may come from an answer. */
  readonly isFollowing: boolean;
}

/** What the caller of an endpoint sees: its output as `body`, and the status and headers of its last response. */
export interface EndpointAnswer {
  readonly body: unknown;
  readonly statusCode: unknown;
  readonly headers: unknown;
}

export type EndpointCaller = (call: EndpointCall, context: RunContext) => Promise<EndpointAnswer>;

/** What a run has used of its limits, endpoints included. */
export interface RunCounters {
  requests: number;
  /** Follow-up pages. */
  pages: number;
  /** Records of requests with `pagination`. */
  pagedRecords: number;
  /** Records of the last request of the component. */
  records: number;
  /** Why its last paging ended; undefined if nothing was paged. */
  stopReason: StopReason | undefined;
}

/** Calls that had to wait for one reason, added up. */
export interface BudgetWait {
  /** The service: `https://api.example.com`. */
  readonly origin: string;
  readonly reason: BudgetReason;
  /** What the budget was: calls at a time, or of a window; undefined where that is not known. */
  readonly limit: number | undefined;
  /** How often something had to wait. */
  readonly times: number;
  readonly waitedMs: number;
}

/** Where in a run something happens. */
export interface RunPosition {
  /** The document that pointers of directives lead into; undefined where none is at work. */
  readonly document: Document | undefined;
  /** 0-based, in the chain. */
  readonly requestIndex: number;
  /** 1 for the first request, 2 for the first follow-up page. */
  readonly page: number;
  /** Name of the endpoint at work; undefined while the component itself is. */
  readonly endpoint: string | undefined;
  /** Whether that endpoint is called for a page or a repeat, so that its input may come from a response. */
  readonly followsResponse: boolean;
  /** Tells the communications of a run apart: the component's, and one for each call of an endpoint. */
  readonly communication: object;
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

/** Nobody sees these reasons, so one of each does for all runs: making one takes the stack's trace. */
const RUN_OVER: DOMException = new DOMException('The run is over.', 'AbortError');
const TIME_UP: DOMException = new DOMException('The time of the run is up.', 'TimeoutError');

/** What everything in a run shares, from its first request to its report. */
export class Run {
  readonly settings: EngineSettings;
  readonly rules: RunRules;
  readonly limits: Limits;
  readonly counters: RunCounters = {
    requests: 0,
    pages: 0,
    pagedRecords: 0,
    records: 0,
    stopReason: undefined,
  };
  /** Where the requests of endpoints went when they were called for the first page, by endpoint and request. */
  readonly endpointServers: Map<string, HttpServer> = new Map();
  readonly log: RunLog;
  readonly startedAt: number;
  private controller: AbortController | undefined;
  private connectionIdentity: string | undefined;
  private waited: BudgetWait[] | undefined;

  /** @param secrets values that nothing may show */
  constructor(settings: EngineSettings, rules: RunRules, secrets: readonly string[]) {
    this.settings = settings;
    this.rules = rules;
    this.limits = rules.limits ?? settings.limits;
    this.log = new RunLog(secrets, settings.onTrace);
    this.startedAt = settings.clock.now();
  }

  get elapsedMs(): number {
    return this.settings.clock.now() - this.startedAt;
  }

  /** Whose calls share a budget with those of this run. */
  get connection(): string {
    this.connectionIdentity ??= this.rules.identifyConnection?.() ?? '';
    return this.connectionIdentity;
  }

  /** What the budgets of services made this run wait for. */
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

  /** Ends the exchange under way, because time is up or nobody listens any more. Made for runs that ask for it only. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    return this.controller.signal;
  }

  /** Ends what is under way for a reason of the caller's. */
  abort(reason: unknown): void {
    this.controller ??= new AbortController();
    this.controller.abort(reason);
  }

  endInTime(): void {
    this.abort(TIME_UP);
  }

  /** Ends what may still be under way once the run is over. */
  end(): void {
    this.controller?.abort(RUN_OVER);
  }

  /** Exactly at the limit a run may still go on. */
  get isTimeUp(): boolean {
    return this.controller?.signal.reason === TIME_UP || this.elapsedMs > this.rules.timeoutMs;
  }

  /** @throws the reason of the caller's signal once that is aborted */
  assertWanted(): void {
    const signal = this.controller?.signal;
    if (signal?.reason !== TIME_UP) signal?.throwIfAborted();
  }
}

/**
 * A place in a run with the names seen there: what a step is given, and what it gives back where it adds to the names.
 * None is ever changed.
 */
export class RunContext implements ScopeListener {
  readonly run: Run;
  readonly scope: RunScope;
  readonly position: RunPosition;

  private constructor(run: Run, scope: NewScope, position: RunPosition) {
    this.run = run;
    scope[SCOPE_LISTENER] = this;
    this.scope = scope;
    this.position = position;
  }

  /** Where a run starts, with the names it is given. */
  static start(run: Run, names: RunScope): RunContext {
    return new RunContext(run, startScope(names), startPosition());
  }

  /** The same names at another position. */
  at(change: Partial<RunPosition>): RunContext {
    return new RunContext(this.run, deriveScope(this.scope, {}), { ...this.position, ...change });
  }

  /** The same position, seen with other names: those given stand over the present ones, which stay as they are. */
  seeing(names: RunNames): RunContext {
    return new RunContext(this.run, deriveScope(this.scope, names), this.position);
  }

  /**
   * The same position for a list of items: what is shown is seen as `item`, one after the other. A copy of the names for
   * each item would cost as much as evaluating it, so this one scope, which nobody else has, is changed.
   */
  forItems(): { readonly context: RunContext; readonly show: (item: unknown) => void } {
    const context = this.seeing({ item: undefined });
    const names: Record<string, unknown> = context.scope;
    const show = (item: unknown): void => {
      names['item'] = item;
    };
    return { context, show };
  }

  /** A communication of its own on the counters, clock and log of this run: the names are its alone. */
  apart(endpoint: string, names: RunNames, followsResponse: boolean): RunContext {
    const position = { ...startPosition(), endpoint, followsResponse };
    return new RunContext(this.run, deriveScope(this.scope, names), position);
  }

  /**
   * Ends the run when its time is up, or nobody wants its result any more. Exactly at the limit it may still go on.
   *
   * @throws AppError of type ModuleTimeoutError; the reason of the caller's signal once that is aborted
   * @see docs/limits.md (Time)
   */
  assertGoesOn(): void {
    const { run, position } = this;
    run.assertWanted();
    if (!run.isTimeUp) return;
    const { requestIndex, page } = position;
    const message = `The module took longer than ${run.rules.timeoutMs / 1000} seconds.`;
    throw new AppError('ModuleTimeoutError', message, { requestIndex, page });
  }

  /** Waits for something that the signal of the run may end; what is thrown then is what ended the run. */
  async whileGoingOn<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.assertGoesOn();
      throw error;
    }
  }

  /**
   * Waits for what is done for other runs as well and does not end with this one, but no longer than this one goes on.
   *
   * @throws as `assertGoesOn`
   */
  async unlessOver<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    let listener: AbortListener | undefined;
    const over = new Promise<void>((resolve) => {
      // It tells nobody twice.
      if (signal.aborted) return resolve();
      listener = { onAbort: resolve };
      addAbortListener(signal, listener);
    });
    try {
      await Promise.race([work, over]);
      this.assertGoesOn();
      return await work;
    } finally {
      if (listener !== undefined) removeAbortListener(signal, listener);
    }
  }

  get settings(): EngineSettings {
    return this.run.settings;
  }

  get counters(): RunCounters {
    return this.run.counters;
  }

  get document(): Document | undefined {
    return this.position.document;
  }

  get signal(): AbortSignal {
    return this.run.signal;
  }

  get warnings(): readonly RunWarning[] {
    return this.run.log.warnings;
  }

  get trace(): RunLog['trace'] {
    return this.run.log.trace;
  }

  get redactor(): Redactor {
    return this.run.log.redactor;
  }

  /** A message without secrets. */
  clean(message: string): string {
    return this.run.log.redact(message);
  }

  emit(detail: TraceDetail): void {
    this.emitLater(() => detail);
  }

  /**
   * `emit` for an event that costs something to write; it is written when it is asked for, or never. Until then all that
   * `write` reaches is kept, so it must not reach a context.
   */
  emitLater(write: WriteDetail): void {
    const event = placeEvent(this.#eventPosition(), write);
    this.trace.add(event);
  }

  #eventPosition(): EventPosition {
    const { requestIndex, page, endpoint } = this.position;
    const at = this.settings.clock.now();
    return { at, requestIndex, page, ...(endpoint !== undefined && { endpoint }) };
  }

  /** A message may quote what an expression gave. */
  warn(raw: RunWarning): void {
    const warning = { ...raw, message: this.clean(raw.message) };
    this.run.log.warnings.push(warning);
    this.emit({ kind: 'warning', warning });
  }

  /** Warns of something that may come up again and again. */
  warnOnce(warning: RunWarning, key: string = warning.message): void {
    if (this.run.log.isNew(`${warning.code} ${key}`)) this.warn(warning);
  }

  onDebug({ function: name, values, place }: DebugOutput): void {
    const { log } = this.run;
    this.emitLater(() => {
      const shown = log.redactor.value(values);
      return { kind: 'debug', function: name, values: Array.isArray(shown) ? shown : [], place };
    });
  }

  onBranch({ pointer, offset, isYes }: Branch): void {
    this.settings.observer?.onDecision(this.document, pointer, isYes, offset);
  }

  wantsMissing(): boolean {
    return this.run.log.tellsMissing;
  }

  /** Each missing value is told once a run, however many records miss it, up to as many as somebody may read. */
  onMissing({ expression, pointer, offset, reason }: MissingValue): void {
    const { requestIndex, endpoint, document } = this.position;
    if (!this.run.log.isNewlyMissing(`${requestIndex} ${pointer} ${offset} ${endpoint ?? ''}`)) return;
    this.emitLater(() => {
      const place = document?.locationOf(pointer, offset) ?? { pointer };
      return { kind: 'missing', expression, reason, place };
    });
  }
}

/**
 * Beside the method, whose closures would all keep its `this`: with it each event kept the names of its place, so the decoded
 * bodies of all pages, until the trace was read or dropped.
 */
function placeEvent(position: EventPosition, write: WriteDetail): () => TraceEvent {
  return () => ({ ...position, ...write() }) as TraceEvent;
}

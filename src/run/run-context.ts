import type { Redactor } from '../redaction/redact.js';
import type { Transport, TransportRequest, TransportResponse } from '../http/message/transport.js';
import type { CompiledRequest } from '../document/compile/compiled-request.js';
import type { Document } from '../document/reading/document.js';
import type { Clock } from '../util/clock.js';
import type { PlainObject } from '../util/plain-object.js';
import type { Limits } from './limits/limits.js';
import type { RunWarning, StopReason, TraceDetail, TraceEvent, TraceListener } from './trace/trace.js';
import { TraceLog } from './trace/trace-log.js';

/** The names expressions see in a run. One object for the whole run: each phase sets the names it is about. */
export type RunScope = Record<string, unknown>;

export interface RunSettings {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Limits;
  /** What the app may take, its own `timeout` considered. */
  readonly timeoutMs: number;
  readonly onPageLoop: 'warn' | 'stop' | 'error';
  /** Whether events carry bodies. */
  readonly trace: 'summary' | 'full';
  readonly onTrace: TraceListener | undefined;
  /** Runs a sibling endpoint of the app. */
  readonly callEndpoint: EndpointCaller | undefined;
  /** Whether requests may only go where the app, not the data of a run, sends them. Of universal modules. */
  readonly keepsHost: boolean;
}

/** A call of a sibling endpoint, evaluated. */
export interface EndpointCall {
  readonly name: string;
  /** As `endpoint.connection` says: data of a connection, or the name of one; undefined for the run's own. */
  readonly connection: unknown;
  /** What the endpoint reads as `parameters`. */
  readonly input: PlainObject;
}

/** Gives what the endpoint puts out; its status and headers are in the scope afterwards. */
export type EndpointCaller = (call: EndpointCall, context: RunContext) => Promise<unknown>;

/** Nobody waits for what a run leaves behind, so one reason does for all: making one takes the stack's trace. */
const RUN_OVER: DOMException = new DOMException('The run is over.', 'AbortError');

/** The state of one run, from its first request to its report. */
export class RunContext {
  readonly settings: RunSettings;
  readonly scope: RunScope;
  readonly startedAt: number;
  readonly trace: TraceLog;
  readonly warnings: RunWarning[] = [];
  requests = 0;
  pages = 0;
  records = 0;
  stopReason: StopReason | undefined;
  /** The request at work, its place in the chain, and the page it asks for. */
  request: CompiledRequest | undefined;
  /** Where directives are written that belong to no request, such as the answer of a webhook. */
  source: Document | undefined;
  requestIndex = 0;
  page = 1;
  /** Name of the endpoint at work; undefined while the component itself is. */
  endpoint: string | undefined;
  /** Cleans what is shown, by what the connection and the request at work say is secret. */
  redactor: Redactor;
  /** Told before anything is said: what the run keeps by now may be a secret that the redactor has not heard of. */
  beforeClean: (() => void) | undefined;
  /** What was sent and received last. */
  lastRequest: TransportRequest | undefined;
  lastResponse: TransportResponse | undefined;
  private controller: AbortController | undefined;

  constructor(settings: RunSettings, scope: RunScope, redactor: Redactor) {
    this.settings = settings;
    this.scope = scope;
    this.redactor = redactor;
    this.startedAt = settings.clock.now();
    this.trace = new TraceLog(settings.onTrace);
  }

  /** The document that pointers of directives lead into. */
  get document(): Document | undefined {
    return this.request?.document ?? this.source;
  }

  /** Ends the exchange under way, because time is up or nobody listens any more. Made for runs that ask for it only. */
  get abort(): AbortController {
    this.controller ??= new AbortController();
    return this.controller;
  }

  /** Ends what may still be under way once the run is over. */
  end(): void {
    this.controller?.abort(RUN_OVER);
  }

  get elapsedMs(): number {
    return this.settings.clock.now() - this.startedAt;
  }

  /**
   * A message without secrets. An app may quote anything it sent or got, so what these exchanges hold in secret
   * places is looked up first; doing so only when something is said keeps it off the path of a good run.
   */
  clean(message: string): string {
    const { lastRequest, lastResponse, redactor, trace } = this;
    this.beforeClean?.();
    // Writing the trace is what teaches the redactor the secrets of earlier exchanges.
    void trace.events;
    if (lastRequest !== undefined) redactor.request(lastRequest);
    if (lastResponse !== undefined) redactor.response(lastResponse);
    return redactor.text(message);
  }

  emit(detail: TraceDetail): void {
    this.emitLater(() => detail);
  }

  /** `emit` for an event that costs something to write; it is written when it is asked for, or never. */
  emitLater(write: () => TraceDetail): void {
    const { requestIndex, page } = this;
    const at = this.settings.clock.now();
    this.trace.add(() => ({ at, requestIndex, page, ...write() }) as TraceEvent);
  }

  warn(warning: RunWarning): void {
    this.warnings.push(warning);
    this.emit({ kind: 'warning', warning });
  }
}

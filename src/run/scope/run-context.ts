import type { Document } from '../../document/reading/document.js';
import type { HttpUrl } from '../../http/message/http-url.js';
import { listenForBranches } from '../../iml/environment/branch-hook.js';
import { listenForDebug } from '../../iml/environment/debug-hook.js';
import type { DebugOutput } from '../../iml/environment/environment.js';
import { listenForMissing, type MissingValue } from '../../iml/environment/scope-hook.js';
import type { Redactor } from '../../redaction/redact.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { RunWarning, StopReason, TraceDetail, TraceEvent } from '../trace/trace.js';
import type { EngineSettings } from './engine-settings.js';
import { RunLog } from './run-log.js';

/** The names expressions see. One object a communication: each phase sets the names it is about. */
export type RunScope = Record<string, unknown>;

/** What is decided when a run starts. */
export interface RunRules {
  /** What the app may take, its own `timeout` considered. */
  readonly timeoutMs: number;
  /** Whether requests may only go where the app, not the data of a run, sends them. Of universal modules. */
  readonly keepsHost: boolean;
  /** Runs a sibling endpoint of the app. */
  readonly callEndpoint: EndpointCaller | undefined;
}

/** A call of a sibling endpoint, evaluated. */
export interface EndpointCall {
  readonly name: string;
  /** As `endpoint.connection` says: data of a connection, or the name of one; undefined for the run's own. */
  readonly connection: unknown;
  /** What the endpoint reads as `parameters`. */
  readonly input: PlainObject;
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
}

/** How far a communication has come: records of its last request so far, and why the last paging ended. */
export interface RunProgress {
  records: number;
  stopReason: StopReason | undefined;
  /** Where the first page of the paging under way was asked for. */
  firstUrl?: HttpUrl | undefined;
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
}

const START: RunPosition = { document: undefined, requestIndex: 0, page: 1, endpoint: undefined };

/** Nobody sees these reasons, so one of each does for all runs: making one takes the stack's trace. */
const RUN_OVER: DOMException = new DOMException('The run is over.', 'AbortError');
const TIME_UP: DOMException = new DOMException('The time of the run is up.', 'TimeoutError');

/** What everything in a run shares, from its first request to its report. */
export class Run {
  readonly settings: EngineSettings;
  readonly rules: RunRules;
  readonly counters: RunCounters = { requests: 0, pages: 0, pagedRecords: 0 };
  readonly log: RunLog;
  readonly startedAt: number;
  private controller: AbortController | undefined;

  constructor(settings: EngineSettings, rules: RunRules, redactor: Redactor) {
    this.settings = settings;
    this.rules = rules;
    this.log = new RunLog(redactor, settings.onTrace, settings.trace);
    this.startedAt = settings.clock.now();
  }

  get elapsedMs(): number {
    return this.settings.clock.now() - this.startedAt;
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

/** A place in a run: what a step is given. Steps elsewhere get another one; none is ever changed. */
export class RunContext {
  readonly run: Run;
  readonly scope: RunScope;
  readonly position: RunPosition;
  readonly progress: RunProgress;

  constructor(
    run: Run,
    scope: RunScope,
    position: RunPosition = START,
    progress: RunProgress = { records: 0, stopReason: undefined },
  ) {
    this.run = run;
    this.scope = scope;
    this.position = position;
    this.progress = progress;
    listenForMissing(scope, (missing) => this.tellMissing(missing));
    listenForDebug(scope, (output) => this.tellDebug(output));
    const { observer } = run.settings;
    if (observer === undefined) return;
    listenForBranches(scope, ({ pointer, offset, isYes }) =>
      observer.onDecision(this.document, pointer, isYes, offset),
    );
  }

  /** The same run and scope at another position. */
  at(change: Partial<RunPosition>): RunContext {
    return new RunContext(this.run, this.scope, { ...this.position, ...change }, this.progress);
  }

  /** The same position, seen with other names: those given stand over the present ones, which stay as they are. */
  seeing(names: RunScope): RunContext {
    return new RunContext(this.run, { ...this.scope, ...names }, this.position, this.progress);
  }

  /** A communication of its own on the counters, clock and log of this run: the names are its alone. */
  apart(endpoint: string, names: RunScope): RunContext {
    return new RunContext(this.run, { ...this.scope, ...names }, { ...START, endpoint });
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

  /** See `RunLog.clean`. */
  clean(message: string): string {
    return this.run.log.clean(message);
  }

  emit(detail: TraceDetail): void {
    this.emitLater(() => detail);
  }

  /** `emit` for an event that costs something to write; it is written when it is asked for, or never. */
  emitLater(write: () => TraceDetail): void {
    const { requestIndex, page, endpoint } = this.position;
    const at = this.settings.clock.now();
    const position = { at, requestIndex, page, ...(endpoint !== undefined && { endpoint }) };
    this.trace.add(() => ({ ...position, ...write() }) as TraceEvent);
  }

  warn(warning: RunWarning): void {
    this.run.log.warnings.push(warning);
    this.emit({ kind: 'warning', warning });
  }

  /** Warns of something that may come up again and again. */
  warnOnce(warning: RunWarning, key: string = warning.message): void {
    if (this.run.log.isNew(`${warning.code} ${key}`)) this.warn(warning);
  }

  private tellDebug({ function: name, values, place }: DebugOutput): void {
    this.emitLater(() => {
      const cleaned = this.redactor.value(values);
      return { kind: 'debug', function: name, values: Array.isArray(cleaned) ? cleaned : [], place };
    });
  }

  /** Each missing value is told once a run, however many records miss it. */
  private tellMissing({ expression, pointer, offset, reason }: MissingValue): void {
    const { requestIndex, document } = this.position;
    if (!this.run.log.isNew(`missing ${requestIndex} ${pointer} ${offset}`)) return;
    const place = document?.placeOf(pointer, offset) ?? { pointer };
    this.emit({ kind: 'missing', expression, reason, place });
  }
}

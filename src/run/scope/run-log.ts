import type { TransportRequest, TransportResponse } from '../../http/message/transport.js';
import type { Redactor } from '../../redaction/redact.js';
import type { RunWarning, TraceListener } from '../trace/trace.js';
import { TraceLog } from '../trace/trace-log.js';

/** Names of a scope that have another value than before. */
interface ScopeChanges {
  /** 0 for the first scope of the run. */
  readonly scope: number;
  readonly changed: readonly (readonly [name: string, value: unknown])[];
  readonly unset: readonly string[];
}

/** What a run has to tell, and what it must not: both only grow. */
export class RunLog {
  readonly trace: TraceLog;
  readonly warnings: RunWarning[] = [];
  /** Told before anything is said: what the run keeps by now may be a secret that the redactor has not heard of. */
  beforeClean: (() => void) | undefined;
  #redactor: Redactor;
  readonly #told = new Set<string>();
  #lastRequest: TransportRequest | undefined;
  #lastResponse: TransportResponse | undefined;
  /** What was told of each scope, in the order in which they came up. */
  readonly #scopes = new Map<object, ReadonlyMap<string, unknown>>();

  constructor(redactor: Redactor, onTrace: TraceListener | undefined) {
    this.#redactor = redactor;
    this.trace = new TraceLog(onTrace);
  }

  /** Cleans what is shown, by what the connection and the requests so far say is secret. */
  get redactor(): Redactor {
    return this.#redactor;
  }

  /** From here on, what stands at these paths of requests and responses is secret, too. */
  sanitize(paths: readonly string[]): void {
    if (paths.length > 0) this.#redactor = this.#redactor.withSanitize(paths);
  }

  /** Notes what is sent; what comes back is noted by `receive`. */
  send(request: TransportRequest): void {
    this.#lastRequest = request;
    this.#lastResponse = undefined;
  }

  receive(response: TransportResponse): void {
    this.#lastResponse = response;
  }

  /** Whether something is told for the first time. */
  isNew(key: string): boolean {
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    return true;
  }

  /** What has changed in a scope since this was asked before, and its number among the scopes of the run. */
  scopeChanges(scope: Readonly<Record<string, unknown>>): ScopeChanges {
    const before = this.#scopes.get(scope) ?? new Map<string, unknown>();
    const now = new Map(Object.entries(scope).filter(([, value]) => value !== undefined));
    this.#scopes.set(scope, now);
    return {
      scope: [...this.#scopes.keys()].indexOf(scope),
      changed: [...now].filter(([name, value]) => before.get(name) !== value),
      unset: [...before.keys()].filter((name) => !now.has(name)),
    };
  }

  /**
   * A message without secrets. An app may quote anything it sent or got, so what the last exchange holds in secret
   * places is looked up first; doing so only when something is said keeps it off the path of a good run.
   */
  clean(message: string): string {
    this.beforeClean?.();
    // Writing the trace is what teaches the redactor the secrets of earlier exchanges.
    void this.trace.events;
    if (this.#lastRequest !== undefined) this.#redactor.request(this.#lastRequest);
    if (this.#lastResponse !== undefined) this.#redactor.response(this.#lastResponse);
    return this.#redactor.text(message);
  }
}

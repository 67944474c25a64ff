import { decodeBody, type ResponseType } from '../http/body/decode-body.js';
import type { TransportRequest, TransportResponse } from '../http/transport.js';
import { createRedactor, type LoggableResponse, type Redactor } from '../redaction/redact.js';
import { MAX_KNOWN_SECRETS } from '../redaction/secret-matcher.js';
import type { RunWarning, TraceEvent, TraceListener } from './trace.js';

/** Bytes of messages that wait to be searched for secrets. [choice] */
const MAX_UNSEARCHED_BYTES = 768 * 1024;

/** Missing values that a run reports. [choice] */
const MAX_MISSING = 500;

/** A request, or a response with the type of its body if it could be decoded. */
type Message =
  | { readonly request: Pick<TransportRequest, 'url' | 'headers' | 'body'> }
  | { readonly response: LoggedResponse; readonly type: ResponseType | undefined };

type LoggedResponse = Pick<LoggableResponse, 'headers' | 'body'> | TransportResponse;

/** Names of a scope whose value has changed. */
interface ScopeChanges {
  /** 0 for the first scope of the run. */
  readonly scope: number;
  readonly changed: readonly (readonly [name: string, value: unknown])[];
  readonly unset: readonly string[];
}

/** The trace, the warnings and the secrets of a run. */
export class RunLog {
  readonly trace: TraceLog;
  readonly #warnings: RunWarning[] = [];
  /** Secrets by their fields and names: they must not stand in the path of another host either, where ids may. */
  readonly credentials: string[] = [];
  readonly #reported = new Set<string>();
  readonly #missing = new Set<string>();
  readonly #sanitized = new Set<string>();
  #redactor: Redactor;
  /** Most runs render nothing, so messages are searched for secrets when something is rendered. */
  #unsearched: Message[] = [];
  #unsearchedBytes = 0;
  /** The names each communication has reported, in the order of their first report. */
  readonly #scopes = new Map<object, ReadonlyMap<string, unknown>>();

  /** @param secrets values to redact */
  constructor(secrets: readonly string[], onTrace: TraceListener | undefined) {
    this.#redactor = createRedactor({ secrets });
    this.trace = new TraceLog(onTrace);
    if (!this.#redactor.isComplete()) this.#warnOfMany();
  }

  /** Redacts the secrets of all that came before: input, messages, `log.sanitize`. */
  get redactor(): Redactor {
    if (this.#unsearched.length > 0) this.#searchMessages();
    return this.#redactor;
  }

  redact(message: string): string {
    return this.redactor.text(message);
  }

  /** Adds values to redact. */
  collect(secrets: readonly string[]): void {
    this.#redactor.collect(secrets);
    if (!this.#redactor.isComplete()) this.#warnOfMany();
  }

  collectCredentials(secrets: readonly string[]): void {
    this.credentials.push(...secrets);
    this.collect(secrets);
  }

  /** Adds entries of `log.sanitize`; requests of a chain repeat those of the base. */
  sanitize(entries: readonly string[]): void {
    const added = [...new Set(entries)].filter((entry) => !this.#sanitized.has(entry));
    if (added.length === 0) return;
    const kept = added.slice(0, Math.max(0, MAX_KNOWN_SECRETS - this.#sanitized.size));
    for (const entry of kept) this.#sanitized.add(entry);
    this.#redactor = this.#redactor.withSanitize(kept);
    if (kept.length < added.length) this.#warnOfMany();
  }

  /** Records a request before it is sent. */
  send({ url, headers, body }: TransportRequest): void {
    if (this.#unsearchedBytes > MAX_UNSEARCHED_BYTES) this.#searchMessages();
    // The whole request refers to a context, whose variables hold the last decoded body.
    this.#unsearched.push({ request: { url, headers, body } });
    this.#unsearchedBytes += body?.byteLength ?? 0;
  }

  /** Records a response; `decoded` follows if its body can be decoded. */
  receive(response: TransportResponse): void {
    this.#unsearched.push({ response, type: undefined });
    this.#unsearchedBytes += response.body.byteLength;
  }

  /**
   * Records how the body of the last response was decoded. Small bodies stay bytes until they are searched: decoded bodies of
   * many pages would survive garbage collections. Large ones are searched soon, and decoding them again costs more.
   */
  decoded(response: TransportResponse, type: ResponseType, value: unknown): void {
    const last = this.#unsearched.at(-1);
    if (last !== undefined && 'response' in last) this.#unsearched.pop();
    const isLarge = response.body.byteLength > MAX_UNSEARCHED_BYTES;
    if (isLarge)
      this.#unsearched.push({ response: { headers: response.headers, body: value }, type: undefined });
    else this.#unsearched.push({ response, type });
  }

  #searchMessages(): void {
    const messages = this.#unsearched;
    this.#unsearched = [];
    this.#unsearchedBytes = 0;
    for (const message of messages) {
      if ('request' in message) this.#redactor.collectRequest(message.request);
      else this.#redactor.collectResponse(decodeAgain(message.response, message.type));
    }
    if (!this.#redactor.isComplete()) this.#warnOfMany();
  }

  #warnOfMany(): void {
    if (!this.markReported('many-secrets')) return;
    const message = `Too many secrets: this run redacts ${MAX_KNOWN_SECRETS} of them. Others may be shown or sent to other hosts. See docs/security.md.`;
    this.addWarning({ code: 'many-secrets', message, place: undefined });
  }

  get warnings(): readonly RunWarning[] {
    return this.#warnings;
  }

  addWarning(warning: RunWarning): void {
    this.#warnings.push(warning);
  }

  /** Marks something as reported; false if it is already. */
  markReported(key: string): boolean {
    if (this.#reported.has(key)) return false;
    this.#reported.add(key);
    return true;
  }

  /** Whether the run still reports missing values: it reports the first 500. */
  get acceptsMissing(): boolean {
    return this.#missing.size < MAX_MISSING;
  }

  /** Marks a missing value as reported; false if it is already, or the run reports no more. */
  markMissing(key: string): boolean {
    if (!this.acceptsMissing || this.#missing.has(key)) return false;
    this.#missing.add(key);
    return true;
  }

  /** Records the variables of a communication, and returns those that changed since the last call. */
  recordScope(communication: object, scope: Readonly<Record<string, unknown>>): ScopeChanges {
    const before = this.#scopes.get(communication) ?? new Map<string, unknown>();
    const now = new Map(Object.entries(scope).filter(([, value]) => value !== undefined));
    this.#scopes.set(communication, now);
    return {
      scope: [...this.#scopes.keys()].indexOf(communication),
      changed: [...now].filter(([name, value]) => before.get(name) !== value),
      unset: [...before.keys()].filter((name) => !now.has(name)),
    };
  }
}

function decodeAgain(response: LoggedResponse, type: ResponseType | undefined): LoggedResponse {
  if (type === undefined || !('status' in response)) return response;
  const decoded = decodeBody(response, type);
  return decoded.ok ? { headers: response.headers, body: decoded.value } : response;
}

/**
 * The events of a run, in order. Most traces are never read, and redacting an event takes as long as reading a small page:
 * an event is rendered for a listener, or when the events are read.
 */
export class TraceLog {
  readonly #listener: TraceListener | undefined;
  // Hard private: events that are not rendered yet hold secrets.
  readonly #events: (TraceEvent | (() => TraceEvent))[] = [];
  #rendered = 0;

  constructor(listener: TraceListener | undefined) {
    this.#listener = listener;
  }

  add(render: () => TraceEvent): void {
    if (this.#listener === undefined) {
      this.#events.push(render);
      return;
    }
    const event = render();
    this.#events.push(event);
    this.#listener(event);
  }

  get events(): readonly TraceEvent[] {
    for (; this.#rendered < this.#events.length; this.#rendered++) {
      const event = this.#events[this.#rendered];
      if (typeof event === 'function') this.#events[this.#rendered] = event();
    }
    return this.#events as TraceEvent[];
  }
}

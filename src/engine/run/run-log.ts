import { decodeBody, type ResponseType } from '../http/body/decode-body.js';
import type { ResponseHeaders, TransportRequest, TransportResponse } from '../http/transport.js';
import { createRedactor, type Redactor } from '../redaction/redact.js';
import { MAX_KNOWN_SECRETS } from '../redaction/secrets.js';
import type { RunWarning, TraceEvent } from './trace.js';

/** Bytes of messages that wait to be searched for secrets. [choice] */
const MAX_UNSEARCHED_BYTES = 768 * 1024;

/** Missing values that a run reports. [choice] */
const MAX_MISSING = 500;

/** Adds the secrets of a request or response to a redactor. */
type Search = (redactor: Redactor) => void;

/** The trace, the warnings and the secrets of a run. */
export class RunLog {
  readonly #warnings: RunWarning[] = [];
  readonly #onTrace: ((event: TraceEvent) => void) | undefined;
  // Hard private: events that are not rendered yet hold secrets.
  readonly #events: (TraceEvent | (() => TraceEvent))[] = [];
  /** Secrets by their fields and names. They must not occur in the path of another host, where IDs are allowed. */
  readonly credentials: string[] = [];
  readonly #reported = new Set<string>();
  #missing = 0;
  readonly #sanitized = new Set<string>();
  #redactor: Redactor;
  /** Most runs render nothing, so messages are searched for secrets when something is rendered. */
  #searches: Search[] = [];
  #unsearchedBytes = 0;
  /** The response of the last search, until its body is decoded. */
  #undecoded: TransportResponse | undefined;
  /** The names each communication has reported, in the order of their first report. */
  readonly scopes: Map<object, ReadonlyMap<string, unknown>> = new Map();

  /** @param secrets values to redact */
  constructor(secrets: readonly string[], onTrace: ((event: TraceEvent) => void) | undefined) {
    this.#redactor = createRedactor({ secrets });
    this.#onTrace = onTrace;
    this.#checkRoom();
  }

  /**
   * Adds an event. Most traces are never read, and redacting an event takes as long as reading a small page: an event is
   * rendered for a listener, and when the events are read. Then more secrets are known: a name that a request sends
   * later may make a value secret.
   */
  addEvent(render: () => TraceEvent): void {
    this.#events.push(render);
    this.#onTrace?.(render());
  }

  /** The events of the run, in order. */
  get events(): readonly TraceEvent[] {
    for (const [index, event] of this.#events.entries()) {
      if (typeof event === 'function') this.#events[index] = event();
    }
    return this.#events as TraceEvent[];
  }

  get warnings(): readonly RunWarning[] {
    return this.#warnings;
  }

  addWarning(warning: RunWarning): void {
    this.#warnings.push(warning);
  }

  /** Redacts the secrets of all that came before: input, messages, `log.sanitize`. */
  get redactor(): Redactor {
    if (this.#searches.length > 0) this.#searchMessages();
    return this.#redactor;
  }

  /** Adds values to redact. */
  collect(secrets: readonly string[]): void {
    this.#redactor.collect(secrets);
    this.#checkRoom();
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

  /** Records a request before it is sent. Keeps no context, whose variables hold the last decoded body. */
  send({ url, headers, body }: TransportRequest): void {
    if (this.#unsearchedBytes > MAX_UNSEARCHED_BYTES) this.#searchMessages();
    this.#searches.push((redactor) => redactor.collectRequest({ url, headers, body }));
    this.#undecoded = undefined;
    this.#unsearchedBytes += body?.byteLength ?? 0;
  }

  /** Records a response; `decoded` follows if its body can be decoded. */
  receive(response: TransportResponse): void {
    this.#searches.push((redactor) => redactor.collectResponse(response));
    this.#undecoded = response;
    this.#unsearchedBytes += response.body.byteLength;
  }

  /**
   * Records how the body of the last response was decoded. Small bodies stay bytes until they are searched: decoded bodies of
   * many pages would survive garbage collections. Large ones are searched soon, and decoding them again costs more.
   */
  decoded(response: TransportResponse, type: ResponseType, value: unknown): void {
    if (this.#undecoded === response) this.#searches.pop();
    const isLarge = response.body.byteLength > MAX_UNSEARCHED_BYTES;
    this.#searches.push(isLarge ? searchLarge(response.headers, value) : searchAgain(response, type));
    this.#undecoded = undefined;
  }

  #searchMessages(): void {
    const searches = this.#searches;
    this.#searches = [];
    this.#unsearchedBytes = 0;
    this.#undecoded = undefined;
    for (const search of searches) search(this.#redactor);
    this.#checkRoom();
  }

  #checkRoom(): void {
    if (!this.#redactor.isComplete()) this.#warnOfMany();
  }

  #warnOfMany(): void {
    if (!this.markReported('many-secrets')) return;
    const message = `Too many secrets: this run redacts ${MAX_KNOWN_SECRETS} of them. Others may be shown or sent to other hosts. See docs/security.md.`;
    this.addWarning({ code: 'many-secrets', message, place: undefined });
  }

  /** Marks something as reported; false if it is already. */
  markReported(key: string): boolean {
    return this.#reported.size < this.#reported.add(key).size;
  }

  /** Whether the run still reports missing values: it reports the first 500. */
  get acceptsMissing(): boolean {
    return this.#missing < MAX_MISSING;
  }

  /** Marks a missing value as reported; false if it is already, or the run reports no more. */
  markMissing(key: string): boolean {
    const isNew = this.acceptsMissing && this.markReported(`missing ${key}`);
    if (isNew) this.#missing++;
    return isNew;
  }
}

function searchLarge(headers: ResponseHeaders, body: unknown): Search {
  return (redactor) => redactor.collectResponse({ headers, body });
}

function searchAgain(response: TransportResponse, type: ResponseType): Search {
  return (redactor) => {
    const decoded = decodeBody(response, type);
    redactor.collectResponse(decoded.ok ? { headers: response.headers, body: decoded.value } : response);
  };
}

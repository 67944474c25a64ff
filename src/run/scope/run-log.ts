import type { ResponseHeaders, TransportRequest, TransportResponse } from '../../http/message/transport.js';
import { createRedactor, type Redactor } from '../../redaction/redact.js';
import { MAX_KNOWN_SECRETS } from '../../redaction/secret-matcher.js';
import { type RunWarning, type TraceListener, TraceLog } from '../trace/trace.js';

/** Bytes of messages that wait to be searched for secrets. [choice] */
const MAX_UNSEARCHED_BYTES = 768 * 1024;

/** Missing values that a run reports. [choice] */
const MAX_MISSING = 500;

/** A request, or a response with its body as far as it is decoded. */
type Message = { readonly request: TransportRequest } | { readonly headers: ResponseHeaders; body: unknown };

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
  send(request: TransportRequest): void {
    if (this.#unsearchedBytes > MAX_UNSEARCHED_BYTES) this.#searchMessages();
    this.#unsearched.push({ request });
    this.#unsearchedBytes += request.body?.byteLength ?? 0;
  }

  /** Records a response; `decoded` follows if its body can be decoded. */
  receive(response: TransportResponse): void {
    this.#unsearched.push({ headers: response.headers, body: response.body });
    this.#unsearchedBytes += response.body.byteLength;
  }

  /** Records the decoded body of the last response. */
  decoded(body: unknown): void {
    const last = this.#unsearched.at(-1);
    if (last !== undefined && 'headers' in last) last.body = body;
    else this.#unsearched.push({ headers: {}, body });
  }

  #searchMessages(): void {
    const messages = this.#unsearched;
    this.#unsearched = [];
    this.#unsearchedBytes = 0;
    for (const message of messages) {
      if ('request' in message) this.#redactor.collectRequest(message.request);
      else this.#redactor.collectResponse(message);
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

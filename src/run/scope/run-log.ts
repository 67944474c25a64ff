import { decodeText } from '../../http/body/decode-text.js';
import { parseJsonInTurns } from '../../http/body/json-in-turns.js';
import { MAX_BYTES_AT_ONCE, readUtf8InTurns } from '../../http/body/text-in-turns.js';
import { isJsonMediaType, readContentType, responseHeader } from '../../http/message/content-type.js';
import { findHeader } from '../../http/message/headers.js';
import type { TransportRequest, TransportResponse } from '../../http/message/transport.js';
import { finishAtOnce, type Parts, spend } from '../../iml/values/work.js';
import { MAX_KNOWN_SECRETS } from '../../redaction/known-secrets.js';
import { createRedactor, type Redactor } from '../../redaction/redact.js';
import { mayNameSecret } from '../../redaction/secret-names.js';
import { Turns } from '../../util/turns.js';
import type { RunWarning, TraceDepth, TraceEvent, TraceListener } from '../trace/trace.js';

/** Names of a scope that have another value than before. */
interface ScopeChanges {
  /** 0 for the first scope of the run. */
  readonly scope: number;
  readonly changed: readonly (readonly [name: string, value: unknown])[];
  readonly unset: readonly string[];
}

/** Characters of secrets a redactor is made ready for at once: each is looked for in forms of up to fifty times its length. */
const MAX_SETTLED_AT_ONCE = 1024;

/** The same in a run that needs its redactor where it fails only: most never do. */
const MAX_UNSETTLED = 16 * 1024;

/** What a secret takes beside its characters: a short one has as many forms. */
const CHARACTERS_OF_SECRET = 32;

/** Bytes of an exchange that is learned at once. */
const MAX_LEARNED_AT_ONCE = 16 * 1024;

/**
 * Bytes of exchanges before the last that are kept until something is told of the run: most runs tell nothing, and looking through a
 * page takes a third of what reading it takes. What is more is looked through while the next answer is waited for.
 */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Missing values that a run tells of: whoever reads about so many has seen enough, and each costs. [choice] */
const MAX_MISSING = 500;

/** Of an entry of `log.sanitize`: to read a character and a step of its path, and to know a text, and each character of it, in all its forms. */
const STEPS_OF_CHARACTER = 5;
const STEPS_OF_STEP = 100;
const STEPS_OF_TEXT = 3900;
const STEPS_OF_TEXT_CHARACTER = 0.4;

/** Characters of all entries together: a run keeps them. [choice] */
const MAX_SANITIZED = 4 * 1024 * 1024;

function countSteps(entry: string): number {
  if (entry.includes('<')) return STEPS_OF_TEXT + STEPS_OF_TEXT_CHARACTER * entry.length;
  return STEPS_OF_CHARACTER * entry.length + STEPS_OF_STEP * entry.split('.').length;
}

/** What was asked, where that has a body, and what was answered, where that has one. */
interface Exchange {
  readonly request: TransportRequest | undefined;
  readonly response: TransportResponse | undefined;
  readonly bytes: number;
}

/** What a run has to tell, and what it must not: both only grow. */
export class RunLog {
  readonly trace: TraceLog;
  readonly warnings: RunWarning[] = [];
  /** Values that nothing may show, as long as nobody has asked for the redactor, which knows them then. */
  readonly #secrets: Set<string>;
  /** Those of them that let somebody in, as fields and names say. */
  readonly #credentials: string[] = [];
  #redactor: Redactor | undefined;
  /** Characters of secrets that no redactor was made ready for. */
  #unsettled = 0;
  readonly #keepsBodies: boolean;
  /** Whether the secrets of the last exchange are known. */
  #isLastLearned = false;
  /** Whether those of the body of its answer are. */
  #isAnswerLearned = false;
  #told: Set<string> | undefined;
  #missing: Set<string> | undefined;
  #lastRequest: TransportRequest | undefined;
  #lastResponse: TransportResponse | undefined;
  /** Exchanges before the last that nobody has looked through for secrets, and their bytes. */
  readonly #unread: Set<Exchange> = new Set();
  #unreadBytes = 0;
  #isLastLarge = false;
  /** Entries of `log.sanitize`. */
  readonly #sanitized: Set<string> = new Set();
  #sanitizedLength = 0;
  /** The names that were told of each communication, in the order in which they came up. */
  #scopes: Map<object, ReadonlyMap<string, unknown>> | undefined;

  /**
   * @param secrets values that nothing may show
   * @param depth of a trace with bodies the secrets are learned as they come: it takes long to write for that alone
   */
  constructor(secrets: readonly string[], onTrace: TraceListener | undefined, depth: TraceDepth) {
    this.#secrets = new Set();
    this.#keepsBodies = depth !== 'summary';
    this.trace = new TraceLog(onTrace, () => finishAtOnce(this.learnUnreadInParts()));
    this.learn(secrets);
  }

  /**
   * Writes a trace with bodies, which takes long: whoever reads the events should not wait for it. What came before may have taken as
   * long as others may wait, so it begins with their turn.
   */
  async writeTrace(): Promise<void> {
    if (!this.#keepsBodies) return;
    const turns = new Turns();
    await turns.next();
    await this.trace.writeInTurns(turns);
  }

  /** Cleans what is shown, by what the connection and the requests so far say is secret. */
  get redactor(): Redactor {
    this.#redactor ??= createRedactor({ secrets: this.#secrets });
    return this.#redactor;
  }

  /** Values that let somebody in: not in the path of an address on another host either, where ids may stand. */
  get credentials(): readonly string[] {
    return this.#credentials;
  }

  /** Further values that must not be shown, known from here on. */
  learn(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (this.#secrets.has(secret)) continue;
      if (this.#secrets.size >= MAX_KNOWN_SECRETS) return this.#warnOfMany();
      this.#unsettled += secret.length + CHARACTERS_OF_SECRET;
      this.#secrets.add(secret);
      this.#redactor?.learn([secret]);
    }
  }

  /** Nobody is to believe that all is hidden where it is not. */
  #warnOfMany(): void {
    if (!this.isNew('many-secrets')) return;
    const message = `This run is given more secrets than it can look for (${MAX_KNOWN_SECRETS}, see docs/security.md): others than these may be shown and go to other hosts. What names say is secret comes first.`;
    this.warnings.push({ code: 'many-secrets', message, place: undefined });
  }

  /** The same of `credentials`. */
  learnCredentials(secrets: readonly string[]): void {
    for (const secret of secrets) this.#credentials.push(secret);
    this.learn(secrets);
  }

  /** Whether what is secret is so much that others would wait for whoever asks for the redactor next. */
  get isUnsettled(): boolean {
    return this.#unsettled > (this.#keepsBodies ? MAX_SETTLED_AT_ONCE : MAX_UNSETTLED);
  }

  /** Has the redactor ready, in turns. */
  async settle(turns: Turns): Promise<void> {
    this.#unsettled = 0;
    if (this.#redactor !== undefined) return this.#redactor.learnInTurns([], turns);
    // Whoever asks meanwhile gets one that knows all at once.
    const redactor = createRedactor({ secrets: [] });
    // What is learned meanwhile stands behind the others.
    for (let known = 0; known < this.#secrets.size; ) {
      const next = [...this.#secrets].slice(known);
      known += next.length;
      await redactor.learnInTurns(next, turns);
    }
    this.#redactor ??= redactor;
    if (!redactor.knowsAll()) this.#warnOfMany();
  }

  /**
   * From here on, what stands at these paths of requests and responses is secret, too. Those that the requests of a chain have in common are
   * read once.
   *
   * @throws ImlError `IML_LIMIT` for more than others may wait for
   */
  sanitize(paths: readonly string[]): void {
    const more = [...new Set(paths)].filter((path) => !this.#sanitized.has(path));
    if (more.length === 0) return;
    spend(more.reduce((steps, path) => steps + countSteps(path), 0));
    const known: string[] = [];
    for (const path of more) {
      if (this.#sanitized.size >= MAX_KNOWN_SECRETS) break;
      if (this.#sanitizedLength + path.length > MAX_SANITIZED) continue;
      this.#sanitizedLength += path.length;
      this.#sanitized.add(path);
      known.push(path);
    }
    this.#redactor = this.redactor.withSanitize(known);
    if (more.length > known.length || !this.#redactor.knowsAll()) this.#warnOfMany();
    this.#isLastLearned = false;
    this.#isAnswerLearned = false;
  }

  /** Notes what is sent; what comes back is noted by `receive`. */
  send(request: TransportRequest): void {
    // What the request is made of may be of the exchanges before it.
    if (!this.#keepsBodies && !this.#isLastLearned) this.#keepUnread(this.#lastRequest, this.#lastResponse);
    this.#lastRequest = request;
    this.#lastResponse = undefined;
    this.#isLastLearned = false;
    this.#isAnswerLearned = false;
    this.#measureLast();
  }

  receive(response: TransportResponse): void {
    this.#lastResponse = response;
    this.#isLastLearned = false;
    this.#isAnswerLearned = false;
    this.#measureLast();
    if (this.#keepsBodies)
      finishAtOnce(this.redactor.inParts.learnResponse({ ...response, body: undefined }));
  }

  /** What is empty, or large and known already, is no longer held. */
  #keepUnread(request: TransportRequest | undefined, response: TransportResponse | undefined): void {
    const asked = request?.body?.byteLength ?? 0;
    const answered = this.#isAnswerLearned ? 0 : (response?.body.byteLength ?? 0);
    const isAskedKept = asked > 0 && asked <= MAX_BYTES_AT_ONCE;
    const bytes = (isAskedKept ? asked : 0) + answered;
    if (bytes === 0) return;
    this.#unreadBytes += bytes;
    this.#unread.add({
      request: isAskedKept ? request : undefined,
      response: answered > 0 ? response : undefined,
      bytes,
    });
  }

  #measureLast(): void {
    const asked = this.#keepsBodies ? undefined : this.#lastRequest?.body?.byteLength;
    const answered = this.#isAnswerLearned ? undefined : this.#lastResponse?.body.byteLength;
    this.#isLastLarge = this.#unreadBytes + (asked ?? 0) + (answered ?? 0) > MAX_LEARNED_AT_ONCE;
  }

  /** Whether what something of so many bytes hides is learned as it comes: once somebody asks it would take long. */
  learnsAtOnce(bytes: number): boolean {
    return this.#keepsBodies || bytes > MAX_BYTES_AT_ONCE;
  }

  /** Learns in turns what a request hides. See `learnsAtOnce`. */
  async learnRequest(request: TransportRequest, turns: Turns): Promise<void> {
    const { body, headers } = request;
    const isLarge = body !== undefined && body.byteLength > MAX_BYTES_AT_ONCE;
    if (this.#keepsBodies) {
      const { inParts } = this.redactor;
      await turns.finish(inParts.learnRequest(isLarge ? { ...request, body: undefined } : request));
    }
    if (!isLarge) return;
    const { mediaType, charset } = readContentType(findHeader(headers, 'content-type'));
    const parsed = isJsonMediaType(mediaType)
      ? await parseJsonInTurns(await readUtf8InTurns(body, charset, turns), turns)
      : undefined;
    if (parsed?.ok === true) await this.redactor.learnBody('request', parsed.value, turns);
    else await turns.finish(this.redactor.inParts.learnRequest(request));
  }

  /** `learnRequest` for the decoded answer to it. */
  async learnAnswer(value: unknown, turns: Turns): Promise<void> {
    let body = value;
    if (typeof value === 'string' && /^\s*[[{]/.test(value.slice(0, 200))) {
      const parsed = await parseJsonInTurns(Buffer.from(value), turns);
      if (parsed.ok) body = parsed.value;
    }
    await this.redactor.learnBody('response', body, turns);
    this.#isAnswerLearned = true;
    this.#measureLast();
  }

  /** Whether so much is unread that it is to be looked through, as it takes memory. */
  get hasMuchUnread(): boolean {
    return this.#unreadBytes > MAX_UNREAD_BYTES;
  }

  /** What a request was made of may be of the exchanges before it: they are looked through before anything of it is told. */
  *learnUnreadInParts(): Parts<void> {
    for (const exchange of this.#unread) {
      const { request, response } = exchange;
      const { inParts } = this.redactor;
      if (request !== undefined && this.#mayHide(request.body, findHeader(request.headers, 'content-type')))
        yield* inParts.learnRequest(request);
      if (
        response !== undefined &&
        this.#mayHide(response.body, responseHeader(response.headers, 'content-type'))
      )
        yield* inParts.learnResponse(response);
      // Somebody may have asked meanwhile, and looked through all of them.
      if (this.#unread.delete(exchange)) this.#unreadBytes -= exchange.bytes;
      yield;
    }
  }

  #mayHide(body: Uint8Array | undefined, contentType: string | undefined): boolean {
    if (body === undefined) return false;
    return this.#sanitized.size > 0 || mayNameSecret(decodeText(body, readContentType(contentType).charset));
  }

  /** Whether something is told for the first time. */
  isNew(key: string): boolean {
    this.#told ??= new Set();
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    return true;
  }

  /** Whether missing values are told of, which only the first `MAX_MISSING` are. */
  get tellsMissing(): boolean {
    return (this.#missing?.size ?? 0) < MAX_MISSING;
  }

  /** Whether a missing value is to be told of: for the first time. */
  isNewlyMissing(key: string): boolean {
    this.#missing ??= new Set();
    if (!this.tellsMissing || this.#missing.has(key)) return false;
    this.#missing.add(key);
    return true;
  }

  /** What has changed in the names of a communication since this was asked before, and its number in the run. */
  scopeChanges(communication: object, scope: Readonly<Record<string, unknown>>): ScopeChanges {
    this.#scopes ??= new Map();
    const before = this.#scopes.get(communication) ?? new Map<string, unknown>();
    const now = new Map(Object.entries(scope).filter(([, value]) => value !== undefined));
    this.#scopes.set(communication, now);
    return {
      scope: [...this.#scopes.keys()].indexOf(communication),
      changed: [...now].filter(([name, value]) => before.get(name) !== value),
      unset: [...before.keys()].filter((name) => !now.has(name)),
    };
  }

  /**
   * A message without secrets. An app may quote anything it sent or got, so what the last exchange holds in secret
   * places is looked up first; doing so only when something is said keeps it off the path of a good run.
   */
  clean(message: string): string {
    this.learnLast();
    return this.redactor.text(message);
  }

  /** Knows from here on what the last exchange holds in secret places. */
  learnLast(): void {
    finishAtOnce(this.learnLastInParts());
  }

  /** Whether others should have their turn while the last exchange is learned. The same while its answer is evaluated. */
  get isLastLarge(): boolean {
    return this.#isLastLarge;
  }

  /** Whether they should have it while `learnLastInParts` is done. */
  get isLongToLearn(): boolean {
    return this.#isLastLarge || (!this.#keepsBodies && this.trace.isLongToWrite);
  }

  /** See `learnLast`. */
  *learnLastInParts(): Parts<void> {
    yield* this.learnExchangesInParts();
    // Writing the trace is what teaches the redactor the secrets of earlier addresses and headers.
    if (!this.#keepsBodies) yield* this.trace.writeInParts();
  }

  /** `learnLast` for an event of the trace, whose other events are not to be written for it. */
  *learnExchangesInParts(): Parts<void> {
    yield* this.learnUnreadInParts();
    if (this.#isLastLearned) return;
    const { inParts } = this.redactor;
    if (this.#lastRequest !== undefined) yield* inParts.learnRequest(this.#lastRequest);
    if (this.#lastResponse !== undefined) {
      const body = this.#isAnswerLearned ? undefined : this.#lastResponse.body;
      yield* inParts.learnResponse({ ...this.#lastResponse, body });
    }
    this.#isLastLearned = true;
  }
}

/** Cleaning what an event tells takes long: it is done in parts. */
type WriteEvent = () => Parts<TraceEvent>;

/**
 * The events of a run, in order. Cleaning what was sent and received takes as long as reading a small page, and most
 * traces are never read: an event is written when a listener waits for it, or when somebody reads the events.
 */
export class TraceLog {
  readonly #listener: TraceListener | undefined;
  readonly #beforeWriting: () => void;
  // Hard private: what is not written yet holds secrets.
  readonly #entries: (TraceEvent | WriteEvent)[] = [];
  /** How many of them are written, from the first on. */
  #written = 0;
  #isLongToWrite = false;

  constructor(listener: TraceListener | undefined, beforeWriting: () => void = () => {}) {
    this.#listener = listener;
    this.#beforeWriting = beforeWriting;
  }

  /** Whether what is not written yet takes others long. */
  get isLongToWrite(): boolean {
    return this.#isLongToWrite;
  }

  /** @param isLong whether there may be so many like it, or it is so large, that others should not wait while it is written */
  add(write: WriteEvent, isLong = false): void {
    if (this.#listener === undefined) {
      this.#entries.push(write);
      this.#isLongToWrite ||= isLong;
      return;
    }
    this.#beforeWriting();
    this.#tell(finishAtOnce(write()), this.#listener);
  }

  /**
   * `add` for an event that takes long to write where somebody listens: he has it when this resolves.
   *
   * @returns undefined where nobody does
   */
  addInTurns(write: WriteEvent, turns: Turns): Promise<void> | undefined {
    if (this.#listener !== undefined) return this.#tellInTurns(write, turns, this.#listener);
    this.add(write);
    return undefined;
  }

  /** What came before may have taken as long as others may wait, so it begins with their turn. */
  async #tellInTurns(write: WriteEvent, turns: Turns, listener: TraceListener): Promise<void> {
    await turns.next();
    this.#beforeWriting();
    this.#tell(await turns.finish(write()), listener);
  }

  #tell(event: TraceEvent, listener: TraceListener): void {
    this.#entries.push(event);
    listener(event);
  }

  /** Writes what is not written yet, so that reading the events takes no time. */
  async writeInTurns(turns: Turns): Promise<void> {
    await turns.finish(this.writeInParts());
  }

  *writeInParts(): Parts<void> {
    const entries = this.#entries;
    this.#beforeWriting();
    for (let index = this.#written; index < entries.length; index++) {
      const entry = entries[index];
      if (typeof entry === 'function') {
        const event = yield* entry();
        // Somebody may have read the events meanwhile.
        if (entries[index] === entry) entries[index] = event;
        yield;
      }
      this.#written = Math.max(this.#written, index + 1);
    }
    this.#isLongToWrite = false;
  }

  get events(): readonly TraceEvent[] {
    finishAtOnce(this.writeInParts());
    return this.#entries as TraceEvent[];
  }
}

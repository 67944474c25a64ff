import { AssertionError } from 'node:assert';
import { gzipSync } from 'node:zlib';
import type { Transport, TransportRequest, TransportResponse } from '../../../engine/http/transport.js';
import { transportFailure } from '../../../engine/http/undici-transport.js';
import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  ANY_LIST,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  oneOfChoices,
  wholeNumber,
} from '../../../shared/errors/check-options.js';
import { ERROR_CODES } from '../../../shared/errors/codes.js';
import { TransportError } from '../../../shared/errors/engine-error.js';
import { readTagged } from '../matching/tagged-values.js';
import type { Exchange, PageServer, ScriptedResponse } from './exchange.js';
import { checkExchanges } from './exchange-shape.js';
import {
  type MatchOptions,
  matchRequest,
  printRequestDifference,
  type RequestDifference,
} from './match-request.js';
import type { VirtualClock } from './virtual-clock.js';

/** A deviation from the script. */
export interface ExchangeProblem {
  /**
   * `unmatched`: the request differs from the next exchange. `order`: it matches a later one. `beyond`: no exchange
   * is left. `unused`: an exchange without a request.
   */
  readonly kind: 'unmatched' | 'order' | 'beyond' | 'unused';
  /** Number of the request, from 1; undefined for `unused`. */
  readonly call: number | undefined;
  /** Index of the most similar, out-of-order or unused exchange; undefined without one. */
  readonly exchange: number | undefined;
  /** Differences between the request and that exchange. */
  readonly differences: readonly RequestDifference[];
  /** A sentence without the differences. */
  readonly message: string;
}

/** A transport that responds from a script and records deviations. */
export interface ScriptedTransport {
  readonly transport: Transport;
  /** Deviations; after the run, unused exchanges too. */
  readonly problems: () => readonly ExchangeProblem[];
}

/** Options of `mockTransport`. */
export interface PlayOptions extends MatchOptions {
  /** Called before each response with the number of the request, from 1. */
  readonly onCall?: (call: number, request: TransportRequest) => void;
  /** Advanced by the `delayMs` of each response. Default: responses take no time. */
  readonly clock?: Pick<VirtualClock, 'advance'>;
}

const SHAPES: OptionShapes<PlayOptions> = {
  isStrict: ANY_BOOLEAN,
  ignored: ANY_LIST,
  onIgnored: ANY_FUNCTION,
  onCall: ANY_FUNCTION,
  clock: objectWithFunctions(['advance']),
};

/** A transport for a test: it accepts the requests of its exchanges only. */
export interface MockTransport {
  /** Rejects with an AssertionError of Node.js for a request that differs from the next exchange, or follows the last one. */
  readonly transport: Transport;
  /** @throws AssertionError with the rejected requests and the exchanges without a request */
  readonly assertDone: () => void;
}

/**
 * Creates a transport that sends nothing. Exchanges respond in order, each once; the last one goes on with `repeat`. A request has
 * to be as its exchange describes it. By default, each query parameter and the body have to be described (`isStrict`).
 *
 * @throws EngineError (USAGE) for an unknown or invalid member of an exchange
 * @example
 * const api = mockTransport([{ request: { url: 'https://api.example.com/me' }, response: { body: { id: 1 } } }]);
 * const engine = createEngine({ app, http: { transport: api.transport } });
 * const { bundles } = await engine.module('getMe').run().orThrow();
 * api.assertDone();
 */
export function mockTransport(exchanges: readonly Exchange[], options: PlayOptions = {}): MockTransport {
  checkExchanges(exchanges, 'The exchanges of mockTransport');
  checkOptions(options, SHAPES, 'The options of mockTransport');
  const player = new Player(exchanges, { ...options, isStrict: options.isStrict ?? true }, true);
  return {
    transport: async (request) => player.answer(request),
    assertDone: () => {
      const problems = [...player.problems, ...player.unused()];
      if (problems.length > 0) throw failure(problems);
    },
  };
}

/**
 * Plays exchanges and reports deviations, so that one run shows all of them. A request that differs gets the response of the exchange
 * that it matches later, else of the next one. A request after the last exchange fails like a broken connection. Pages that were
 * requested in advance are requested again when they are needed.
 */
export function playExchanges(exchanges: readonly Exchange[], options: PlayOptions = {}): ScriptedTransport {
  const player = new Player(exchanges, options, false);
  return {
    transport: async (request) => player.answer(request),
    problems: () => [...player.problems, ...player.unused()],
  };
}

function failure(problems: readonly ExchangeProblem[]): AssertionError {
  const lines = problems.flatMap(({ message, differences }) => [
    message,
    ...differences.map((difference) => `  ${printRequestDifference(difference)}`),
  ]);
  return new AssertionError({ message: lines.join('\n') });
}

class Player {
  readonly problems: ExchangeProblem[] = [];
  readonly #exchanges: readonly Exchange[];
  readonly #options: PlayOptions;
  readonly #rejects: boolean;
  readonly #used: Set<number> = new Set<number>();
  #calls = 0;

  /** @param rejects whether a deviation throws an AssertionError */
  constructor(exchanges: readonly Exchange[], options: PlayOptions, rejects: boolean) {
    this.#exchanges = exchanges;
    this.#options = options;
    this.#rejects = rejects;
  }

  answer(request: TransportRequest): TransportResponse {
    request.signal.throwIfAborted();
    this.#calls++;
    this.#options.onCall?.(this.#calls, request);
    const chosen = this.#choose(request);
    if (chosen === undefined) throw brokenConnection(request);
    this.#used.add(chosen);
    const response = this.#exchanges[chosen]?.response ?? {};
    if (response.delayMs !== undefined) {
      this.#options.clock?.advance(response.delayMs);
      request.signal.throwIfAborted();
    }
    return respond(response, request);
  }

  unused(): readonly ExchangeProblem[] {
    const made = this.#used.size;
    return this.#exchanges.flatMap(({ request }, index): ExchangeProblem[] => {
      if (this.#used.has(index)) return [];
      const message =
        `Exchange ${index + 1}${describeExpected(request)} was not used:` +
        ` ${made} of ${this.#exchanges.length} scripted calls were made.`;
      return [{ kind: 'unused', call: undefined, exchange: index, differences: [], message }];
    });
  }

  /** Index of the exchange that responds; undefined if none is left. */
  #choose(request: TransportRequest): number | undefined {
    const next = this.#exchanges.findIndex((_, index) => !this.#used.has(index));
    const turn = next < 0 ? this.#repeating() : next;
    if (turn === undefined) return this.#tellBeyond(request);
    const differences = this.#compare(turn, request);
    if (differences.length === 0) return turn;
    const later = this.#exchanges.findIndex(
      (_, index) => index > turn && !this.#used.has(index) && this.#compare(index, request).length === 0,
    );
    if (later >= 0) {
      this.#tell('order', later, [], `is exchange ${later + 1}; expected exchange ${turn + 1}`);
      return later;
    }
    const nearest = this.#nearest(request, turn, differences);
    const turnText = nearest.index === turn ? '' : `; expected exchange ${turn + 1}`;
    const text = `${describeSent(request)} matches no exchange; the nearest is exchange ${nearest.index + 1}${turnText}`;
    this.#tell('unmatched', nearest.index, nearest.differences, text);
    return turn;
  }

  #repeating(): number | undefined {
    const last = this.#exchanges.length - 1;
    return this.#exchanges[last]?.repeat === true ? last : undefined;
  }

  /** The remaining exchange with the fewest differences; the next one wins a tie. */
  #nearest(
    request: TransportRequest,
    turn: number,
    atTurn: readonly RequestDifference[],
  ): { readonly index: number; readonly differences: readonly RequestDifference[] } {
    let best = { index: turn, differences: atTurn };
    for (let index = turn + 1; index < this.#exchanges.length; index++) {
      if (this.#used.has(index)) continue;
      const differences = this.#compare(index, request);
      if (weigh(differences) < weigh(best.differences)) best = { index, differences };
    }
    return best;
  }

  #compare(index: number, request: TransportRequest): readonly RequestDifference[] {
    return matchRequest(this.#exchanges[index]?.request ?? {}, request, this.#options);
  }

  #tellBeyond(request: TransportRequest): undefined {
    const count = this.#exchanges.length;
    const text = `is not in the script, which has ${count} ${count === 1 ? 'exchange' : 'exchanges'}: ${describeSent(request)}`;
    this.#tell('beyond', undefined, [], text);
    return undefined;
  }

  #tell(
    kind: ExchangeProblem['kind'],
    exchange: number | undefined,
    differences: readonly RequestDifference[],
    text: string,
  ): void {
    const call = this.#calls;
    const problem = { kind, call, exchange, differences, message: `Call ${call} ${text}.` };
    this.problems.push(problem);
    if (this.#rejects) throw failure([problem]);
  }
}

function brokenConnection({ url }: TransportRequest): TransportError {
  return transportFailure({ code: 'ECONNRESET' }, new URL(url).origin);
}

/** Another path weighs more than another parameter. */
function weigh(differences: readonly RequestDifference[]): number {
  return differences.reduce((sum, { path }) => sum + (path[0] === 'url' || path[0] === 'method' ? 10 : 1), 0);
}

function describeSent({ method, url }: TransportRequest): string {
  return `${method} ${url}`;
}

function describeExpected({ method, url }: Exchange['request'] = {}): string {
  const parts = [method, url].filter((part) => typeof part === 'string');
  return parts.length === 0 ? '' : ` (${parts.join(' ')})`;
}

/** The response as it comes from the network. */
export function respond(
  response: ScriptedResponse,
  request: Pick<TransportRequest, 'url'>,
): TransportResponse {
  if (response.networkError !== undefined) {
    throw networkFailure(response.networkError, new URL(request.url).origin);
  }
  const headers: Record<string, string | readonly string[]> = {};
  const plain = encodeBody(response);
  if (response.body !== undefined) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(response.headers ?? {})) headers[name.toLowerCase()] = value;
  if (response.encoding === 'gzip') headers['content-encoding'] = 'gzip';
  return {
    status: response.status ?? 200,
    headers: Object.freeze(Object.assign(Object.create(null), headers)),
    body: response.encoding === 'gzip' ? gzipSync(plain) : plain,
    url: request.url,
  };
}

/** Our own codes have no errno name. */
function networkFailure(name: string, origin: string): TransportError {
  const code = OWN_CODES.find((known) => known === name);
  if (code === undefined) return transportFailure({ code: name }, origin);
  return new TransportError(code, `${origin}: ${ERROR_CODES[code]}`);
}

const OWN_CODES = [
  ...(['NETWORK_REFUSED', 'NETWORK_FAILED', 'NETWORK_CERTIFICATE', 'NETWORK_RESPONSE_TOO_LARGE'] as const),
  ...(['NETWORK_TIMEOUT', 'NETWORK_DECODE', 'REQUEST_INVALID'] as const),
] as const;

function encodeBody(response: ScriptedResponse): Uint8Array {
  if (response.bodyBase64 !== undefined) return Buffer.from(response.bodyBase64, 'base64');
  if (response.bodyText !== undefined) return Buffer.from(response.bodyText, 'utf8');
  return response.body === undefined
    ? Buffer.alloc(0)
    : Buffer.from(JSON.stringify(readTagged(response.body)), 'utf8');
}

const PAGE_SERVER_SHAPES: OptionShapes<PageServer> = {
  kind: oneOfChoices('pages'),
  path: ANY_TEXT,
  pageParam: ANY_TEXT,
  pageSize: wholeNumber(0),
  itemsKey: ANY_TEXT,
  delayMs: wholeNumber(0),
};

/** Plays an API with endless pages. */
export function createPageServer(server: PageServer, clock: VirtualClock): ScriptedTransport {
  checkOptions(server, PAGE_SERVER_SHAPES, 'The server of createPageServer', [
    'path',
    'pageParam',
    'pageSize',
    'itemsKey',
  ]);
  const problems: ExchangeProblem[] = [];
  let calls = 0;
  const transport: Transport = async (request) => {
    request.signal.throwIfAborted();
    calls++;
    const url = new URL(request.url);
    if (request.method !== 'GET' || url.pathname !== server.path) {
      const message = `Only GET ${server.path} is served, not ${request.method} ${url.pathname}.`;
      problems.push({ kind: 'unmatched', call: calls, exchange: undefined, differences: [], message });
    }
    clock.advance(server.delayMs ?? 0);
    request.signal.throwIfAborted();
    const page = Number(url.searchParams.get(server.pageParam) ?? 1);
    const first = (page - 1) * server.pageSize + 1;
    const items = Array.from({ length: server.pageSize }, (_, index) => ({ id: first + index }));
    return respond({ status: 200, body: { [server.itemsKey]: items } }, request);
  };
  return { transport, problems: () => problems };
}

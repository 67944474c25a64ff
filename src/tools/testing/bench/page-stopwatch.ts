import { getHeapStatistics } from 'node:v8';
import type { Transport } from '../../../engine/http/transport.js';
import { type Clock, SYSTEM_CLOCK } from '../../../shared/clock.js';

/** Where the time of one run went. Times are in milliseconds. */
export interface RunTimes {
  readonly totalMs: number;
  /** Number of requests; each hop of a redirect is one. */
  readonly requests: number;
  /** Time of requests and delays. */
  readonly waitingMs: number;
  /** From a response to its decoded body: content encoding and parsing. */
  readonly decodingMs: number;
  /** CPU time of the process: user and system. */
  readonly cpuMs: number;
  /** From one request to the next, and from the last request to the end. */
  readonly pageMs: readonly number[];
  /** Largest heap, with external memory, after a page was decoded. */
  readonly peakHeapBytes: number;
}

/** Measures runs of an engine, one at a time. */
export interface PageStopwatch {
  /** For `http.wrap` of the engine. */
  readonly wrap: (transport: Transport) => Transport;
  /** For `onDecoded` of the engine. */
  readonly onDecoded: () => void;
  /** Adds delays of a clock to the time of waiting. */
  readonly timeClock: (clock: Clock) => Clock;
  /** Requests of the current run. */
  readonly requests: () => number;
  readonly measure: (run: () => Promise<void>) => Promise<RunTimes>;
}

interface OpenRun {
  requests: number;
  waitingMs: number;
  decodingMs: number;
  peakHeapBytes: number;
  /** When the first request of each page was sent. */
  readonly sentAt: number[];
  /** When the last response arrived; undefined after it was decoded. */
  receivedAt: number | undefined;
  /** Whether the current page waits for its response. A redirect belongs to its page. */
  isPageOpen: boolean;
}

/** Creates a stopwatch for one engine. */
export function createPageStopwatch(): PageStopwatch {
  let current = startRun();
  const wait = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      current.waitingMs += performance.now() - startedAt;
    }
  };
  return {
    wrap: (transport) => async (request) => {
      if (!current.isPageOpen) current.sentAt.push(performance.now());
      current.isPageOpen = true;
      current.requests++;
      const response = await wait(() => transport(request));
      current.receivedAt = performance.now();
      return response;
    },
    onDecoded: () => {
      const { receivedAt } = current;
      // Results of endpoints have no response of their own.
      if (receivedAt === undefined) return;
      current.decodingMs += performance.now() - receivedAt;
      current.receivedAt = undefined;
      current.isPageOpen = false;
      const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
      current.peakHeapBytes = Math.max(current.peakHeapBytes, heap + external);
    },
    timeClock: (clock) => ({
      ...clock,
      sleep: (delayMs, signal) => wait(() => clock.sleep(delayMs, signal)),
    }),
    requests: () => current.requests,
    measure: async (run) => {
      current = startRun();
      const cpu = process.cpuUsage();
      const startedAt = performance.now();
      await run();
      const endedAt = performance.now();
      const { user, system } = process.cpuUsage(cpu);
      const { requests, waitingMs, decodingMs, peakHeapBytes, sentAt } = current;
      return {
        totalMs: endedAt - startedAt,
        requests,
        waitingMs,
        decodingMs,
        cpuMs: (user + system) / 1000,
        pageMs: sentAt.map((at, index) => (sentAt[index + 1] ?? endedAt) - at),
        peakHeapBytes,
      };
    },
  };
}

function startRun(): OpenRun {
  return {
    requests: 0,
    waitingMs: 0,
    decodingMs: 0,
    peakHeapBytes: 0,
    sentAt: [],
    receivedAt: undefined,
    isPageOpen: false,
  };
}

/** A clock that stands still but for delays, which take their time, so that runs send and return the same values. */
export function createStandingClock(startMs: number): Clock {
  let sleptMs = 0;
  return {
    ...SYSTEM_CLOCK,
    now: () => startMs + sleptMs,
    sleep: async (delayMs, signal) => {
      await SYSTEM_CLOCK.sleep(delayMs, signal);
      sleptMs += delayMs;
    },
  };
}

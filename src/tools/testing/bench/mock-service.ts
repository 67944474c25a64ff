import { type ChildProcess, fork } from 'node:child_process';
import { BENCH_SERVICE } from '../../../shared/worker-urls.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import { respond } from '../exchanges/play-exchanges.js';
import type { ServiceMessage, ServiceReply, WireResponse } from './mock-server.js';

/** A mock service in a process of its own, with scripts of responses. */
export interface MockService {
  /** Adds a script. */
  readonly addScript: (script: string, responses: readonly ScriptedResponse[]) => Promise<void>;
  /**
   * Starts a script from its first response.
   *
   * @returns when the next request below `url` receives the first response
   */
  readonly begin: (script: string, session: string, latencyMs: number) => Promise<void>;
  /** The address that a session listens on, as a target of `http.rewrite`. */
  readonly url: (script: string, session: string) => string;
  readonly close: () => void;
}

/** Starts the process of the mock service. */
export async function startMockService(): Promise<MockService> {
  // The process needs no variable of the environment, which may hold secrets.
  const child = fork(BENCH_SERVICE, [], { serialization: 'advanced', execArgv: [], env: {} });
  const { port } = await receive(child, 'listening');
  const post = (message: ServiceMessage): Promise<void> =>
    new Promise((resolve, reject) => {
      child.send(message, (error) => (error === null ? resolve() : reject(error)));
    });
  return {
    url: (script, session) => `http://127.0.0.1:${port}/${script}/${session}`,
    addScript: async (script, responses) => {
      for (const response of responses) await post({ kind: 'add', script, response: toWire(response) });
    },
    begin: async (script, session, latencyMs) => {
      const begun = receive(child, 'begun');
      await post({ kind: 'begin', script, session, latencyMs });
      await begun;
    },
    close: () => child.kill(),
  };
}

type ReplyOf<Kind extends ServiceReply['kind']> = Extract<ServiceReply, { readonly kind: Kind }>;

/** The next reply of a kind. */
function receive<Kind extends ServiceReply['kind']>(child: ChildProcess, kind: Kind): Promise<ReplyOf<Kind>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown): void => {
      const reply = message as ServiceReply; // Only our own process sends messages.
      if (reply.kind !== kind) return;
      settle();
      resolve(reply as ReplyOf<Kind>);
    };
    const onEnd = (reason: unknown): void => {
      settle();
      const cause = reason instanceof Error ? reason : undefined;
      reject(new Error('The process of the mock service ended.', { cause }));
    };
    const settle = (): void => {
      child.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
    };
    child.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
  });
}

/** Rate limits of the recorded API do not apply to the mock service. */
const LEFT_OUT =
  /^(?:content-length|transfer-encoding|connection|keep-alive|retry-after|(?:x-)?rate-?limit.*)$/i;

function toWire(scripted: ScriptedResponse): WireResponse {
  const { status, headers, body } = respond(scripted, { url: 'http://127.0.0.1/' });
  const sent = Object.entries(headers).filter(
    ([name]) => !LEFT_OUT.test(name) && (name !== 'content-encoding' || scripted.encoding === 'gzip'),
  );
  return { status, headers: Object.fromEntries(sent), body };
}

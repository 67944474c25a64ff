import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The process of the mock service: an HTTP server on loopback that plays lists of responses. A separate process, so
 * that neither its CPU time nor its memory counts as that of the engine.
 */

/** A response as it is sent. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/** Messages to the process. */
export type ServiceMessage =
  /** Appends a response to a script. */
  | { readonly kind: 'add'; readonly script: string; readonly response: WireResponse }
  /** Starts a script from its first response, for requests below `/script/session`. */
  | {
      readonly kind: 'begin';
      readonly script: string;
      readonly session: string;
      readonly latencyMs: number;
    };

/** Messages of the process. */
export type ServiceReply =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'begun'; readonly script: string; readonly session: string };

interface Playback {
  readonly responses: readonly WireResponse[];
  readonly latencyMs: number;
  next: number;
}

const scripts = new Map<string, WireResponse[]>();
/** By the start of the path. */
const playbacks = new Map<string, Playback>();

const BEYOND: WireResponse = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"message":"The mock service has no further response."}'),
};

function reply(message: ServiceReply): void {
  process.send?.(message);
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  // The connection is used again only after the whole request was read.
  request.resume();
  const [, script = '', session = ''] = (request.url ?? '').split(/[/?]/, 3);
  const playback = playbacks.get(`${script}/${session}`);
  const next = playback?.responses[playback.next] ?? BEYOND;
  if (playback === undefined) {
    send(next, response);
    return;
  }
  playback.next++;
  if (playback.latencyMs > 0) setTimeout(send, playback.latencyMs, next, response);
  else send(next, response);
}

function send({ status, headers, body }: WireResponse, response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-length', body.byteLength);
  response.writeHead(status).end(body);
}

process.on('message', (message: ServiceMessage) => {
  const { script } = message;
  const responses = scripts.get(script) ?? [];
  scripts.set(script, responses);
  if (message.kind === 'add') {
    responses.push(message.response);
    return;
  }
  const { session, latencyMs } = message;
  playbacks.set(`${script}/${session}`, { responses, latencyMs, next: 0 });
  reply({ kind: 'begun', script, session });
});
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole process group; the parent ends this process.
process.on('SIGINT', () => {});

const server = createServer(answer);
// Connections stay open between rounds, however long another one measures.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  reply({ kind: 'listening', port: (server.address() as AddressInfo).port });
});

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { createNetworkGuard, createUndiciTransport, type TransportRequest } from '../../src/index.js';

/** A server on loopback that has to be closed. */
export interface Loopback {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  readonly close: () => Promise<void>;
}

export function listen(server: Server | TcpServer, scheme = 'http'): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        origin: `${scheme}://127.0.0.1:${port}`,
        close: () =>
          new Promise((done) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}

export function httpServer(listener: RequestListener): Promise<Loopback> {
  return listen(createServer(listener));
}

/** Responds to each connection with `play` after a complete request head. */
export function rawServer(play: (socket: Socket, head: string, count: number) => void): Promise<Loopback> {
  let count = 0;
  return listen(
    createTcpServer((socket) => {
      let head = '';
      socket.on('data', (chunk) => {
        head += chunk.toString('latin1');
        if (!head.includes('\r\n\r\n')) return;
        const complete = head;
        head = '';
        play(socket, complete, ++count);
      });
    }),
  );
}

export function loopbackTransport(
  options: Parameters<typeof createUndiciTransport>[0] = {},
): ReturnType<typeof createUndiciTransport> {
  return createUndiciTransport({ guard: createNetworkGuard({ allow: ['loopback'] }), ...options });
}

export function request(url: string, rest: Partial<TransportRequest> = {}): TransportRequest {
  return {
    method: 'GET',
    url,
    headers: [],
    body: undefined,
    redirect: 'follow',
    ca: undefined,
    signal: new AbortController().signal,
    ...rest,
  };
}

export async function readBody(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('latin1')) text += chunk;
  return text;
}

export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy between a client and a PostgreSQL server that drops responses. */
export interface DroppingProxy {
  readonly url: string;
  /** Number of dropped responses. */
  readonly dropped: () => number;
  /** Drops the response to one of the next commits or statements, chosen at random, and closes the connection. */
  readonly dropOne: () => void;
  /** Drops a response and keeps the connection open. */
  readonly muteOne: () => void;
  readonly close: () => Promise<void>;
}

/** @param random returns numbers from 0 to 1; seeded, so that a run can be repeated */
export async function startDroppingProxy(target: string, random: () => number): Promise<DroppingProxy> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let [wanted, muting, count] = [0, 0, 0];
  const server: Server = createServer((client) => {
    const upstream = connect(Number(to.port || 5432), to.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let isMute = false;
    client.on('data', (chunk: Buffer) => {
      if (!upstream.destroyed) upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (isMute) return;
      // The server has executed the statement. The client never receives the response.
      if (wanted > 0 && random() < 0.2) {
        wanted--;
        count++;
        client.destroy();
        return;
      }
      if (muting > 0 && random() < 0.2) {
        muting--;
        count++;
        isMute = true;
        return;
      }
      if (!client.destroyed) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    dropped: () => count,
    dropOne: () => {
      wanted++;
    },
    muteOne: () => {
      muting++;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

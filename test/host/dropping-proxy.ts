import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a PostgreSQL server, and loses answers. */
export interface DroppingProxy {
  readonly url: string;
  /** How many answers were lost. */
  readonly dropped: () => number;
  /** Loses the answer to one of the next commits or statements, chosen by chance; the connection ends with it. */
  readonly dropOne: () => void;
  /** Loses an answer and says nothing: the connection stays open. */
  readonly muteOne: () => void;
  readonly close: () => Promise<void>;
}

/** @param random gives numbers from 0 to 1, so that a run can be repeated */
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
      // The server has done what it answers to here; nobody will hear of it.
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

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PageSizes } from './records.js';

export interface PageServer {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** First segment of the paths of the API: `/SIZE/contacts?page=1`. */
export const SIZE = 'bench';

/** Starts the API in a separate process. */
export async function startServer(sizes: PageSizes): Promise<PageServer> {
  const script = fileURLToPath(new URL('./server.js', import.meta.url));
  const server = fork(script, [JSON.stringify({ [SIZE]: sizes })]);
  const [port] = (await once(server, 'message')) as [number];
  const stop = async (): Promise<void> => {
    server.disconnect();
    await once(server, 'exit');
  };
  return { origin: `http://127.0.0.1:${port}`, stop };
}

import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** Input of the worker. */
export interface LoadData {
  readonly payload: string;
  readonly concurrency: number;
}

/** Sends `count` requests to a port; each connection sends the next one after its response. */
export interface LoadOrder {
  readonly port: number;
  readonly count: number;
  /** Default: `/`. */
  readonly path?: string | undefined;
}

/** Total time in milliseconds, and the status of the last response. */
export interface LoadResult {
  readonly elapsedMs: number;
  readonly status: number;
}

if (parentPort !== null) {
  const { payload, concurrency } = workerData as LoadData;
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  parentPort.on('message', async ({ port, count, path = '/' }: LoadOrder) => {
    let left = count;
    let status = 0;
    const startedAt = performance.now();
    const lane = async (): Promise<void> => {
      while (left-- > 0) status = await post({ port, path, agent }, payload);
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    parentPort?.postMessage({ elapsedMs: performance.now() - startedAt, status } satisfies LoadResult);
  });
}

function post(to: Pick<http.RequestOptions, 'port' | 'path' | 'agent'>, payload: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request({ ...to, method: 'POST', headers: HEADERS }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(payload);
  });
}

const HEADERS = { 'content-type': 'application/json', 'x-event': 'items' };

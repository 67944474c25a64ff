import { threadId } from 'node:worker_threads';
import { EngineError, TransportError, type WorkerContext } from '../../src/index.js';

/** Functions that tests run in a worker, bundled by `buildWorkers`. */

export const whereAmI = (): number => threadId;

export const wait = async (ms: number): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return threadId;
};

export const loop = (): never => {
  for (;;);
};

export const fill = (): never => {
  const all: unknown[] = [];
  for (;;) all.push(new Array(1000).fill(all.length));
};

export const untilAborted = (_input: unknown, { signal }: WorkerContext): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

export const fail = (kind: string): never => {
  const place = { file: 'base.imljson', line: 3, column: 4 };
  if (kind === 'transport') {
    throw new TransportError('NETWORK_FAILED', 'gone', { errno: 'ECONNRESET', cause: new Error('socket') });
  }
  if (kind === 'usage') throw new EngineError('USAGE', 'not so', { place });
  if (kind === 'plain') throw Object.assign(new RangeError('odd'), { code: 'ERR_ODD' });
  throw kind;
};

export const unsendable = (): unknown => ({ work: () => 1 });

export const callBack = (value: unknown, { call }: WorkerContext): Promise<unknown> => call('double', value);

export const steps = async (ms: number, { restartDeadline }: WorkerContext): Promise<string> => {
  for (let step = 0; step < 4; step++) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    restartDeadline();
  }
  return 'done';
};

export const bundlesOf = async (
  app: { readonly name: string },
  { engine }: WorkerContext,
): Promise<unknown> => {
  const { bundles } = await (await engine(app)).module('list').run().orThrow();
  return bundles;
};

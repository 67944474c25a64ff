/** Entry of worker threads; see `worker` of `createEnginePool`. It starts by itself in a thread of a pool. */

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { startWorker } from './worker-tasks.js';

if (!isMainThread && parentPort !== null && Object.hasOwn(Object(workerData), 'maxResultBytes')) {
  void startWorker(parentPort, workerData);
}

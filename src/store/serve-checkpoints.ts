/** What the thread does that writes the log of a SQLite file back: an entry of its own, see `CHECKPOINT_THREAD`. */

import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'libsql';

/** How long another process at work is waited for until all of the log can be written back. Whoever asked for it waits as well. [choice] */
const WAIT_MS = 50;
/** How long until it is asked again, as in `whenFree`. */
const STEP_MS = 1;

const file = String(workerData);
// The driver would make one that was removed anew, for everybody to read.
if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
const database = new Database(file);
database.pragma('busy_timeout = 0');

const SLEEP: Int32Array = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', (message: 'some' | 'all' | 'end') => {
  if (message !== 'end') {
    parentPort?.postMessage(message === 'all' ? writeAllBack() : writeBack('PASSIVE'));
    return;
  }
  database.close();
  parentPort?.close();
});

/**
 * Keeps everybody from writing while it writes the rest back, so that whoever writes next begins the log anew: with another process
 * at work there is always something left otherwise, and the log grows for as long as both write.
 */
function writeAllBack(): boolean {
  const endMs = performance.now() + WAIT_MS;
  while (!writeBack('RESTART')) {
    if (performance.now() > endMs) return false;
    Atomics.wait(SLEEP, 0, 0, STEP_MS);
  }
  return true;
}

/** @returns false where somebody was in the way, or the disk failed: there is a next time */
function writeBack(mode: 'PASSIVE' | 'RESTART'): boolean {
  try {
    const [result] = database.pragma(`wal_checkpoint(${mode})`) as readonly { readonly busy: number }[];
    return result?.busy === 0;
  } catch {
    return false;
  }
}

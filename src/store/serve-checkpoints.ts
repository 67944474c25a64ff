/** What the thread does that writes the log of a SQLite file back: an entry of its own, see `CHECKPOINT_THREAD`. */

import { parentPort, workerData } from 'node:worker_threads';
import Database from 'libsql';

const database = new Database(String(workerData));
// Others who write are not waited for, and do not wait.
database.pragma('busy_timeout = 0');

parentPort?.on('message', (message: 'checkpoint' | 'end') => {
  if (message === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
    parentPort?.postMessage(true);
  } catch {
    // A full disk, or a file that somebody holds: there is a next time.
    parentPort?.postMessage(false);
  }
});

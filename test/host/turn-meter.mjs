// Preloaded into a host (`node --import`): measures how long its main thread blocks the event loop, in its own CPU time, so that
// other processes of the machine do not count. SIGUSR2 writes the result since the last one to IML_TURNS_FILE. Linux only.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** A request that arrives while a turn runs waits this long at most. */
const LIMIT_MS = 50;

if (isMainThread && process.env.IML_TURNS_FILE !== undefined) {
  const readCpuMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  let last = readCpuMs();
  let [startMs, lateMs, longestMs] = [performance.now(), 0, 0];
  setInterval(() => {
    const now = readCpuMs();
    const turnMs = now - last;
    last = now;
    lateMs += Math.max(0, turnMs - LIMIT_MS);
    longestMs = Math.max(longestMs, turnMs);
  }, 5).unref();
  process.on('SIGUSR2', () => {
    const elapsedMs = performance.now() - startMs;
    // The share of time in which a request that arrives waits longer than the limit.
    const result = { lateShare: lateMs / elapsedMs, longestMs, elapsedMs };
    [startMs, lateMs, longestMs] = [performance.now(), 0, 0];
    const file = process.env.IML_TURNS_FILE;
    writeFileSync(`${file}.part`, JSON.stringify(result));
    renameSync(`${file}.part`, file);
  });
}

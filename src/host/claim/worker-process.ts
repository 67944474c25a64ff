import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { WorkerRow } from '../store/tables.js';

/** Process ids mean something only within one host and one process namespace. */
export const MACHINE: string = `${hostname()} ${namespace()}`;

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return process.platform;
  }
}

/** Whether the process of a worker is known to be over, which saves the wait for the lease after a crash. */
export function hasEnded(worker: Pick<WorkerRow, 'machine' | 'pid'>): boolean {
  if (worker.machine !== MACHINE || worker.pid === process.pid) return false;
  try {
    process.kill(worker.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { WorkerSettings } from './open-worker.js';

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly paths: readonly string[];
  /** Resolves when the process is over, with what it printed last. */
  readonly ended: Promise<string>;
  /** What it wrote about errors. */
  readonly errors: () => string;
  /** Stops it as `iml serve` is stopped. @returns the points it went through */
  readonly stop: () => Promise<readonly string[]>;
}

/** Starts a worker; undefined if it ended before it was ready, as it was told to. */
export async function startWorker(
  script: string,
  settings: WorkerSettings,
): Promise<WorkerProcess | undefined> {
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  let last = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-20_000);
  });
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(last)));
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<string | undefined>((resolve) => {
    lines.on('line', (line) => {
      last = line;
      resolve(line);
    });
    child.once('close', () => resolve(undefined));
  });
  const line = await ready;
  if (line === undefined) {
    if (settings.killAt === undefined) throw new Error(`The worker did not start: ${errors}`);
    return undefined;
  }
  const { origin, paths } = JSON.parse(line) as { origin: string; paths: string[] };
  return {
    child,
    origin,
    paths,
    ended,
    errors: () => errors,
    stop: async () => {
      child.kill('SIGTERM');
      return (JSON.parse(await ended) as { points?: string[] }).points ?? [];
    },
  };
}

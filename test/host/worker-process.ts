import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { WorkerSettings } from './open-worker.js';

/** A worker in a child process. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly paths: readonly string[];
  /** Resolves with the last output when the process exits. */
  readonly ended: Promise<string>;
  /** Its error output. */
  readonly errors: () => string;
  /** Stops it like `iml serve`. @returns the points it passed */
  readonly stop: () => Promise<readonly string[]>;
}

/** Starts a worker; undefined if it ended itself before it was ready. */
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

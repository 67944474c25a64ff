import { execFile, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { TEST_HOME } from '../temporary-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

export interface ProcessResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface StartedProcess {
  readonly child: ReturnType<typeof spawn>;
  /** Output so far. */
  readonly written: Readonly<Record<'out' | 'err', string>>;
  readonly result: Promise<ProcessResult>;
}

/**
 * Starts the command as a process: that of the build, or where it is not fresh one that is bundled for the tests of a file.
 * The bundle is inside of the package, so that dependencies and the package's own name resolve, and is gone afterwards.
 */
export function builtCli(): (args: readonly string[], stdin?: 'open' | 'ended') => StartedProcess {
  if (process.env['IML_BUILD'] === 'fresh') return starterIn(path.join(ROOT, 'dist/bin'));
  const folder = path.join(ROOT, '.iml', `build-${process.pid}`);
  const bundler = path.join(ROOT, '.config/bundle-bin.mjs');
  beforeAll(() => promisify(execFile)(process.execPath, [bundler, folder]));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return starterIn(folder);
}

function starterIn(folder: string): ReturnType<typeof builtCli> {
  return (args, stdin = 'ended') => start(process.execPath, [path.join(folder, 'iml.js'), ...args], stdin);
}

function start(command: string, args: readonly string[], stdin: 'open' | 'ended'): StartedProcess {
  const env = { XDG_CONFIG_HOME: path.join(TEST_HOME, '.config'), ...process.env };
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  if (stdin === 'ended') child.stdin.end();
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.err += text;
  });
  const result = new Promise<ProcessResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...written }));
  });
  return { child, written, result };
}

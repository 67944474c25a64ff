import { type ChildProcess, spawn } from 'node:child_process';
import { ANY_FUNCTION, ANY_TEXT, checkOptions, wholeNumber } from '../../errors/check-options.js';
import { EngineError } from '../../errors/engine-error.js';
import type { HostNotice, HostObserver } from '../ports/observer.js';

/** Tells somebody outside of what waits for a person. */
export interface Notifier {
  readonly observer: HostObserver;
  /** Resolves once everybody was told of everything so far. */
  readonly settle: () => Promise<void>;
}

/** Whom a notifier tells, and how long it waits for an answer. */
export interface NotifierOptions {
  /** `http://` or `https://`: gets a POST with the notice as JSON. Anything else is a command of the shell, which gets it as input. */
  readonly to: string;
  /** Gets why somebody could not be told; nothing is told again. */
  readonly onError: (error: Error) => void;
  /** Until telling is given up. Default 10 s. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 10_000;
/** Notices that wait while one is told; those beyond are dropped, and that is told to `onError`. */
const MAX_WAITING = 100;

/**
 * Tells an address or a command of scenarios that went off by themselves (`scenario-off`), of what became dead
 * (`run-finished` with `becomes: 'dead'`) and of what ended every process that worked on it (`given-up`), one after the other. Pass `observer` to `createHost`.
 */
export function createNotifier(options: NotifierOptions): Notifier {
  const shapes = { to: ANY_TEXT, onError: ANY_FUNCTION, timeoutMs: wholeNumber(1) };
  checkOptions(options, shapes, 'The options of createNotifier', ['to', 'onError']);
  const { to, onError, timeoutMs = TIMEOUT_MS } = options;
  const tell = /^https?:\/\//i.test(to) ? postTo : runCommand;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const failed = (why: string, cause?: unknown): void =>
    onError(new EngineError('HOST_REFUSED', `A notification was not taken: ${why}.`, { cause }));
  return {
    observer: (notice) => {
      if (!needsPerson(notice)) return;
      if (waiting >= MAX_WAITING) return failed(`${MAX_WAITING} others wait`);
      waiting++;
      last = last
        .then(() => tell(to, JSON.stringify(notice), timeoutMs))
        // What it failed with may name the address, which may be a secret.
        .catch((error: unknown) =>
          failed(error instanceof Refusal ? error.message : 'it does not answer', error),
        )
        .finally(() => {
          waiting--;
        });
    },
    settle: () => last,
  };
}

/** Its message is free of addresses and commands. */
class Refusal extends Error {}

function needsPerson(notice: HostNotice): boolean {
  if (notice.kind === 'given-up') return true;
  return notice.kind === 'scenario-off' || (notice.kind === 'run-finished' && notice.becomes === 'dead');
}

async function postTo(url: string, body: string, timeoutMs: number): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  await response.body?.cancel();
  if (!response.ok) throw new Refusal(`it was answered ${response.status}`);
}

function runCommand(command: string, input: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // A process group of its own, so that the time-out ends what the shell started, too.
    const child = spawn(command, { shell: true, stdio: ['pipe', 'ignore', 'ignore'], detached: !IS_WINDOWS });
    const timer = setTimeout(() => killGroup(child), timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Refusal(`the command ended with ${code ?? signal}`));
    });
    // A command that does not read is no failure.
    child.stdin.on('error', () => {});
    child.stdin.end(`${input}\n`);
  });
}

const IS_WINDOWS = process.platform === 'win32';

/** Kills at once: a command may ignore SIGTERM, and further notices wait for it. */
function killGroup(child: ChildProcess): void {
  try {
    if (IS_WINDOWS || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

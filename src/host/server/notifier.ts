import { type ChildProcess, spawn } from 'node:child_process';
import { ANY_FUNCTION, ANY_TEXT, checkOptions, wholeNumber } from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostNotice, HostObserver } from '../observer.js';

/** Notifies an operator about work that waits for a person. */
export interface Notifier {
  readonly observer: HostObserver;
  /** Resolves after all notices so far were delivered or failed. */
  readonly settle: () => Promise<void>;
}

/** Target and time limit of a notifier. */
export interface NotifierOptions {
  /**
   * An `http://` or `https://` URL receives a POST with the notice as JSON. Anything else is a shell command that
   * receives it on standard input.
   */
  readonly to: string;
  /** Receives delivery errors. Notices are not retried. */
  readonly onError: (error: Error) => void;
  /** Time limit of a delivery. Default 10 s. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 10_000;
/** Maximum waiting notices. Further ones are dropped and reported to `onError`. */
const MAX_WAITING = 100;

/**
 * Notifies a URL or command, one notice after the other: of deactivated scenarios (`scenario-off`), dead work
 * (`run-finished` with `becomes: 'dead'`) and work that was given up (`given-up`). Pass `observer` to `createHost`.
 */
export function createNotifier(options: NotifierOptions): Notifier {
  const shapes = { to: ANY_TEXT, onError: ANY_FUNCTION, timeoutMs: wholeNumber(1) };
  checkOptions(options, shapes, 'The options of createNotifier', ['to', 'onError']);
  const { to, onError, timeoutMs = TIMEOUT_MS } = options;
  const tell = /^https?:\/\//i.test(to) ? postTo : runCommand;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const failed = (why: string, cause?: unknown): void =>
    onError(new EngineError('HOST_REFUSED', `A notification was not delivered: ${why}.`, { cause }));
  return {
    observer: (notice) => {
      if (!needsPerson(notice)) return;
      if (waiting >= MAX_WAITING) return failed(`${MAX_WAITING} others wait`);
      waiting++;
      last = last
        .then(() => tell(to, JSON.stringify(notice), timeoutMs))
        // The error may contain the URL, which may be a secret.
        .catch((error: unknown) =>
          failed(error instanceof Refusal ? error.message : 'it does not respond', error),
        )
        .finally(() => {
          waiting--;
        });
    },
    settle: () => last,
  };
}

/** An error whose message contains no URL or command. */
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
  if (!response.ok) throw new Refusal(`it responded with status ${response.status}`);
}

function runCommand(command: string, input: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // A separate process group, so that the timeout also ends child processes of the shell.
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
    // A command may ignore its input.
    child.stdin.on('error', () => {});
    child.stdin.end(`${input}\n`);
  });
}

const IS_WINDOWS = process.platform === 'win32';

/** SIGKILL: a command may ignore SIGTERM, and further notices wait for it. */
function killGroup(child: ChildProcess): void {
  try {
    if (IS_WINDOWS || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process already ended.
  }
}

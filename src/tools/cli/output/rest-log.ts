import type { AnsweredCall, FailedCall } from '../../../rest/call/router.js';
import type { RestNotification } from '../../../rest/services/ports.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { printJson } from './json-output.js';
import { printableLine } from './terminal-text.js';

/** The format of the log of `iml rest`. */
export type RestLogFormat = 'text' | 'json';

/** The log of `iml rest`, a line per event. */
export interface RestLog {
  /** A response, if a format is set. */
  readonly answer: (call: AnsweredCall) => void;
  /** A failed call. Calls that fail for the same reason within a minute are counted, and the count follows as one line. */
  readonly failure: (error: unknown, call: FailedCall) => void;
  /** An invitation, with the hash by which the invited user accepts it. */
  readonly invitation: (notification: RestNotification) => void;
  readonly message: (text: string) => void;
  /** Writes the remaining counts. */
  readonly close: () => void;
}

export interface RestLogOptions {
  /** Undefined: text, and no line for calls that succeed. */
  readonly format: RestLogFormat | undefined;
  readonly now: () => number;
}

/** Causes of a failure that a line names. */
const MAX_CAUSES = 5;

/** How long failures for the same reason are counted before the next line. [choice] */
const WINDOW_MS = 60_000;

/** Reasons that are counted at a time; the oldest one is written and forgotten. [choice] */
const MAX_REASONS = 100;

/** Failures for one reason, after the one that was written. */
interface Repeated {
  readonly causes: readonly string[];
  readonly sinceMs: number;
  count: number;
}

/** Creates the log of `iml rest`. */
export function createRestLog(write: (line: string) => void, { format, now }: RestLogOptions): RestLog {
  const writeEvent = (kind: string, members: Readonly<Record<string, unknown>>, text: string): void => {
    const at = new Date(now()).toISOString();
    write(format === 'json' ? printJson({ at, kind, ...members }) : printableLine(text));
  };
  const reasons = new Map<string, Repeated>();
  const flush = (isDue: (repeated: Repeated) => boolean): void => {
    for (const [reason, repeated] of reasons) {
      if (!isDue(repeated)) continue;
      reasons.delete(reason);
      const { causes, count } = repeated;
      const text = `failed ${count} more times: ${causes.join(' < ')}`;
      if (count > 0) writeEvent('failures', { count, causes }, text);
    }
  };
  const flushOld = (): void => {
    const endMs = now() - WINDOW_MS;
    flush(({ sinceMs }) => sinceMs <= endMs);
  };
  return {
    answer: (call) => {
      flushOld();
      if (format === undefined) return;
      const { requestId, operation, method, path, status } = call;
      const durationMs = Math.round(call.durationMs * 10) / 10;
      const text = `${status} ${method} ${path} ${operation ?? '-'} ${durationMs} ms ${requestId}`;
      writeEvent('answer', { requestId, operation, method, path, status, durationMs }, text);
    },
    failure: (error, { requestId, operation, method, path }) => {
      flushOld();
      const causes = describeCauses(error);
      const reason = causes.join(' < ');
      const repeated = reasons.get(reason);
      if (repeated) {
        repeated.count++;
        return;
      }
      const [oldest] = reasons.values();
      if (reasons.size >= MAX_REASONS) flush((it) => it === oldest);
      reasons.set(reason, { causes, sinceMs: now(), count: 0 });
      const text = `failed ${method} ${path} ${operation ?? '-'} ${requestId}: ${reason}`;
      writeEvent('failure', { requestId, operation, method, path, causes }, text);
    },
    invitation: ({ organizationId, userId, hash }) => {
      const text = `invitation ${hash ?? ''} of user ${userId} to organization ${organizationId}`;
      writeEvent('invitation', { organizationId, userId, hash }, text);
    },
    message: (message) => writeEvent('message', { message }, message),
    close: () => flush(() => true),
  };
}

function describeCauses(error: unknown): readonly string[] {
  const causes: string[] = [];
  for (let cause = error; cause !== undefined && causes.length < MAX_CAUSES; ) {
    const code = cause instanceof EngineError ? ` ${cause.code}` : '';
    causes.push(cause instanceof Error ? `${cause.name}${code}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

import type { HostNotice, HostObserver, RunSource } from '../../../host/observer.js';
import type { FlowOutput, FlowStepName } from '../../../host/ports.js';
import { StoreError } from '../../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { printJson } from './json-output.js';
import { printError } from './print-error.js';
import { printableLine } from './terminal-text.js';

/** `text`: lines for people. `json`: JSON lines with all IDs. `quiet`: only notices that need an operator. */
export type HostLogForm = 'text' | 'json' | 'quiet';

export interface HostLogOptions {
  readonly form: HostLogForm;
  /** Whether to print the stack of internal errors. */
  readonly showStack: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Logs the notices of a host, one line each. `write` must not block. */
export function createHostLog(
  write: (line: string) => void,
  { form, showStack, now }: HostLogOptions,
): HostObserver {
  let last = { text: '', count: 0, atMs: 0 };
  /** Logs how often the last problem was repeated. */
  const flush = (): void => {
    if (last.count === 0) return;
    const text = `The problem was repeated ${last.count} times: ${last.text}`;
    last = { ...last, count: 0 };
    write(form === 'json' ? messageLine(text, now()) : `${printableLine(text)}\n`);
  };
  return (notice) => {
    if (notice.kind === 'problem') {
      const text = notice.error instanceof Error ? notice.error.message : String(notice.error);
      if (text === last.text && now() - last.atMs < REPEATED_MS) {
        last.count++;
        return;
      }
      flush();
      last = { text, count: 0, atMs: now() };
    } else if (now() - last.atMs >= REPEATED_MS) flush();
    const line = form === 'json' ? jsonLine(notice, now()) : textLine(notice, { form, showStack, now });
    if (line !== '') write(line);
  };
}

/** Repeated problems within this time are counted, not logged. */
const REPEATED_MS = 10_000;

/** A JSON log line without an event, such as the address of the host. */
export function messageLine(text: string, nowMs: number, level: 'info' | 'error' = 'info'): string {
  const at = new Date(nowMs).toISOString();
  return `${printJson({ at, level, kind: 'message', message: text.trim() })}\n`;
}

function jsonLine(notice: HostNotice, nowMs: number): string {
  const at = new Date(nowMs).toISOString();
  const level = judgeLevel(notice);
  if (notice.kind !== 'problem') return `${printJson({ at, level, ...notice })}\n`;
  const { error } = notice;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return `${printJson({ at, level, kind: notice.kind, code, message })}\n`;
}

/** `error` needs an operator; `warn` is temporary or the fault of the sender. */
function judgeLevel(notice: HostNotice): 'info' | 'warn' | 'error' {
  if (needsSomebody(notice)) return 'error';
  if (notice.kind === 'call-refused' || notice.kind === 'scenario-suspended') return 'warn';
  return notice.kind === 'run-finished' && notice.error !== undefined ? 'warn' : 'info';
}

function textLine(notice: HostNotice, { form, showStack, now }: HostLogOptions): string {
  if (notice.kind === 'problem' && !(notice.error instanceof StoreError)) {
    return printError(notice.error, { showStack });
  }
  if (form === 'quiet' && !needsSomebody(notice)) return '';
  const text = describeNotice(notice);
  return text === '' ? '' : `${new Date(now()).toISOString().slice(11, 19)} ${printableLine(text)}\n`;
}

function needsSomebody(notice: HostNotice): boolean {
  if (notice.kind === 'run-finished') return notice.becomes === 'dead';
  return notice.kind === 'scenario-off' || notice.kind === 'given-up' || notice.kind === 'problem';
}

function describeNotice(notice: HostNotice): string {
  switch (notice.kind) {
    case 'problem':
      return String(notice.error);
    case 'call-accepted': {
      const events = notice.eventIds.length === 0 ? 'no event' : `event ${notice.eventIds.join(', ')}`;
      return `${notice.hook}: call answered ${notice.status}, ${events}, ${notice.durationMs} ms`;
    }
    case 'call-refused':
      return `${notice.hook ?? 'unknown address'}: call refused with ${notice.status} (${notice.reason})${errorText(notice.error)}`;
    case 'run-finished': {
      const { scenario, source, outcome, becomes, durationMs, error, failedAt, output } = notice;
      const follows = becomes === 'done' ? '' : `, ${FOLLOWS[becomes]}`;
      return `${scenario}: ${sourceText(source)} ${outcome} after ${durationMs} ms${follows}${stepText(failedAt)}${errorText(error)}${outputText(output)}`;
    }
    case 'scenario-suspended': {
      const until = new Date(notice.untilMs).toISOString();
      return `${notice.scenario}: ${notice.state} until ${until}${errorText(notice.error)}`;
    }
    case 'given-up': {
      const { scenario, source, attempts, error } = notice;
      return `${scenario}: ${sourceText(source)} failed permanently after ${attempts} attempts${errorText(error)}`;
    }
    case 'scenario-off':
      return `${notice.scenario}: turned off (${notice.reason})${errorText(notice.error)}; turn it on with iml scenarios on ${notice.scenario}`;
    default:
      return '';
  }
}

const FOLLOWS = {
  dead: 'dead; process it again with iml events replay',
  again: 'tried again',
  stopped: 'stopped; the next start retries it',
} as const;

function sourceText(source: RunSource): string {
  switch (source.kind) {
    case 'event':
      return `event ${source.eventId}`;
    case 'incomplete':
      return `incomplete execution ${source.incompleteId}`;
    case 'poll':
      return 'scheduled run';
  }
}

function stepText(step: FlowStepName | undefined): string {
  return step === undefined ? '' : `, step ${step.stepId} (${step.module})`;
}

/** Why a successful run output no bundles. */
function outputText(output: FlowOutput | undefined): string {
  const { bundles, endedAt } = output ?? {};
  if (bundles !== 0 || endedAt === undefined) return '';
  const step = `step ${endedAt.stepId} (${endedAt.module})`;
  switch (endedAt.why) {
    case 'filter':
      return `, no output: the filter of ${step} excluded all bundles`;
    case 'nothing':
      return `, no output: ${step} returned no bundle${unreadText(endedAt.unreadAt)}`;
    case 'ignored':
      return `, no output: the error of ${step} was ignored`;
  }
}

function unreadText(place: SourceLocation | undefined): string {
  return place === undefined ? '' : `, as a response has other contents than it reads${placeText(place)}`;
}

/** `: DataError: message (base.json:7:14)`. */
function errorText(error: PlainObject | undefined): string {
  if (error === undefined) return '';
  const type = ownMember(error, 'type') ?? ownMember(error, 'name');
  const message = ownMember(error, 'message') ?? '';
  const place = placeText(ownMember(error, 'place'));
  return `: ${typeof type === 'string' ? `${type}: ` : ''}${String(message)}${place}`;
}

function placeText(place: unknown): string {
  if (typeof place !== 'object' || place === null) return '';
  const [file, line, column] = ['file', 'line', 'column'].map((name): unknown => Reflect.get(place, name));
  if (typeof file !== 'string') return '';
  return ` (${file}${typeof line === 'number' ? `:${line}:${String(column ?? 1)}` : ''})`;
}

import type { PlainObject } from '../../../shared/plain-object.js';
import { toPortable } from '../../../shared/portable-value.js';
import { escapeUnsafe } from '../../../shared/text.js';
import type { RunTrace } from './run-trace.js';

/** Extension of trace files. */
export const TRACE_FILE_SUFFIX = '.jsonl';

/** Version of the format. */
export const TRACE_VERSION = 1;

/**
 * Writes a run as JSON lines: a head, the documents it ran, its events in order, its end. `readTraceFile` restores dates and
 * bytes. Characters that control a terminal, and invisible ones, are escaped.
 */
export function writeTraceFile({ documents, events, end, test, ...head }: RunTrace): string {
  const lines: string[] = [];
  const write = (line: PlainObject): void => {
    lines.push(`${escapeUnsafe(JSON.stringify(line))}\n`);
  };
  write({ line: 'run', version: TRACE_VERSION, ...head, limits: limitsAsData(head.limits) });
  if (test !== undefined) write({ line: 'test', ...test });
  for (const document of documents) write({ line: 'document', ...document });
  for (const event of events) write({ line: 'event', event: toPortable(event) });
  write({ line: 'end', ...end });
  return lines.join('');
}

/** JSON lacks Infinity. */
const WITHOUT_LIMIT = 'Infinity';

/** Limits in a trace. */
export const LIMIT_NAMES = [
  'maxRequests',
  'maxPages',
  'maxRecords',
  'timeoutMs',
  'maxTimeoutMs',
  'functionTimeoutMs',
] as const;

function limitsAsData(limits: RunTrace['limits']): PlainObject {
  return Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, Number.isFinite(limits[name]) ? limits[name] : WITHOUT_LIMIT]),
  );
}

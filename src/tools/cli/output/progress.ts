import type { RunStats } from '../../../engine/component/report.js';
import type { Limits } from '../../../engine/run/limits.js';
import type { Io } from '../io.js';
import { fitText } from './print-table.js';
import { printableLine } from './terminal-text.js';

const INTERVAL_MS = 200;
const ERASE_LINE = '\r\u001b[K';

/** A progress line at the bottom of a terminal. */
export interface Progress {
  /** Writes above the line. */
  readonly above: (write: () => Promise<void>) => Promise<void>;
  /** Removes the line. */
  readonly stop: () => Promise<void>;
}

/** Shows `line` repeatedly. Does nothing without a terminal. */
export function startProgress(line: () => string, io: Pick<Io, 'stderr' | 'env'>): Progress {
  const { stderr, env } = io;
  if (!stderr.isTerminal || env['TERM'] === 'dumb')
    return { above: (write) => write(), stop: async () => {} };
  // The line is optional, so write errors are ignored.
  const show = (text: string): Promise<void> => stderr.write(text).catch(() => {});
  const draw = (): void =>
    void show(`${ERASE_LINE}${fitText(printableLine(line()), (stderr.columns ?? 80) - 1)}`);
  const timer = setInterval(draw, INTERVAL_MS);
  timer.unref();
  draw();
  let isShown = true;
  return {
    above: async (write) => {
      if (isShown) await show(ERASE_LINE);
      await write();
    },
    stop: async () => {
      clearInterval(timer);
      if (isShown) await show(ERASE_LINE);
      isShown = false;
    },
  };
}

/** `listBooks: page 3, 3 of 100 requests, 75 of 3200 records, 1.2 of 40 s`. */
export function progressLine(name: string, stats: RunStats, limits: Limits): string {
  const { requests, followUpPages, records, durationMs } = stats;
  return [
    `${name}: page ${followUpPages + 1}`,
    `${requests} of ${limits.maxRequests} requests`,
    `${records} of ${limits.maxRecords} records`,
    `${(durationMs / 1000).toFixed(1)} of ${limits.timeoutMs / 1000} s`,
  ].join(', ');
}

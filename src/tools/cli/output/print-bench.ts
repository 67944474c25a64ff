import type { BenchFigures, BenchReport, BenchWorkload } from '../../testing/bench/bench-report.js';
import { printTable } from './print-table.js';
import { countNouns, printableLine } from './terminal-text.js';

/** How a report of `iml bench` is printed. */
export interface PrintBenchOptions {
  /** Width of the terminal; undefined without one. */
  readonly columns: number | undefined;
  /** Whether the times of pages are plotted. */
  readonly showsPlot: boolean;
  /** Name of the version that is compared. */
  readonly other: string | undefined;
}

/** One block per workload: what ran, a table of figures, the comparison, and a plot. */
export function printBench(report: BenchReport, options: PrintBenchOptions): string {
  const skipped = report.skipped.map(({ name, reason }) => printableLine(`skipped ${name}: ${reason}`));
  const blocks = report.workloads.map((workload) => printWorkload(workload, report, options));
  return [...blocks, ...(skipped.length === 0 ? [] : [`${skipped.join('\n')}\n`])].join('\n');
}

function printWorkload(
  workload: BenchWorkload,
  { latencyMs, service }: BenchReport,
  { columns, showsPlot, other = 'other' }: PrintBenchOptions,
): string {
  const { name, pages, records, rounds, runsPerRound, current, compared, comparison } = workload;
  const latency = service === 'live' ? '' : `, latency ${latencyMs} ms`;
  const head = `${name}: ${countNouns(pages, 'page')}, ${countNouns(records, 'record')}${latency}, ${countNouns(rounds, 'round')} of ${countNouns(runsPerRound, 'run')}`;
  const rows =
    compared === undefined
      ? [showFigures(current)]
      : [
          { version: 'current', ...showFigures(current) },
          { version: other, ...showFigures(compared) },
        ];
  const lines = [`${printableLine(head)}\n`, printTable(rows, columns)];
  if (comparison !== undefined) {
    const { ratio, lowest, highest, cpuRatio, isSlower } = comparison;
    lines.push(
      `current / ${printableLine(other)}: ${ratio.toFixed(3)} (rounds ${lowest.toFixed(3)} to ${highest.toFixed(3)}), CPU ${cpuRatio.toFixed(3)}${isSlower ? ', slower' : ''}\n`,
    );
  }
  if (showsPlot) lines.push(plotPages(current.pages, columns));
  return lines.join('');
}

function showFigures(figures: BenchFigures): Readonly<Record<string, string>> {
  const { pagesPerSecond, recordsPerSecond, pageMs, waiting, decoding, evaluating, cpuMs, peakHeapBytes } =
    figures;
  return {
    'pages/s': showNumber(pagesPerSecond),
    'records/s': showNumber(recordsPerSecond),
    'page p50': `${showNumber(pageMs.p50)} ms`,
    p95: `${showNumber(pageMs.p95)} ms`,
    waiting: showShare(waiting),
    decoding: showShare(decoding),
    evaluating: showShare(evaluating),
    'CPU per run': `${showNumber(cpuMs)} ms`,
    heap: `${showNumber(peakHeapBytes / 2 ** 20)} MB`,
  };
}

function showNumber(value: number): string {
  if (value >= 100) return String(Math.round(value));
  return value.toFixed(value >= 10 ? 1 : 2);
}

function showShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Bars of the median time of each page, relative to the slowest; several pages share a bar if there are too many. */
function plotPages(times: readonly number[], columns: number = 80): string {
  const label = 'page times ';
  const slowest = Math.max(...times);
  const end = ` up to ${showNumber(slowest)} ms`;
  const width = Math.max(1, Math.min(times.length, columns - label.length - end.length));
  const bars = Array.from({ length: width }, (_, bar) => {
    const from = Math.floor((bar * times.length) / width);
    const to = Math.floor(((bar + 1) * times.length) / width);
    const time = Math.max(...times.slice(from, to));
    return BARS[Math.min(BARS.length - 1, Math.floor((time / slowest) * BARS.length))] ?? '';
  });
  return `${label}${bars.join('')}${end}\n`;
}

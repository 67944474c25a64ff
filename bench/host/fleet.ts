import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessOrder, ProcessReport } from './measured-process.js';

/** Sums of the figures of all processes. */
export interface FleetReport extends Omit<ProcessReport, 'port'> {
  readonly ports: readonly number[];
}

/** Processes that share a database. */
export interface Fleet {
  readonly report: () => Promise<FleetReport>;
  readonly end: () => Promise<void>;
}

/** Starts processes in sequence. Resolves when all of them listen. */
export async function startFleet(count: number, order: ProcessOrder): Promise<Fleet> {
  const children: ChildProcess[] = [];
  for (let n = 0; n < count; n++) {
    const child = fork(new URL('./measured-process.js', import.meta.url), [JSON.stringify(order)]);
    children.push(child);
    await once(child, 'message');
  }
  const requestReport = async (child: ChildProcess): Promise<ProcessReport> => {
    child.send('report');
    const [report] = (await once(child, 'message')) as [ProcessReport];
    return report;
  };
  return {
    report: async () => {
      const reports = await Promise.all(children.map(requestReport));
      const sum = (name: Exclude<keyof ProcessReport, 'port'>): number =>
        reports.reduce((total, report) => total + report[name], 0);
      return {
        ports: reports.map(({ port }) => port),
        finished: sum('finished'),
        statements: sum('statements'),
        cpuMs: sum('cpuMs'),
        rssMb: sum('rssMb'),
      };
    },
    end: async () => {
      for (const child of children) {
        const exit = once(child, 'exit');
        child.kill();
        await exit;
      }
    },
  };
}

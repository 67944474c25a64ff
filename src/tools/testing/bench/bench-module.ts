import path from 'node:path';
import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { findModule } from '../../../engine/find-component.js';
import type { Transport } from '../../../engine/http/transport.js';
import { findApp } from '../../../engine/loading/find-app.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { LONGEST_TIMER_MS } from '../../../shared/clock.js';
import {
  ANY_FUNCTION,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  SIGNAL,
  wholeNumber,
} from '../../../shared/errors/check-options.js';
import { EngineError, TransportError } from '../../../shared/errors/engine-error.js';
import { isChanging } from '../suite/run-live.js';
import type { BenchReport, BenchWorkload } from './bench-report.js';
import { measureWorkload, type RoundOptions } from './measure-workload.js';
import { startMockService } from './mock-service.js';
import { type BenchSubject, listWorkloads, type Workloads } from './workload.js';

/** Options of `benchModule`. */
export interface BenchOptions extends RoundOptions {
  /** Name of the only case to measure. Default: all cases of the module, or the longest one with generated pages. */
  readonly case?: string | undefined;
  /** Generates this many pages from a case, or from samples, interface and directives if the module has no case. */
  readonly pages?: number | undefined;
  /** Generates pages of this size. Default: as recorded. */
  readonly pageSize?: number | undefined;
  /** With generated pages: replaces parameters of the case. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Delay of each response of the mock service. Default: 0. */
  readonly latencyMs?: number | undefined;
  /** Sends the requests to the API instead of a mock service. */
  readonly live?: LiveBench | undefined;
  /** Folder of another version of the app. Its outputs have to be the same. */
  readonly compareWith?: string | undefined;
}

/** A measurement against the API. */
export interface LiveBench {
  readonly input?: RunInput | undefined;
  readonly engine?: Omit<EngineOptions, 'app'> | undefined;
  /** Whether to send requests with methods other than GET, HEAD and OPTIONS. Default: false. */
  readonly mayChange?: boolean | undefined;
}

const SHAPES: OptionShapes<BenchOptions> = {
  case: ANY_TEXT,
  pages: wholeNumber(1, 100_000),
  pageSize: wholeNumber(1, 1_000_000),
  parameters: ANY_OBJECT,
  latencyMs: wholeNumber(0, 600_000),
  live: ANY_OBJECT,
  rounds: wholeNumber(1, 10_000),
  roundMs: wholeNumber(0, LONGEST_TIMER_MS),
  compareWith: ANY_TEXT,
  tolerance: ANY_NUMBER,
  signal: SIGNAL,
  onRound: ANY_FUNCTION,
};

/**
 * Measures a module against a mock service in another process, or against the API: the throughput of paging, and the
 * shares of waiting, decoding and evaluating. The service plays the recorded cases of the module, or generated pages.
 *
 * @param folder of the app
 * @throws SpecError for an app that cannot be loaded or has no such module; EngineError (USAGE) for options that do not fit
 * the module; CaseError for a case that cannot be measured, and for outputs that differ; AppError of a failed run
 * @example
 * const { workloads } = await benchModule('./my-app', 'listOrders', { pages: 20, pageSize: 100, latencyMs: 50 });
 * console.log(workloads[0].current.recordsPerSecond);
 */
export async function benchModule(
  folder: string,
  module: string,
  options: BenchOptions = {},
): Promise<BenchReport> {
  checkOptions(options, SHAPES, 'The options of benchModule');
  const { live, latencyMs = 0, compareWith } = options;
  const subject = await openSubject(folder, module);
  const other = compareWith === undefined ? undefined : await openSubject(compareWith, module);
  const { workloads, skipped } =
    live === undefined ? await listWorkloads(subject, options) : liveWorkload(live);
  const service = live === undefined ? await startMockService() : undefined;
  try {
    const measured: BenchWorkload[] = [];
    for (const [index, workload] of workloads.entries()) {
      const versions = [subject.app, ...(other === undefined ? [] : [other.app])];
      const stage = { versions, module, script: `w${index}`, service, latencyMs };
      measured.push(await measureWorkload(workload, stage, options));
    }
    const isGenerated = options.pages !== undefined || options.pageSize !== undefined;
    return {
      app: subject.app.name,
      module,
      service: live !== undefined ? 'live' : isGenerated ? 'pages' : 'cases',
      latencyMs,
      workloads: measured,
      skipped,
      maxRssBytes: process.resourceUsage().maxRSS * 1024,
    };
  } finally {
    service?.close();
  }
}

async function openSubject(folder: string, name: string): Promise<BenchSubject> {
  const { folder: root } = await findApp(path.resolve(folder));
  const app = await loadApp(root);
  const module = findModule(app, name);
  if (module.type === 'responder') {
    throw new EngineError('USAGE', `The module "${name}" is a responder, which reads no pages.`);
  }
  return { app, root, module };
}

function liveWorkload({ input = {}, engine = {}, mayChange = false }: LiveBench): Workloads {
  const { http } = engine;
  const guard =
    (transport: Transport): Transport =>
    async (request) => {
      if (mayChange || !isChanging(request.method)) return transport(request);
      const what = `${request.method} ${new URL(request.url).origin}`;
      throw new TransportError(
        'NETWORK_REFUSED',
        `${what} may change data at the API, and a measurement repeats it. Allow it with --allow-changes.`,
      );
    };
  const wrap = (transport: Transport): Transport => guard(http?.wrap?.(transport) ?? transport);
  return {
    workloads: [{ name: 'live', input, engine: { ...engine, http: { ...http, wrap } } }],
    skipped: [],
  };
}

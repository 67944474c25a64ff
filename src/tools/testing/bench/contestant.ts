import type { RunStats } from '../../../engine/component/report.js';
import { createEngineWith } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import type { Transport } from '../../../engine/http/transport.js';
import type { RunWarning } from '../../../engine/run/trace.js';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import { createSeededRandom } from '../fixtures/seeded-random.js';
import type { MockService } from './mock-service.js';
import { createPageStopwatch, type RunTimes } from './page-stopwatch.js';
import type { Workload } from './workload.js';

/** A version of the app that runs a workload. */
export interface Contestant {
  /** Runs once, as a consumer of streamed bundles. Rejects with the AppError of a failed run. */
  readonly run: (onBundle?: (bundle: unknown) => void) => Promise<MeasuredRun>;
  /** Requests of the current run. */
  readonly requests: () => number;
  readonly close: () => Promise<void>;
}

export interface MeasuredRun {
  readonly times: RunTimes;
  readonly stats: RunStats;
  readonly warnings: readonly RunWarning[];
}

export interface ContestantOptions {
  readonly app: App;
  readonly module: string;
  readonly workload: Workload;
  /** Where its responses come from; undefined for the API. */
  readonly session: Session | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A session of the mock service. */
export interface Session {
  readonly service: MockService;
  readonly script: string;
  readonly name: string;
  readonly latencyMs: number;
}

/** Opens an engine for the runs of one version of an app. */
export function openContestant({ app, module, workload, session, signal }: ContestantOptions): Contestant {
  const { engine: options, input } = workload;
  const stopwatch = createPageStopwatch();
  const { random, uuid } = createSeededRandom();
  const { http } = options;
  const engine = createEngineWith(
    {
      ...options,
      app,
      ...(session !== undefined && { random, uuid }),
      clock: stopwatch.timeClock(options.clock ?? SYSTEM_CLOCK),
      http: {
        ...http,
        ...(session !== undefined && { rewrite: { '*': session.service.url(session.script, session.name) } }),
        wrap: (transport: Transport) => stopwatch.wrap(http?.wrap?.(transport) ?? transport),
      },
    },
    { onDecoded: stopwatch.onDecoded },
  );
  return {
    run: async (onBundle) => {
      if (session !== undefined) {
        await session.service.begin(session.script, session.name, session.latencyMs);
      }
      const run = engine.module(module).run({ ...input, signal });
      const times = await stopwatch.measure(async () => {
        for await (const bundle of run) onBundle?.(bundle);
      });
      const { stats, warnings } = run.report();
      return { times, stats, warnings };
    },
    requests: stopwatch.requests,
    close: () => engine.close(),
  };
}

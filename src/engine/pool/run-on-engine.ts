import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import type { ModuleRun } from '../component/module-run.js';
import type { RunReport, RunStats } from '../component/report.js';
import { StateSampler, type TriggerState } from '../component/trigger-data.js';
import type { Engine } from '../create-engine.js';
import type { ModuleType } from '../document/app.js';
import type { AppDefinition } from '../loading/define-app.js';
import type { Bundle } from '../run/collect-outputs.js';
import type { RunWarning } from '../run/trace.js';
import type { WorkerContext } from './messages.js';

/** One method of one component of an app. */
export interface EngineCall {
  readonly app: string | AppDefinition;
  readonly component: 'module' | 'rpc' | 'endpoint' | 'webhook' | 'connection' | 'engine';
  readonly name: string;
  /** Type of the module that the caller expects. */
  readonly type?: ModuleType | undefined;
  readonly method: string;
  readonly values: readonly unknown[];
  /** Position of the values that take a `signal`. */
  readonly input: number;
  /** Whether the caller finds the recipients of a webhook call: `connections` is a function there. */
  readonly findsRecipients: boolean;
}

/** Bundles of a streamed run, and its report at that time. */
export interface StreamedPage {
  readonly bundles: readonly Bundle[];
  /** The state after each bundle of a polling trigger; undefined where it is not kept. */
  readonly states: readonly (TriggerState | undefined)[];
  readonly stats: RunStats;
  readonly warnings: readonly RunWarning[];
}

type Method = (...values: unknown[]) => unknown;

/** Calls a method of an engine, and gives its report. */
export async function callEngine(call: EngineCall, context: WorkerContext): Promise<unknown> {
  const target: unknown = findTarget(await context.engine(call.app), call);
  const method: unknown = Reflect.get(Object(target), call.method);
  if (typeof method !== 'function') {
    throw new EngineError('USAGE', `A ${call.component} has no method "${call.method}".`);
  }
  const report: unknown = await (method as Method)(...withPorts(call, context));
  return isPlainObject(report) ? withoutResponse(report) : report;
}

/** Omits `response`, which the caller creates from `answer`. Reading it would create it here, too. */
function withoutResponse(report: PlainObject): PlainObject {
  const names = Object.keys(report).filter((name) => name !== 'response');
  return Object.fromEntries(names.map((name) => [name, report[name]]));
}

/**
 * Runs a module and passes its bundles page by page.
 *
 * @returns the report at the end; its `error` is what the loop of the caller throws
 */
export async function streamModule(call: EngineCall, context: WorkerContext): Promise<RunReport> {
  const engine = await context.engine(call.app);
  const [input] = withPorts(call, context);
  const run = engine.module(call.name, call.type).run(Object(input));
  const isTrigger = engine.app.modules.get(call.name)?.type === 'trigger';
  try {
    await streamPages(run, isTrigger ? new StateSampler() : undefined, context);
  } catch (error) {
    if (run.report().ok) throw error;
  }
  return { ...run.report() };
}

async function streamPages(
  run: ModuleRun,
  sampler: StateSampler | undefined,
  context: WorkerContext,
): Promise<void> {
  const iterator = run[Symbol.asyncIterator]();
  const take = (bundle: Bundle, bundles: Bundle[], states: (TriggerState | undefined)[]): void => {
    bundles.push(bundle);
    if (sampler !== undefined) states.push(sampler.sample(run.report().state));
  };
  for (let next = iterator.next(); ; ) {
    const first = await next;
    if (first.done) return;
    const bundles: Bundle[] = [];
    const states: (TriggerState | undefined)[] = [];
    take(first.value, bundles, states);
    next = iterator.next();
    // The bundles of a page arrive together.
    for (let more = await orLater(next); more !== undefined; more = await orLater(next)) {
      if (more.done) break;
      take(more.value, bundles, states);
      next = iterator.next();
    }
    // Prevents an unhandled rejection while the caller takes the page.
    next.catch(() => {});
    const { stats, warnings } = run.report();
    await context.call('bundles', { bundles, states, stats, warnings } satisfies StreamedPage);
  }
}

/** The result if it is there within a turn of the event loop. Leaves a failure to the next await of the promise. */
function orLater<T>(next: Promise<T>): Promise<T | undefined> {
  const later = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
  return Promise.race([next.catch(() => undefined), later]);
}

function findTarget(engine: Engine, { component, name, type }: EngineCall): unknown {
  if (component === 'engine') return engine;
  return component === 'module' ? engine.module(name, type) : engine[component](name);
}

function withPorts({ values, input, findsRecipients }: EngineCall, context: WorkerContext): unknown[] {
  const { signal } = context;
  const given = [...values];
  given[input] = {
    ...Object(given[input]),
    signal,
    ...(findsRecipients && { connections: (uid: string) => context.call('recipients', uid) }),
  };
  return given;
}

import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import type { Engine } from '../create-engine.js';
import type { ModuleType } from '../document/app.js';
import type { AppDefinition } from '../loading/define-app.js';
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

/** Runs a module and passes its bundles page by page. */
export async function streamModule(call: EngineCall, context: WorkerContext): Promise<unknown> {
  const engine = await context.engine(call.app);
  const [input] = withPorts(call, context);
  const run = engine.module(call.name, call.type).run(Object(input));
  const bundles = run[Symbol.asyncIterator]();
  for (let next = bundles.next(); ; ) {
    const first = await next;
    if (first.done) break;
    const page: unknown[] = [first.value];
    next = bundles.next();
    // The bundles of a page arrive together.
    for (let more = await orLater(next); more !== undefined; more = await orLater(next)) {
      if (more.done) break;
      page.push(more.value);
      next = bundles.next();
    }
    await context.call('bundles', page);
  }
  return undefined;
}

function orLater<T>(next: Promise<T>): Promise<T | undefined> {
  const later = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
  return Promise.race([next, later]);
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

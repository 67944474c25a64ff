import { checkValue, SIGNAL } from '../../shared/errors/check-options.js';
import type { AnyApp } from '../app-types.js';
import type { ModuleRun } from '../component/module-run.js';
import { type AnyReport, type Reporting, type RunReport, reporting } from '../component/report.js';
import type { Connection } from '../connection/connection.js';
import type { Engine } from '../create-engine.js';
import type { ModuleType } from '../document/app.js';
import type { Endpoint, FindModule, PollingTrigger, Responder, Rpc } from '../engine-components.js';
import type { AppDefinition } from '../loading/define-app.js';
import { toResponse } from '../run/build-answer.js';
import type { Webhook } from '../webhook/create-webhook.js';
import { type IncomingCall, readCall } from '../webhook/incoming-call.js';
import type { WebhookInput } from '../webhook/process-webhook.js';
import type { WebhookReport } from '../webhook/webhook-report.js';
import { keyOf, type PoolCalls } from './messages.js';
import { createPoolRun } from './pool-run.js';
import type { EngineCall, StreamedPage } from './run-on-engine.js';
import type { WorkerPool } from './worker-pool.js';

/**
 * An app in a pool: an `Engine` whose components run in workers. A name that the app does not have, and another type of
 * module, reject the call instead of throwing.
 */
export type PoolApp<Types extends AnyApp = AnyApp> = Pick<
  Engine<Types>,
  'module' | 'rpc' | 'endpoint' | 'webhook' | 'connection' | 'openConnection'
>;

/** Default deadlines of calls. */
export interface Deadlines {
  readonly runTimeoutMs: number;
  readonly webhookTimeoutMs: number;
}

/** Maximum size of a web request that is read for a worker. The worker has a separate limit. [choice] */
const MAX_CALL_BYTES = 64 * 1024 * 1024;

/** @param app the path of its folder, or its definition */
export function createPoolApp(app: string | AppDefinition, pool: WorkerPool, deadlines: Deadlines): PoolApp {
  const calls = new EngineCalls(app, pool, deadlines);
  return {
    module: ((name: string, type?: ModuleType) => createModule(calls, name, type)) as FindModule,
    rpc: (address: string) => createRpc(calls, address),
    endpoint: (name) => createEndpoint(calls, name),
    webhook: (name) => createHook(calls, name, deadlines),
    connection: (name) => createConnection(calls, name),
    openConnection: (name, options = {}) =>
      calls.report({ component: 'engine', name: '', method: 'openConnection', values: [name, options] }),
  };
}

function createModule(
  calls: EngineCalls,
  name: string,
  type: ModuleType | undefined,
): PollingTrigger & Responder {
  const on = (method: string, input: object = {}): Call => ({
    component: 'module',
    name,
    type,
    method,
    values: [input],
  });
  return {
    name,
    run: (input): ModuleRun =>
      createPoolRun({
        report: () => calls.report<RunReport>(on('run', input)),
        stream: async (onPage, left) => {
          const signal = joinSignals(left, input?.signal);
          const bundles = (page: StreamedPage): Promise<void> => onPage(page);
          return (await calls.start(on('run', { ...input, signal }), 'streamModule', {
            bundles,
          })) as RunReport;
        },
      }),
    epoch: (input) => calls.report(on('epoch', input)),
    respond: (input) => calls.report(on('respond', input)),
    parameters: async (input) => (await calls.start(on('parameters', input), 'callEngine')) as never,
  };
}

function createRpc(calls: EngineCalls, address: string): Rpc {
  return {
    name: address,
    call: (input = {}) => calls.report({ component: 'rpc', name: address, method: 'call', values: [input] }),
  };
}

function createEndpoint(calls: EngineCalls, name: string): Endpoint {
  return {
    name,
    run: (input = {}) => calls.report({ component: 'endpoint', name, method: 'run', values: [input] }),
  };
}

function createHook(calls: EngineCalls, name: string, { webhookTimeoutMs }: Deadlines): Webhook {
  const on = (method: string, input: object = {}): Call => ({
    component: 'webhook',
    name,
    method,
    values: [input],
  });
  const handle = async (
    request: Request | IncomingCall,
    input: WebhookInput = {},
  ): Promise<WebhookReport> => {
    const { call, error } = await readCall(request, MAX_CALL_BYTES);
    if (error !== undefined) throw error;
    const { connections, ...rest } = input;
    const findsRecipients = typeof connections === 'function';
    const started: Call = {
      ...on('handle'),
      values: [call, findsRecipients ? rest : input],
      timeoutMs: webhookTimeoutMs,
      findsRecipients,
      bytes: call.body.byteLength,
    };
    const recipients = findsRecipients ? { recipients: connections } : undefined;
    return withResponse((await calls.start(started, 'callEngine', recipients)) as WebhookReport);
  };
  return {
    name,
    handle: (request, input) => reporting(handle(request, input)),
    attach: (input) => calls.report(on('attach', input)),
    detach: (input) => calls.report(on('detach', input)),
    update: (input) => calls.report(on('update', input)),
  };
}

function createConnection(calls: EngineCalls, name: string): Connection {
  const on = (method: string, ...values: unknown[]): Call => ({
    component: 'connection',
    name,
    method,
    values,
  });
  return {
    name,
    needsPage: async () => (await calls.start(on('needsPage', {}), 'callEngine')) as boolean,
    create: (input = {}) => calls.report(on('create', input)),
    authorize: (input) => calls.report(on('authorize', input)),
    complete: (pending, query, options = {}) => calls.report(on('complete', pending, query, options)),
    test: (known, options = {}) => calls.report(on('test', known, options)),
    refresh: (known, input = {}) => calls.report(on('refresh', known, input)),
    invalidate: (known, options = {}) => calls.report(on('invalidate', known, options)),
  };
}

/** A call of a method. Its last value is the input, which may have a signal. */
interface Call extends Pick<EngineCall, 'component' | 'name' | 'type' | 'method' | 'values'> {
  readonly timeoutMs?: number;
  readonly findsRecipients?: boolean;
  readonly bytes?: number;
}

/** Calls of methods of one app's engine, in a worker. */
class EngineCalls {
  readonly #app: string | AppDefinition;
  readonly #key: string;
  readonly #pool: WorkerPool;
  readonly #deadlines: Deadlines;

  constructor(app: string | AppDefinition, pool: WorkerPool, deadlines: Deadlines) {
    this.#app = app;
    this.#key = keyOf(app);
    this.#pool = pool;
    this.#deadlines = deadlines;
  }

  /** @param work the function of the worker that makes the call */
  start(call: Call, work: 'callEngine' | 'streamModule', calls?: PoolCalls): Promise<unknown> {
    const { signal, values } = takeSignal(call.values);
    const { component, name, type, method, timeoutMs = this.#deadlines.runTimeoutMs } = call;
    const input: EngineCall = {
      app: this.#app,
      component,
      name,
      type,
      method,
      values,
      input: values.length - 1,
      findsRecipients: call.findsRecipients ?? false,
    };
    return this.#pool.run({
      module: undefined,
      name: work,
      app: this.#key,
      label: typeof this.#app === 'string' ? this.#app : this.#app.name,
      input,
      given: { what: `The input of ${component}${name && ` "${name}"`} ${method}()`, value: values.at(-1) },
      bytes: call.bytes,
      timeoutMs,
      signal,
      calls,
    });
  }

  report<R extends AnyReport>(call: Call): Reporting<R> {
    return reporting(this.start(call, 'callEngine') as Promise<R>);
  }
}

/** Signals cannot be cloned: the pool aborts the task instead. */
function takeSignal(values: readonly unknown[]): {
  readonly signal: AbortSignal | undefined;
  readonly values: readonly unknown[];
} {
  const given = values.at(-1);
  if (typeof given !== 'object' || given === null || !('signal' in given)) {
    return { signal: undefined, values };
  }
  const { signal, ...rest } = given;
  if (signal !== undefined) checkValue(signal, SIGNAL, '"signal"');
  return { signal: signal as AbortSignal | undefined, values: values.with(-1, rest) };
}

function joinSignals(own: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given === undefined ? own : AbortSignal.any([own, given]);
}

/** A Response cannot be cloned; it is created from the plain response when read. */
function withResponse(report: Omit<WebhookReport, 'response'>): WebhookReport {
  let response: Response | undefined;
  return Object.defineProperty(report, 'response', {
    enumerable: true,
    configurable: true,
    get: () => {
      response ??= toResponse(report.answer);
      return response;
    },
  }) as WebhookReport;
}

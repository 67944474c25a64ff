import { initialVariables, requireEndpoint } from '../../../engine/component/call-endpoint.js';
import { asRunError } from '../../../engine/component/report.js';
import type { App } from '../../../engine/document/app.js';
import type { DirectiveContext } from '../../../engine/document/compile-directive.js';
import type { CompiledRequest } from '../../../engine/document/compiled-request.js';
import { selectResponseType } from '../../../engine/http/body/decode-body.js';
import { APP_FUNCTIONS } from '../../../engine/loading/app-functions.js';
import { CallBudget } from '../../../engine/run/call-budget.js';
import { evaluateLimit } from '../../../engine/run/collect-outputs.js';
import type { EngineSettings } from '../../../engine/run/engine-settings.js';
import { atDirective, evaluateDirective, evaluateFlag } from '../../../engine/run/evaluate-directive.js';
import { buildExchange, extendTemp } from '../../../engine/run/exchange.js';
import { DEFAULT_LIMITS } from '../../../engine/run/limits.js';
import {
  assertSendable,
  prepareRequest,
  type RequestPlan,
  readRepeat,
} from '../../../engine/run/run-communication.js';
import { Run, type RunContext, startContext, withPosition } from '../../../engine/run/run-context.js';
import { toEnvironment } from '../../../language/environment.js';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import type { AppError } from '../../../shared/errors/app-error.js';
import { isPlainObject } from '../../../shared/plain-object.js';

/** A reason why every run fails. */
export interface RunRefusal {
  readonly error: AppError;
  /** Whether it concerns the endpoint of a request. */
  readonly isOfEndpoint: boolean;
}

/** A dry run ends before the first request. */
const SETTINGS: EngineSettings = Object.freeze({
  transport: () => Promise.reject(new Error('A dry run sends nothing.')),
  clock: SYSTEM_CLOCK,
  random: () => 0.5,
  limits: DEFAULT_LIMITS,
  budget: new CallBudget(),
  onPageLoop: 'warn',
  trace: 'summary',
  onTrace: undefined,
});

/** Context of constants, which call no functions. */
export const CONSTANT_CONTEXT: DirectiveContext = {
  environment: toEnvironment({}),
  functions: APP_FUNCTIONS,
};

/**
 * Runs the steps before the first request without data. On the constant part of an app, errors of these steps are
 * errors of every run.
 */
export class DryRun {
  readonly app: App;
  readonly refusals: RunRefusal[] = [];

  constructor(app: App) {
    this.app = app;
  }

  /** A new run without data. */
  context(): RunContext {
    const rules = { timeoutMs: DEFAULT_LIMITS.timeoutMs, keepsHost: false, callEndpoint: undefined };
    return startContext(new Run(SETTINGS, rules, []), initialVariables());
  }

  /** Runs a step and records its error as a refusal if a run would report it. */
  step<T>(take: () => T, isOfEndpoint = false): T | undefined {
    try {
      return take();
    } catch (thrown) {
      const error = asRunError(thrown);
      if (error === undefined) throw thrown;
      this.refusals.push({ error, isOfEndpoint });
      return undefined;
    }
  }

  /** Each request of a chain separately. */
  requests(requests: readonly CompiledRequest[], context: RunContext, plan: Partial<RequestPlan> = {}): void {
    for (const [index, request] of requests.entries()) {
      const isLast = index === requests.length - 1;
      const own = { appliesLimit: isLast, ...(isLast && plan) };
      this.request(request, own, withPosition(context, { requestIndex: index, document: request.document }));
    }
  }

  private request(request: CompiledRequest, plan: RequestPlan, context: RunContext): void {
    const { repeat, pagination } = request;
    if (this.step(() => evaluateFlag(request.condition?.test, true, context)) !== true) return;
    const hasBegun = this.step(() => begin(request, plan, context)) === true;
    if (!hasBegun) return;
    this.step(() => extendTemp(request.response.temp, context));
    if (request.isStatic) return;
    this.step(() => buildExchange(request, undefined, context));
    this.endpoint(request, context);
    if (pagination !== undefined && request.endpoint === undefined) {
      this.step(() => buildExchange(request, pagination, context, { what: 'page', servers: [] }));
    }
    if (repeat !== undefined) this.step(() => readRepeat(repeat, context));
    this.responseType(request, context);
  }

  private endpoint({ endpoint }: CompiledRequest, context: RunContext): void {
    const name = endpoint && this.step(() => evaluateDirective(endpoint.name, context));
    if (typeof name === 'string' && name !== '')
      this.step(() => requireEndpoint(name, context, this.app), true);
  }

  /** Checks the type of each status. */
  private responseType({ response: { type } }: CompiledRequest, context: RunContext): void {
    const value = this.step(() => evaluateDirective(type, context));
    const types = isPlainObject(value) ? Object.values(value) : [value];
    for (const one of types) this.step(() => atDirective(type, context, () => selectResponseType(one, 200)));
  }
}

/** The part of `runRequest` before the request. */
function begin(request: CompiledRequest, plan: RequestPlan, parent: RunContext): boolean {
  const { context, goesAhead } = prepareRequest(request, parent);
  if (!goesAhead) return true;
  // The rule `platform-only` reports the other requests that cannot be sent.
  if (request.endpoint !== undefined) assertSendable(request, context);
  const begun = plan.begin?.(request, context) ?? context;
  if (plan.appliesLimit) evaluateLimit(request.response, begun);
  return true;
}

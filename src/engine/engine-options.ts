import type { CompileOptions } from '../language/compile.js';
import { TIMEZONE } from '../language/date/zone.js';
import type { Clock } from '../shared/clock.js';
import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  BYTES,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  oneOfChoices,
  TEXT_LIST,
} from '../shared/errors/check-options.js';
import type { Tracing } from '../shared/tracing.js';
import { CHECK_PARAMETERS } from './component/input-shapes.js';
import { STORE_SHAPE } from './connection/connection-input.js';
import type { ConnectionStore } from './connection/connection-store.js';
import type { App } from './document/app.js';
import type { HttpOptions } from './engine-transport.js';
import { TRANSPORT_SHAPES } from './http/undici-transport.js';
import type { CheckParameters } from './parameters/form-check.js';
import type { BudgetFigures } from './run/call-budget.js';
import type { RunObserver } from './run/engine-settings.js';
import type { Limits } from './run/limits.js';
import type { TraceDepth, TraceListener } from './run/trace.js';
import type { WebhookLimits } from './webhook/incoming-call.js';

/**
 * Options of an engine. Only `app` is required. From the process, an engine reads only the clock and random numbers.
 */
export interface EngineOptions
  extends Pick<CompileOptions, 'random' | 'uuid' | 'timezone' | 'semantics' | 'platformVersion' | 'digest'> {
  readonly app: App;
  /** How requests are sent, and to which hosts. Default: undici behind the network guard. */
  readonly http?: HttpOptions | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Default: 100 requests, 50 follow-up pages, 3200 records, 40 s. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * Limits of all runs per host and connection: concurrent requests, and requests per window. Responses
   * (`Retry-After`, rate limit headers) can lower the limits but not raise them. All engines of a process share the
   * state, except those with their own transport or clock. Default: no limit. See docs/limits.md.
   */
  readonly budget?: Partial<BudgetFigures> | undefined;
  /** Limits of a webhook call. Default: 5 MB, 100000 items, 10000 form fields, 1000 levels. */
  readonly webhookLimits?: Partial<WebhookLimits> | undefined;
  /** Replaces the common data of the app. */
  readonly common?: unknown;
  /** Additional members of `environment`. */
  readonly environment?: Readonly<Record<string, unknown>> | undefined;
  /** Reaction to a repeated page: continue like the platform and warn (default), stop, or fail. */
  readonly onPageLoop?: 'warn' | 'stop' | 'error' | undefined;
  /** Content of trace events: sizes (`summary`, default), bodies (`full`), or also variables and outputs (`deep`). */
  readonly trace?: TraceDepth | undefined;
  /**
   * Receives each trace event, and the run that it belongs to. Redacts the secrets known so far; the trace of the report
   * redacts all secrets of the run.
   */
  readonly onTrace?: TraceListener | undefined;
  /** Spans of runs, pages and requests: `await createTracing()` for OpenTelemetry. Default: none. */
  readonly tracing?: Tracing | undefined;
  /** Observes the directives and branches that run, for coverage. Default: none. */
  readonly observer?: RunObserver | undefined;
  /**
   * Whether and how the parameters of modules, and of webhooks that are attached or updated, are checked by their forms
   * and converted before anything is sent. Default: they are checked, defaults are not filled in, `rpc://` references
   * not followed. False hands all values to expressions as they are given. A run may say otherwise.
   */
  readonly checkParameters?: CheckParameters | undefined;
  /** Store of the connections that runs name; refreshed ones are saved there. */
  readonly connections?: ConnectionStore | undefined;
  /** Runs custom functions in node:vm for debugging, which is not a security boundary. Default: in the sandbox. */
  readonly trustFunctions?: boolean | undefined;
  /**
   * The WebAssembly of QuickJS, which runs custom functions: for bundles, which have no file of the package beside them. The first
   * engine of a process that needs it decides. Default: `emscripten-module.wasm` of `@jitl/quickjs-wasmfile-release-sync`.
   */
  readonly quickJsWasm?: Uint8Array | undefined;
}

const APP: OptionShape = {
  expected: 'an app, as loadApp and defineApp give it',
  fits: (value) => {
    const { modules, connections, functions } = Object(value);
    return [modules, connections, functions].every((components) => components instanceof Map);
  },
};

/** Valid options of an engine. Limits and hosts are checked separately. */
export const ENGINE_SHAPES: OptionShapes<EngineOptions> = {
  app: APP,
  http: ANY_OBJECT,
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  limits: ANY_OBJECT,
  budget: ANY_OBJECT,
  webhookLimits: ANY_OBJECT,
  common: ANY_VALUE,
  environment: ANY_OBJECT,
  onPageLoop: oneOfChoices('warn', 'stop', 'error'),
  trace: oneOfChoices('summary', 'full', 'deep'),
  onTrace: ANY_FUNCTION,
  tracing: objectWithFunctions(['startSpan']),
  observer: objectWithFunctions(['onDirective', 'onDecision']),
  checkParameters: CHECK_PARAMETERS,
  connections: STORE_SHAPE,
  trustFunctions: ANY_BOOLEAN,
  quickJsWasm: BYTES,
  random: ANY_FUNCTION,
  uuid: ANY_FUNCTION,
  timezone: TIMEZONE,
  semantics: oneOfChoices('runtime', 'documented'),
  platformVersion: oneOfChoices(1, 2),
  digest: ANY_FUNCTION,
};

/** Valid members of the option `http`. */
export const HTTP_SHAPES: OptionShapes<HttpOptions> = {
  transport: ANY_FUNCTION,
  wrap: ANY_FUNCTION,
  rewrite: ANY_OBJECT,
  baseUrl: ANY_TEXT,
  allow: TEXT_LIST,
  hosts: oneOfChoices('any', 'declared'),
  appHosts: TEXT_LIST,
  sendTraceparent: ANY_BOOLEAN,
  crossHostSecrets: oneOfChoices('withhold', 'send'),
  ...TRANSPORT_SHAPES,
};

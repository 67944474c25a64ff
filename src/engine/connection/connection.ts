import { createSingleFlight } from '../../shared/concurrency.js';
import type { Reporting, RunReport } from '../component/report.js';
import type { Runtime } from '../component/runtime.js';
import type { ConnectionComponent } from '../document/app.js';
import { authorize, type CallbackQuery, complete, create } from './authorize-connection.js';
import { type CompiledConnection, compileConnection } from './compile-connection.js';
import {
  type AuthorizationReport,
  type AuthorizeInput,
  type ConnectionOptions,
  type ConnectionReport,
  type CreateInput,
  checkKnown,
  checkStep,
  type KnownConnection,
  type PendingAuthorization,
  type RefreshInput,
  reportStep,
} from './connection-input.js';
import { invalidate, refresh, testConnection } from './refresh-connection.js';
import type { StepContext } from './start-step.js';

/**
 * A connection of an app: create, authorize, test, refresh and invalidate.
 *
 * `await` of a step returns its report, `orThrow()` the successful report. Failures of the app or API are `error` of
 * the report; `stored` has to be saved.
 */
export interface Connection {
  readonly name: string;
  /**
   * Whether the user has to open a page. If so, use `authorize` and `complete` instead of `create`.
   *
   * @throws SpecError (SPEC_INVALID) for an invalid communication
   */
  readonly needsPage: () => Promise<boolean>;
  /** Creates a connection without a page: basic, or OAuth without `authorize`. */
  readonly create: (input?: CreateInput) => Reporting<ConnectionReport>;
  /** Starts an authorization: runs the requests before the page and returns the page's URL. */
  readonly authorize: (input: AuthorizeInput) => Reporting<AuthorizationReport>;
  /** Completes an authorization with the query of its callback. */
  readonly complete: (
    pending: PendingAuthorization,
    query: CallbackQuery,
    options?: ConnectionOptions,
  ) => Reporting<ConnectionReport>;
  /** Tests a connection: runs `info`, or the communication of a basic connection. */
  readonly test: (known: KnownConnection, options?: ConnectionOptions) => Reporting<ConnectionReport>;
  /**
   * Renews credentials if due. `stats.requests` of the report is 0 if not. Concurrent calls with the same data share
   * one refresh; an aborted caller does not stop it.
   */
  readonly refresh: (known: KnownConnection, input?: RefreshInput) => Reporting<ConnectionReport>;
  /** Revokes a connection at the remote API. */
  readonly invalidate: (known: KnownConnection, options?: ConnectionOptions) => Reporting<ConnectionReport>;
}

/**
 * Creates a connection. Compiles nothing before the first step, as most runs receive connection data and need no step.
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/connections
 */
export function createConnection(component: ConnectionComponent, runtime: Runtime): Connection {
  let compiled: Promise<CompiledConnection> | undefined;
  const compileNow = async (): Promise<CompiledConnection> => {
    const directives = await runtime.directives(component.communication?.value);
    return compileConnection(component, directives);
  };
  const compile = (): Promise<CompiledConnection> => {
    compiled ??= compileNow().catch((error: unknown) => {
      // The next step retries.
      compiled = undefined;
      throw error;
    });
    return compiled;
  };
  const context: StepContext = { component, runtime, compile, refreshes: createSingleFlight() };
  return {
    name: component.name,
    needsPage: async () => {
      const connection = await compile();
      return connection.kind !== 'basic' && connection.authorize !== undefined;
    },
    create: (input = {}) => runStep(input, () => create(context, input)),
    authorize: (input) => runStep(input, () => authorize(context, input)),
    complete: (pending, query, options = {}) =>
      runStep(options, () => complete(context, pending, query, options)),
    test: (known, options = {}) => runStepWith(known, options, () => testConnection(context, known, options)),
    refresh: (known, input = {}) => runStepWith(known, input, () => refresh(context, known, input)),
    invalidate: (known, options = {}) =>
      runStepWith(known, options, () => invalidate(context, known, options)),
  };
}

/** Runs a step with unchecked input of an embedder. */
function runStep<Given extends object>(
  input: ConnectionOptions,
  work: () => Promise<RunReport<Given>>,
): Reporting<RunReport<Given>> {
  return reportStep(async () => {
    checkStep(input);
    return work();
  });
}

/** Runs a step on an existing connection. */
function runStepWith<Given extends object>(
  known: KnownConnection,
  input: ConnectionOptions,
  work: () => Promise<RunReport<Given>>,
): Reporting<RunReport<Given>> {
  return runStep(input, async () => {
    checkKnown(known);
    return work();
  });
}

import { readingValues } from '../component/reading-values.js';
import type { Report, Reporting } from '../component/report.js';
import type { Runtime } from '../component/runtime.js';
import type { ConnectionComponent } from '../document/app.js';
import { createSingleFlight } from '../util/single-flight.js';
import type { CompiledConnection } from './compile-connection.js';
import type {
  AuthorizeInput,
  ConnectionOptions,
  CreateInput,
  KnownConnection,
  RefreshInput,
} from './connection-input.js';
import { type AuthorizationReport, type ConnectionReport, reportStep } from './connection-report.js';
import { checkKnown, checkStep } from './connection-shapes.js';
import type { PendingAuthorization } from './pending-authorization.js';
import type { CallbackQuery } from './receive-callback.js';
import type { Maker } from './start-step.js';

/**
 * A connection of an app: create, authorize, test, refresh and invalidate.
 *
 * `await` of a step returns its report, `orThrow()` the successful report. Failures of the app or API are `error` of
 * the report; `stored` has to be saved.
 */
export interface Connection {
  readonly name: string;
  readonly type: 'basic' | 'oauth';
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
 * Creates a connection. Loads and compiles nothing before the first step, as most runs receive connection data and
 * need no step.
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/connections
 */
export function createConnection(component: ConnectionComponent, runtime: Runtime): Connection {
  let compiled: Promise<CompiledConnection> | undefined;
  const compileNow = async (): Promise<CompiledConnection> => {
    const { compileConnection } = await import('./compile-connection.js');
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
  const maker: Maker = { component, runtime, compile, refreshes: createSingleFlight() };
  return {
    name: component.name,
    type: component.type,
    needsPage: async () => {
      const connection = await compile();
      return connection.kind !== 'basic' && connection.authorize !== undefined;
    },
    create: (input = {}) =>
      step(input, [], async () => (await import('./authorize-connection.js')).create(maker, input)),
    authorize: (input) =>
      step(input, [], async () => (await import('./authorize-connection.js')).authorize(maker, input)),
    complete: (pending, query, options = {}) =>
      step(options, [pending, query], async () =>
        (await import('./authorize-connection.js')).complete(maker, pending, query, options),
      ),
    test: (known, options = {}) =>
      takeStepWith(known, options, async () =>
        (await import('./refresh-connection.js')).test(maker, known, options),
      ),
    refresh: (known, input = {}) =>
      takeStepWith(known, input, async () =>
        (await import('./refresh-connection.js')).refresh(maker, known, input),
      ),
    invalidate: (known, options = {}) =>
      takeStepWith(known, options, async () =>
        (await import('./refresh-connection.js')).invalidate(maker, known, options),
      ),
  };
}

/** Runs a step with unchecked input of an embedder. */
function step<Given extends object>(
  input: ConnectionOptions & Pick<CreateInput, 'parameters'>,
  values: readonly unknown[],
  work: () => Promise<Report<Given>>,
): Reporting<Report<Given>> {
  return reportStep(async () => {
    checkStep(input);
    return readingValues(() => [...values, input.parameters, input.common], work);
  });
}

/** Runs a step on an existing connection. */
function takeStepWith<Given extends object>(
  known: KnownConnection,
  input: ConnectionOptions,
  work: () => Promise<Report<Given>>,
): Reporting<Report<Given>> {
  return step(input, [known], async () => {
    checkKnown(known);
    return work();
  });
}

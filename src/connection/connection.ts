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
 * A connection of an app: how one is made, tested, refreshed and ended.
 *
 * Every step is awaited for its report, or for what it gave with `orThrow()`. What the service or the app says is the
 * report's `error`; `stored` is what is to be kept.
 */
export interface Connection {
  readonly name: string;
  readonly type: 'basic' | 'oauth';
  /**
   * Whether its user has to open a page: then `authorize` and `complete` take the place of `create`.
   *
   * @throws SpecError (SPEC_INVALID) for a communication that cannot be run
   */
  readonly needsPage: () => Promise<boolean>;
  /** Makes a connection that needs no page: a basic one, or an OAuth one without `authorize`. */
  readonly create: (input?: CreateInput) => Reporting<ConnectionReport>;
  /** Starts an authorization: what comes before the page, and the address of the page. */
  readonly authorize: (input: AuthorizeInput) => Reporting<AuthorizationReport>;
  /** Finishes an authorization with the query of its callback. */
  readonly complete: (
    pending: PendingAuthorization,
    query: CallbackQuery,
    options?: ConnectionOptions,
  ) => Reporting<ConnectionReport>;
  /** Asks the service whether a connection works: its `info`, or the one communication of a basic connection. */
  readonly test: (known: KnownConnection, options?: ConnectionOptions) => Reporting<ConnectionReport>;
  /**
   * Renews credentials if they are due; `stats.requests` of the report is 0 where they are not. Any number of callers who ask
   * with the same data at the same time share one refresh; one who leaves does not stop it.
   */
  readonly refresh: (known: KnownConnection, input?: RefreshInput) => Reporting<ConnectionReport>;
  /** Tells the service that a connection is given up. */
  readonly invalidate: (known: KnownConnection, options?: ConnectionOptions) => Reporting<ConnectionReport>;
}

/**
 * Makes a connection of an app ready; nothing is loaded or compiled before the first step, as most runs are given the data of a
 * connection and take no step of one.
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
      // The next step tries anew.
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

/** Takes a step with what an embedder gave, which may be anything without types. */
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

/** A step with a connection that was made before. */
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

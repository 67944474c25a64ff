import type { SingleFlight } from '../../shared/concurrency.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { Runtime } from '../component/runtime.js';
import type { ConnectionComponent } from '../document/app.js';
import type { CompiledConnection } from './compile-connection.js';
import type { ConnectionOptions, ConnectionReport, KnownConnection } from './connection-input.js';
import type { ConnectionStart } from './connection-run.js';
import type { OAuthNames, StoredConnection } from './connection-store.js';

/** State shared by the steps of one connection. */
export interface StepContext {
  readonly component: ConnectionComponent;
  readonly runtime: Runtime;
  readonly compile: () => Promise<CompiledConnection>;
  /** Running refreshes. */
  readonly refreshes: SingleFlight<ConnectionReport>;
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api: in connections, `common` is the
 * connection's. [doc] Falls back to the app's. [choice]
 */
export function prepareStart(
  { component, runtime }: StepContext,
  stored: StoredConnection,
  { common, signal }: ConnectionOptions,
  names: Readonly<Record<string, unknown>> = { oauth: stored.oauth },
): ConnectionStart {
  const known = common ?? stored.common ?? component.common?.value ?? runtime.common;
  return { stored, names, signal, common: known };
}

export function emptyConnection(
  component: ConnectionComponent,
  parameters: PlainObject,
  oauth: OAuthNames | undefined,
): StoredConnection {
  return {
    component: component.name,
    connection: { ...parameters },
    parameters,
    metadata: undefined,
    uid: undefined,
    expires: undefined,
    oauth,
    common: undefined,
  };
}

export function toStored(component: ConnectionComponent, known: KnownConnection): StoredConnection {
  const { connection, parameters = connection, metadata, uid, expires, oauth, common } = known;
  return { component: component.name, connection, parameters, metadata, uid, expires, oauth, common };
}

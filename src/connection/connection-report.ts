import { type Report, type Reporting, reportFailure, reporting } from '../component/report.js';
import type { StoredConnection } from './connection-store.js';
import type { PendingAuthorization } from './pending-authorization.js';

/** The outcome of a step of a connection; `stored` is what is to be kept, and holds credentials. */
export type ConnectionReport = Report<{ readonly stored: StoredConnection }>;

/** Where an authorization goes on. */
export interface Authorization {
  /** The page to send the user to. */
  readonly url: string;
  /** For `complete`, in this process or another. */
  readonly pending: PendingAuthorization;
}

/** The outcome of the start of an authorization. */
export type AuthorizationReport = Report<Authorization>;

/** Makes a report of what is found wrong before the requests of a step begin, too. */
export function reportStep<Given extends object>(
  step: () => Promise<Report<Given>>,
): Reporting<Report<Given>> {
  return reporting(step().catch((thrown: unknown) => reportFailure<Given>(thrown, undefined)));
}

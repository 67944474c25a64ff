import { type Report, type Reporting, reportFailure, reporting } from '../component/report.js';
import type { StoredConnection } from './connection-store.js';
import type { PendingAuthorization } from './pending-authorization.js';

/** Report of a connection step. `stored` has to be saved and contains credentials. */
export type ConnectionReport = Report<{ readonly stored: StoredConnection }>;

/** A started authorization. */
export interface Authorization {
  /** The page to redirect the user to. */
  readonly url: string;
  /** Input of `complete`, in this process or another. */
  readonly pending: PendingAuthorization;
}

/** Report of a started authorization. */
export type AuthorizationReport = Report<Authorization>;

/** Reports errors that occur before the first request of a step, too. */
export function reportStep<Given extends object>(
  step: () => Promise<Report<Given>>,
): Reporting<Report<Given>> {
  return reporting(step().catch((thrown: unknown) => reportFailure<Given>(thrown, undefined)));
}

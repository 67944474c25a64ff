/**
 * How much a change of a service matters: `info` for what is new, `warning` for what is gone, `error` for what is of
 * another type or fails now.
 */
export type DriftSeverity = 'info' | 'warning' | 'error';

/** One thing at which a service is not as it was when a case was recorded. Tells types and names, never a value. */
export interface Drift {
  readonly severity: DriftSeverity;
  /** Where, in the words of the case: `exchanges[0].response.body.items[].id`. */
  readonly path: string;
  /** What has changed, as the rest of a sentence about it. */
  readonly message: string;
}

/** The same, with where in the file of the case it is about. */
export interface PlacedDrift extends Drift {
  /** JSON pointer. */
  readonly pointer: string;
}

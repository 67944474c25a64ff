/** Severity of an API change: `info` for additions, `warning` for removals, `error` for another type or a failure. */
export type DriftSeverity = 'info' | 'warning' | 'error';

/** A difference between the API and a recorded case. Contains types and names, never values. */
export interface Drift {
  readonly severity: DriftSeverity;
  /** The path in the case: `exchanges[0].response.body.items[].id`. */
  readonly path: string;
  /** The change, as the end of a sentence. */
  readonly message: string;
}

/** A drift with its location in the file of the case. */
export interface PlacedDrift extends Drift {
  /** JSON pointer. */
  readonly pointer: string;
}

import type { Document } from '../../document/reading/document.js';

/** Sees what of an app its runs reach. Pointers lead into the document; its `placeOf` says where that is written. */
export interface RunObserver {
  /** A directive is evaluated. */
  readonly onDirective: (document: Document | undefined, pointer: string) => void;
  /**
   * A directive that is a yes or no came out as one; or, with `offset`, the 0-based one of a call of `if` in the text at
   * `pointer`, its condition.
   */
  readonly onDecision: (
    document: Document | undefined,
    pointer: string,
    isYes: boolean,
    offset?: number,
  ) => void;
}

import type { PathTest } from './form-check.js';

/** How parameters are checked by the form of their component before a run. */
export interface ParameterCheck {
  /**
   * Whether fields that are not set get the defaults of the form. Default: false, as on the platform it is the form in
   * the editor that fills them in, and a field its user has emptied stays empty.
   */
  readonly defaults?: boolean | undefined;
  /**
   * Which `rpc://` references are followed, by requests of their own that no limit of the run counts: none (default;
   * what they stand for is kept unchecked), those that give fields, or those that give options with nested fields, too.
   */
  readonly resolve?: 'none' | 'fields' | 'options' | undefined;
  /** Whether a value was mapped instead of chosen, by path: it need not be one of the options. Default: false. */
  readonly mapped?: PathTest | undefined;
  /** Whether an empty text was written as `emptystring` and counts as filled in, by path. Default: false. */
  readonly forcedEmpty?: PathTest | undefined;
}

/** `true` checks with the settings of the engine or, if it has none, the default ones. */
export type CheckParameters = boolean | ParameterCheck;

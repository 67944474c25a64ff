import type { AppError } from '../../errors/app-error.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { RpcReference } from '../form/rpc-reference.js';
import type { PathTest } from './form-check.js';
import type { Problem } from './problem.js';

/** Calls an RPC of the app. `values` are those the form holds at the place of the reference, not yet converted. */
export type ResolveRpc = (reference: RpcReference, values: PlainObject) => Promise<unknown>;

/** How values are checked; every setting has a default. */
export interface ValidateParametersOptions {
  /** Timezone of dates that are written without an offset. Default `UTC`. */
  readonly timezone?: string;
  /** Rules for empty values: those of apps of version 1 or, by default, 2. */
  readonly platformVersion?: 1 | 2;
  /** Whether defaults fill unset values. Default true. */
  readonly applyDefaults?: boolean;
  /** Whether a value was mapped instead of chosen: it need not be one of the options. Default false. */
  readonly mapped?: PathTest;
  /** Whether an empty text was written as `emptystring` and counts as filled in. Default false. */
  readonly forcedEmpty?: PathTest;
  /**
   * Evaluates `visible` and templates in `default`, seeing the values as far as they are checked. May throw.
   * Without it a field with `visible` is checked but not demanded, and a template is no default.
   */
  readonly evaluate?: (template: string, values: PlainObject) => unknown;
  /** The time that `past: false` compares dates with, in milliseconds since the epoch. Default: the current time. */
  readonly nowMs?: number;
  /** Gives the fields behind `rpc://` references; without it they are left unchecked. */
  readonly resolveRpc?: ResolveRpc;
  /** Whether options are asked for too, for the fields nested in them. Default false. */
  readonly resolveOptions?: boolean;
  /**
   * What becomes of members that no field describes, shown or not: they are kept as they came (`keep`, default), or each
   * is a problem of the kind `unknown` (`report`). Where an RPC that was not asked may bring further fields, none is.
   */
  readonly unknown?: 'keep' | 'report';
  /** RPC calls one validation may make. Default 100. */
  readonly maxRpcCalls?: number;
}

/** The values in their types, or all that is wrong with them. */
export type ValidateParametersResult =
  | {
      readonly ok: true;
      /** A copy with every described value in its declared type; other members as they came. */
      readonly values: PlainObject;
      /** Texts of the references whose fields were not checked. */
      readonly unresolved: readonly string[];
    }
  | {
      readonly ok: false;
      /** `BundleValidationError`, one suberror a problem. */
      readonly error: AppError;
      readonly problems: readonly Problem[];
    };

import type { AppError } from '../../shared/errors/app-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { PathTest } from './form-check.js';
import type { Problem } from './problem.js';
import type { RpcReference } from './rpc-reference.js';

/** Calls an RPC of the app. `values` are the form values at the reference, not converted. */
export type ResolveRpc = (reference: RpcReference, values: PlainObject) => Promise<unknown>;

/** Options of `validateParameters`. All are optional. */
export interface ValidateParametersOptions {
  /** Timezone of dates without an offset. Default: `UTC`. */
  readonly timezone?: string;
  /** Rules for empty values of app version 1 or 2. Default: 2. */
  readonly platformVersion?: 1 | 2;
  /** Whether unset values get their defaults. Default: true. */
  readonly applyDefaults?: boolean;
  /** Whether a value was mapped: it need not be one of the options. Default: false. */
  readonly mapped?: PathTest;
  /** Whether an empty text was written as `emptystring` and counts as a value. Default: false. */
  readonly forcedEmpty?: PathTest;
  /**
   * Evaluates `visible` and templates in `default` with the values checked so far. May throw. Without it, fields with
   * `visible` are never required, and templates are ignored as defaults.
   */
  readonly evaluate?: (template: string, values: PlainObject) => unknown;
  /** Reference time of `past: false` in milliseconds since the epoch. Default: the current time. */
  readonly nowMs?: number;
  /** Returns the fields of `rpc://` references. Without it they are kept unchecked. */
  readonly resolveRpc?: ResolveRpc;
  /** Whether to load options too, for their nested fields. Default: false. */
  readonly resolveOptions?: boolean;
  /**
   * Handling of members without a field: `keep` (default) or `report` as a problem of kind `unknown`. If an RPC that
   * was not called may add fields, nothing is reported.
   */
  readonly unknown?: 'keep' | 'report';
  /** Largest number of RPC calls. Default: 100. */
  readonly maxRpcCalls?: number;
}

/** The converted values, or all problems. */
export type ValidateParametersResult =
  | {
      readonly ok: true;
      /** A copy with converted values; members without a field are unchanged. */
      readonly values: PlainObject;
      /** Texts of references whose fields were not checked. */
      readonly unresolved: readonly string[];
    }
  | {
      readonly ok: false;
      /** A `BundleValidationError` with one suberror per problem. */
      readonly error: AppError;
      readonly problems: readonly Problem[];
    };

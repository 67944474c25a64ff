import type { App } from '../document/app.js';
import type { DirectiveContext } from '../document/compile-directive.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import type { Document } from '../document/document.js';
import type { CheckParameters } from '../parameters/form-check.js';
import type { RpcReference } from '../parameters/rpc-reference.js';
import type { EngineSettings } from '../run/engine-settings.js';
import type { SandboxWarning } from '../sandbox/sandbox.js';
import type { TriggerStart, TriggerState } from './trigger-data.js';

/** Dependencies shared by all components of an engine. */
export interface Runtime {
  readonly app: App;
  /** Settings of all requests. */
  readonly settings: EngineSettings;
  /** Common data of the app. A run may replace it. */
  readonly common: unknown;
  /** `environment` in expressions. */
  readonly environment: Readonly<Record<string, unknown>>;
  /**
   * Returns the functions and variables for expressions in the given JSON. Opens the custom functions that it names.
   */
  readonly directives: (...values: readonly unknown[]) => Promise<DirectiveContext>;
  /** Returns warnings for the author of custom functions named in the given JSON. */
  readonly functionWarnings: (...values: readonly unknown[]) => Promise<readonly SandboxWarning[]>;
  /** Compiles a communication once. Merges the base unless `withoutBase` is set. */
  readonly compile: (communication: Document, withoutBase?: boolean) => Promise<readonly CompiledRequest[]>;
  /** Check of parameters before a run; undefined for the default. */
  readonly checkParameters: CheckParameters | undefined;
  /** Calls an RPC of the app for a form. Rejects with EngineError. */
  readonly callRpc: (reference: RpcReference, input: FormInput) => Promise<unknown>;
  /** Opens a stored connection and refreshes it if due. Rejects with EngineError. */
  readonly openConnection: (
    name: string,
    options: {
      /** Names of allowed connections of the app; empty allows all. */
      readonly allowed: readonly string[];
      readonly signal: AbortSignal | undefined;
    },
  ) => Promise<{ readonly connection: Readonly<Record<string, unknown>> }>;
}

/** Input of a run. All members are optional; expressions read absent ones as undefined. */
export interface StartInput {
  /** Values of static and mappable parameters. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Connection data, including credentials. Traces and errors redact its values. */
  readonly connection?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces the app's common data. Traces and errors redact its values. */
  readonly common?: unknown;
  /** Polling triggers only: `state` of the previous report. Expressions read it as `data`. Default: see `start`. */
  readonly state?: TriggerState | undefined;
  /** `data` in expressions. Polling triggers take `state` instead. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Stored data of the webhook, with `id` and `url`. */
  readonly webhook?: Readonly<Record<string, unknown>> | undefined;
  /** Start of a polling trigger without `state`. Default: `now` for dates, `newest` for ids. */
  readonly start?: TriggerStart | undefined;
  /** Webhook item of an instant trigger. */
  readonly payload?: unknown;
  /** `scenario` in expressions. Default: undefined. */
  readonly scenario?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Members of `metadata` in expressions. Default: `expect` and `interface` (for modules also `parameters`) as
   * written. References (`rpc://`) stay text unless `checkParameters` resolves them.
   */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Additional variables for expressions, such as `oauth` and `query` in connections. */
  readonly names?: Readonly<Record<string, unknown>> | undefined;
  /** Aborts the run: the current exchange ends, and the run rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Input of a form and its RPCs. */
export interface FormInput extends Omit<StartInput, 'connection'> {
  /** Connection data, or the name of a stored connection in the engine's `connections`. */
  readonly connection?: string | Readonly<Record<string, unknown>> | undefined;
}

import type { App } from '../document/app.js';
import type { DirectiveContext } from '../document/compile/compile-directive.js';
import type { CompiledRequest } from '../document/compile/compiled-request.js';
import type { Document } from '../document/reading/document.js';
import type { CheckParameters } from '../parameters/check/form-check.js';
import type { RpcReference } from '../parameters/form/rpc-reference.js';
import type { EngineSettings } from '../run/scope/engine-settings.js';
import type { SandboxWarning } from '../sandbox/sandbox.js';
import type { TriggerStart } from './trigger-data.js';

/** What an engine lends to the components it runs. */
export interface Runtime {
  readonly app: App;
  /** What every request of every run is given. */
  readonly settings: EngineSettings;
  /** The app's common data unless a run brings its own. */
  readonly common: unknown;
  /** What expressions read as `environment`. */
  readonly environment: Readonly<Record<string, unknown>>;
  /** What expressions in some JSON of the app can call and read; opens the app's custom functions where one is named in it. */
  readonly directives: (...values: readonly unknown[]) => Promise<DirectiveContext>;
  /** What the author of the custom functions should know of them, where one is named in some JSON of the app. */
  readonly functionWarnings: (...values: readonly unknown[]) => Promise<readonly SandboxWarning[]>;
  /** Compiled once a document. The base is merged in unless `withoutBase`. */
  readonly compile: (communication: Document, withoutBase?: boolean) => Promise<readonly CompiledRequest[]>;
  /** Where polling triggers without state start; undefined for the default of their type. */
  readonly triggerStart: TriggerStart | undefined;
  /** How parameters are checked before a run; undefined for the default way. */
  readonly checkParameters: CheckParameters | undefined;
  /** Calls an RPC of the app for a form. Rejects with EngineError. */
  readonly askRpc: (reference: RpcReference, input: FormInput) => Promise<unknown>;
  /** Gives the data of a connection that is kept under a name, refreshed if that was due. Rejects with EngineError. */
  readonly openConnection: (
    name: string,
    options: {
      /** Names of the app's connections that may be used; none: any. */
      readonly allowed: readonly string[];
      readonly signal: AbortSignal | undefined;
    },
  ) => Promise<{ readonly connection: Readonly<Record<string, unknown>> }>;
}

/** What one run is given. Everything is optional: an expression that reads what is absent finds nothing. */
export interface RunInput {
  /** Values of static and mappable parameters. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Data of the connection, credentials included. Its values are kept out of traces and errors. */
  readonly connection?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces the app's common data. Its values are kept out of traces and errors. */
  readonly common?: unknown;
  /** Module data: the state of a polling trigger, or what the kind of run calls `data`. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Stored data of the webhook, with `id` and `url`. */
  readonly webhook?: Readonly<Record<string, unknown>> | undefined;
  /** Where a polling trigger without state starts. Default: `now` for dates, `newest` for ids. */
  readonly start?: TriggerStart | undefined;
  /** The webhook item an instant trigger works on. */
  readonly payload?: unknown;
  /** What expressions read as `scenario`. Default: nothing. */
  readonly scenario?: Readonly<Record<string, unknown>> | undefined;
  /**
   * What expressions read as `metadata`, member by member. Default: `expect` and `interface` (of a module `parameters`,
   * too) as the app writes them, `rpc://` references as texts.
   */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Further names for expressions, such as `oauth` and `query` in connections. */
  readonly names?: Readonly<Record<string, unknown>> | undefined;
  /** Stops the run: the exchange under way ends, and the run rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a form is filled in for, and what its RPCs are asked with. */
export interface FormInput extends Omit<RunInput, 'connection'> {
  /** Data of the connection, or the name it is kept under in the engine's `connections`. */
  readonly connection?: string | Readonly<Record<string, unknown>> | undefined;
}

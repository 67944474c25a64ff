import type { Bundle } from './run/collect-outputs.js';

/**
 * Names and types of the components of an app, as `iml types` writes them for one app (`AppTypes`). The members of this
 * type allow any name.
 */
export interface AnyApp {
  readonly modules: Readonly<Record<string, AnyModule>>;
  readonly rpcs: Readonly<Record<string, AnyForm>>;
  readonly endpoints: Readonly<Record<string, AnyEndpoint>>;
  readonly connections: Readonly<Record<string, AnyForm>>;
  readonly webhooks: Readonly<Record<string, AnyForm>>;
}

/** Types of a component with parameters. */
export interface AnyForm {
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Types of a module. */
export interface AnyModule extends AnyForm {
  readonly bundle: Bundle;
}

/** Types of an endpoint. */
export interface AnyEndpoint extends AnyForm {
  readonly result: unknown;
}

/** The names of the components of one kind. */
export type NameIn<Components> = keyof Components & string;

import type { Environment } from './environment.js';

/**
 * The built-in variables, each read anew at every use.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc][app];
 * `executionId` comes from the scope of the host.
 */
const VARIABLES: ReadonlyMap<string, (environment: Environment) => unknown> = new Map([
  ['now', (environment: Environment): unknown => new Date(environment.now())],
  ['timestamp', (environment: Environment): unknown => Math.floor(environment.now() / 1000)],
  ['random', (environment: Environment): unknown => environment.random()],
  ['uuid', (environment: Environment): unknown => environment.uuid()],
  ['pi', (): unknown => Math.PI],
]);

/** The names of all built-in variables. */
export const VARIABLE_NAMES: readonly string[] = [...VARIABLES.keys()];

/** What gives the value of a built-in variable, or undefined if there is none of this name. */
export function findVariable(name: string, environment: Environment): (() => unknown) | undefined {
  const variable = VARIABLES.get(name);
  return variable && (() => variable(environment));
}

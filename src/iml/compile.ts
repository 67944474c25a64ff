import type { Evaluate } from './compile/compile-primary.js';
import { compileTemplate } from './compile/compile-template.js';
import { nodeDigest } from './environment/digest.js';
import type { Environment, FunctionTable, Scope } from './environment/environment.js';
import { FUNCTIONS } from './functions/table.js';

/** What expressions read besides their scope; every field has a default. */
export interface CompileOptions {
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** A number from 0 to below 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** An RFC 4122 version 4 text. Default: `crypto.randomUUID`. */
  readonly uuid?: (() => string) | undefined;
  /** Scenario timezone, a tz database name. Default: `UTC`. */
  readonly timezone?: string | undefined;
  /** `strict` (default, as documented) or `loose`, where `1 = '1'`. */
  readonly equality?: 'strict' | 'loose' | undefined;
  /** 2 (default), or 1 for apps in which a missing value shows as null. */
  readonly platformVersion?: 1 | 2 | undefined;
  /** Functions beside the built-in ones, by name; one with the name of a built-in replaces it. */
  readonly functions?: FunctionTable | undefined;
  /** Hashes for md5, sha1, sha256 and sha512. Default: Node's; elsewhere it has to be given. */
  readonly digest?: Environment['digest'] | undefined;
}

/**
 * Makes a template ready to be evaluated often: a string, or an object or array whose strings are templates.
 *
 * Compiling never throws. What is returned throws `ImlError` (IML_SYNTAX, IML_UNTERMINATED_STRING,
 * IML_UNTERMINATED_EXPRESSION, IML_UNKNOWN_FUNCTION, IML_FUNCTION, IML_TYPE, IML_LIMIT, IML_HOST_VALUE) and nothing else.
 *
 * @example
 * const greet = compile('Hello, {{capitalize(user.name)}}');
 * greet({ user: { name: 'ann' } }); // 'Hello, Ann'
 */
export function compile(template: unknown, options: CompileOptions = NO_OPTIONS): Evaluate {
  return compileTemplate(template, {
    environment: toEnvironment(options),
    functions: mergeFunctions(options),
    pointer: '',
  });
}

/**
 * Compiles and evaluates at once. To evaluate a template more than once, keep what `compile` returns.
 *
 * @example
 * evaluate('{{parameters.a + 1}}', { parameters: { a: 2 } }); // 3
 */
export function evaluate(
  template: unknown,
  scope: Scope = {},
  options: CompileOptions = NO_OPTIONS,
): unknown {
  return compile(template, options)(scope);
}

/** The environment that options describe, defaults filled in. */
export function toEnvironment(options: CompileOptions): Environment {
  return options === NO_OPTIONS ? DEFAULT_ENVIRONMENT : createEnvironment(options);
}

const NO_OPTIONS: CompileOptions = Object.freeze({});
const DEFAULT_ENVIRONMENT: Environment = Object.freeze(createEnvironment(NO_OPTIONS));

function createEnvironment(options: CompileOptions): Environment {
  return {
    now: options.now ?? (() => Date.now()),
    random: options.random ?? (() => Math.random()),
    uuid: options.uuid ?? (() => globalThis.crypto.randomUUID()),
    timezone: options.timezone ?? 'UTC',
    equality: options.equality ?? 'strict',
    platformVersion: options.platformVersion ?? 2,
    digest: options.digest ?? nodeDigest,
  };
}

/** Built-in functions and the ones given; a given one replaces a built-in of its name, as a custom function does. */
export function mergeFunctions(options: CompileOptions): FunctionTable {
  return options.functions === undefined ? FUNCTIONS : { ...FUNCTIONS, ...options.functions };
}

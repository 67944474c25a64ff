import {
  ANY_FUNCTION,
  ANY_OBJECT,
  checkMembers,
  type OptionShapes,
  oneOfChoices,
} from '../shared/errors/check-options.js';
import type { Evaluate } from './compile/compile-expression.js';
import { compileTemplate, type TemplateContext } from './compile/compile-template.js';
import { TIMEZONE } from './date/zone.js';
import {
  type EnvironmentOptions,
  type FunctionTable,
  NO_OPTIONS,
  type Scope,
  toEnvironment,
} from './environment.js';
import { FUNCTIONS } from './functions/table.js';

/** Options of `compile`; every field has a default. */
export interface CompileOptions extends EnvironmentOptions {
  /** Additional functions by name. A function with the name of a built-in function replaces it. */
  readonly functions?: FunctionTable | undefined;
}

/**
 * Compiles a template for repeated evaluation: a string, or an object or array whose strings are templates.
 *
 * Never throws because of the template. The returned function throws only `ImlError` (IML_SYNTAX, IML_UNTERMINATED_STRING,
 * IML_UNTERMINATED_EXPRESSION, IML_UNKNOWN_FUNCTION, IML_FUNCTION, IML_TYPE, IML_LIMIT, IML_HOST_VALUE).
 *
 * @throws EngineError (USAGE) for invalid options
 * @example
 * const greet = compile('Hello, {{capitalize(user.name)}}');
 * greet({ user: { name: 'ann' } }); // 'Hello, Ann'
 */
export function compile(template: unknown, options: CompileOptions = NO_OPTIONS): Evaluate {
  return compileTemplate(template, readOptions(options));
}

const WHAT = 'The options of compile';

const OPTION_SHAPES: OptionShapes<CompileOptions> = {
  now: ANY_FUNCTION,
  random: ANY_FUNCTION,
  uuid: ANY_FUNCTION,
  timezone: TIMEZONE,
  semantics: oneOfChoices('runtime', 'documented'),
  platformVersion: oneOfChoices(1, 2),
  digest: ANY_FUNCTION,
  functions: ANY_OBJECT,
};

function readOptions(options: CompileOptions): TemplateContext {
  if (options !== NO_OPTIONS) checkMembers(options, OPTION_SHAPES, WHAT);
  return { environment: toEnvironment(options), functions: mergeFunctions(options), pointer: '' };
}

/**
 * Compiles and evaluates a template. Use `compile` to evaluate a template more than once.
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

/** Returns the built-in functions together with those of the options, which have precedence. */
function mergeFunctions({ functions }: CompileOptions): FunctionTable {
  return functions === undefined ? FUNCTIONS : { ...FUNCTIONS, ...functions };
}

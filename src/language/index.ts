export { ImlError } from '../shared/errors/iml-error.js';
export type { Evaluate } from './compile/compile-expression.js';
export { type CompileOptions, compile, evaluate } from './compile.js';
export type { Environment, ImlFunction, Scope } from './environment.js';
export { FUNCTIONS as functions } from './functions/table.js';
export type { Expression, Template } from './syntax/ast.js';
export { parseTemplate as parse, safeParseTemplate as safeParse } from './syntax/parser.js';
export { printTemplate as print } from './syntax/printer.js';

import { Environment } from '@marcbachmann/cel-js';
import { LogicEngine } from 'json-logic-engine';
import jsonata from 'jsonata';
import type { Contestant } from '../measure.js';
import { pad } from './records.js';

/** A compiled expression. */
type Run = Contestant<object>;

const CEL = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })
  // CEL has no such date functions, so it calls the native one.
  .registerFunction('reformatDate(string): string', (text: string) => germanDate(text));

export function celContestant(expression: string): Run {
  const run = CEL.parse(expression);
  return { name: 'cel-js', run: (scope) => run(scope) };
}

/** Interpreted, because `build` uses `new Function`. */
const LOGIC = new LogicEngine();
// JsonLogic has no operations to join or format dates.
LOGIC.addMethod('join', ([list, separator]: [readonly string[], string]) => list.join(separator));
LOGIC.addMethod('upper', ([text]: [string]) => text.toUpperCase());
LOGIC.addMethod('reformatDate', ([text]: [string]) => germanDate(text));

/** @param rule JsonLogic with paths relative to the scope */
export function logicContestant(rule: object): Run {
  return { name: 'json-logic-engine', run: (scope) => LOGIC.run(rule, scope) };
}

/** JsonLogic that reads a path. */
export function logicPath(path: string): object {
  return { var: path };
}

/** Parses, compiles and evaluates once. */
export function celOnce(expression: string, scope: object): unknown {
  return CEL.evaluate(expression, scope);
}

export function jsonataContestant(expression: string): Run {
  const query = jsonata(expression);
  return { name: 'jsonata', run: (scope) => query.evaluate(scope), isAsync: true };
}

export function jsonataOnce(expression: string, scope: object): Promise<unknown> {
  return jsonata(expression).evaluate(scope);
}

/** Formats `2024-03-05` as `05.03.2024`, using a date like the expressions. */
export function germanDate(text: string): string {
  const date = new Date(text);
  return `${pad(date.getUTCDate())}.${pad(date.getUTCMonth() + 1)}.${date.getUTCFullYear()}`;
}

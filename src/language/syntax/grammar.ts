import type { BinaryOperator, KeywordName } from './ast.js';

/**
 * Values of the keywords. Each use of `emptyarray` creates a new array.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc][src]
 */
export const KEYWORDS: ReadonlyMap<string, unknown> = new Map<KeywordName, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['erase', null],
  ['ignore', undefined],
  ['emptystring', ''],
  ['emptyarray', []],
  ['space', ' '],
  ['tab', '\t'],
  ['newline', '\n'],
  ['carriagereturn', '\r'],
  ['nbsp', '\u00a0'],
]);

export function isKeyword(name: string): name is KeywordName {
  return KEYWORDS.has(name);
}

/** Binding strength of binary operators, all of them left-associative. [choice] */
export const PRECEDENCE: Readonly<Record<BinaryOperator, number>> = {
  '*': 14,
  '/': 14,
  '%': 14,
  '+': 13,
  '++': 13,
  '-': 13,
  '<': 11,
  '<=': 11,
  '>': 11,
  '>=': 11,
  '=': 10,
  '!=': 10,
  '&': 6,
  '|': 5,
};

/** First characters of operators. Each is an operator by itself; only `!` has no left operand. */
export const OPERATOR_STARTS: string = '+-*/%=!<>&|';

/**
 * Spellings of more than one character with their operator, longest first.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc]
 */
export const LONG_OPERATORS: readonly (readonly [spelling: string, operator: BinaryOperator])[] = [
  ['===', '='],
  ['!==', '!='],
  ['==', '='],
  ['!=', '!='],
  ['++', '++'],
  ['<=', '<='],
  ['>=', '>='],
  ['&&', '&'],
  ['||', '|'],
];

/** Characters that may follow a backslash in a string literal, with the meaning of the escape. [choice] */
export const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const DIGITS = /^[0-9]+$/;

/** Whether a name can be written without backticks. */
export function isPlainName(name: string): boolean {
  return /^[\p{L}_$][\p{L}\p{M}\p{Nd}_$]*$/u.test(name);
}

/** Whether a path segment is an item number in an array (`list.2`). */
export function isDigits(name: string): boolean {
  return DIGITS.test(name);
}

/**
 * Whether the name of a member spreads its value, which must be a collection: `{{...}}`, with or without white space.
 * The name itself is not a template.
 * Source: https://developers.make.com/custom-apps-documentation/best-practices/input-parameters/processing-of-input-parameters. [doc]
 */
export function isSpreadKey(name: string): boolean {
  return SPREAD_KEY.test(name);
}

const SPREAD_KEY = /^\{\{\s*\.\.\.\s*\}\}$/;

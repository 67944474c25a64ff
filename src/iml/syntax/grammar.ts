import type { BinaryOperator, KeywordName } from './ast.js';

/**
 * What each keyword stands for; `emptyarray` is made anew at each use.
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

/** What an operator begins with: each is one by itself, `!` being the only one without a left side. */
export const OPERATOR_STARTS: string = '+-*/%=!<>&|';

/**
 * Spellings of more than one character and the operator each stands for, longer ones first.
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

/** What may follow a backslash in a string literal, and what the pair means. [choice] */
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

/** Whether a path segment counts items (`list.2`) where it meets an array. */
export function isDigits(name: string): boolean {
  return DIGITS.test(name);
}

/**
 * Whether a name of a member stands for all members of the object it is given: `{{...}}`, blanks inside or not. The name itself is
 * no template.
 * Source: https://developers.make.com/custom-apps-documentation/best-practices/input-parameters/processing-of-input-parameters. [doc]
 */
export function isSpreadKey(name: string): boolean {
  return SPREAD_KEY.test(name);
}

const SPREAD_KEY = /^\{\{\s*\.\.\.\s*\}\}$/;

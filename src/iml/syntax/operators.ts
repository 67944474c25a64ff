import type { BinaryOperator } from './ast.js';

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

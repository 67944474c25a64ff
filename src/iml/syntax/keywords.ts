import type { KeywordName } from './ast.js';

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

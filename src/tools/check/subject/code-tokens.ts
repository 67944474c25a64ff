import tokens, { matchToToken } from 'js-tokens';

/** Node imports the CommonJS exports, test runners their member `default`. */
const TOKEN = tokens instanceof RegExp ? tokens : tokens.default;

/** A token of JavaScript code. */
export interface CodeToken {
  readonly type: string;
  readonly value: string;
  /** UTF-16 offset from 0. */
  readonly offset: number;
}

/** The tokens of JavaScript code without white space and comments. Does not parse, so any text is accepted. */
export function listTokens(code: string): readonly CodeToken[] {
  const found: CodeToken[] = [];
  for (const match of code.matchAll(TOKEN)) {
    const { type, value } = matchToToken(match);
    if (type !== 'whitespace' && type !== 'comment' && value !== '') {
      found.push({ type, value, offset: match.index });
    }
  }
  return found;
}

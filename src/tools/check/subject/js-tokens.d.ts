/**
 * Declares the used part of `js-tokens`, which has no declarations. tsconfig.json points the compiler to this file.
 */
declare const tokens: RegExp | { readonly default: RegExp };
export default tokens;
export function matchToToken(match: RegExpMatchArray): { readonly type: string; readonly value: string };

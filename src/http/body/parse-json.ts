import { jsonProblem } from '../../util/text.js';

export type ParseResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  /** `message` says what is wrong, without any part of the text that may be secret. */
  | { readonly ok: false; readonly message: string };

const EXCERPT_LENGTH = 40;

/** Reads JSON text. Text of white space only is no value: undefined. */
export function parseJson(text: string): ParseResult {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { ok: true, value: undefined };
    const reason = error instanceof SyntaxError ? jsonProblem(error) : 'it is too large to be read';
    return { ok: false, message: `${reason}${excerpt(text)}` };
  }
}

/**
 * The start of a text that was never meant as JSON, such as a page of HTML. Text that starts like JSON is not shown:
 * its members may hold tokens. Long runs without a space, which a token could be, are cut out.
 */
function excerpt(text: string): string {
  const start = text.slice(0, EXCERPT_LENGTH * 4).trimStart();
  if (start === '' || /^["[{]/.test(start)) return '';
  const shown = start
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[\w+/=.~-]{12,}/g, '…')
    .slice(0, EXCERPT_LENGTH);
  return ` (the body starts with ${JSON.stringify(shown)})`;
}

/**
 * Removes the given characters from the end of a text. A pattern such as `/ +$/` takes quadratic time on a long run
 * inside.
 */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Compares two texts in constant time, to prevent timing attacks on secrets. */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}

/**
 * Returns a JSON parser's message without the quoted piece of text, which may be a secret. Engines quote differently:
 * `Unexpected token '<', "<html>" is not valid JSON`, `Unexpected token < in JSON at position 0`.
 */
export function jsonProblem(error: SyntaxError): string {
  return error.message.replace(/, (?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON$/, ' is not valid JSON');
}

/** The value of a parsed text, or the reason why it is invalid. */
export type ParseResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  /** `message` describes the problem without any text that may be secret. */
  | { readonly ok: false; readonly message: string };
/**
 * Invisible characters and those that make a terminal or log viewer display something else: C0 and C1 controls,
 * bidirectional marks, line separators, default-ignorable characters, and a few characters without a glyph (braille
 * blank, annotations, hieroglyph format controls, Khitan filler, null notehead). Spaces, including U+202F, are
 * visible.
 */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13430}-\u{13440}\u{16fe4}\u{1d159}]/u;

/** A letter or vowel sign of a joining script. In other scripts a joiner only makes one name look like another. */
const JOINED =
  /(?![\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Armenian}\p{scx=Georgian}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Common}\p{scx=Inherited}])[\p{L}\p{M}]/u;

const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;

/**
 * Contexts in which an invisible character has a meaning and stays: a joiner between two joining characters, and a
 * variation selector after a character that has variants. Elsewhere they hide text from people but not from programs.
 */
const MEANINGFUL: readonly string[] = [
  `(?:${JOINED.source})[\\u200c\\u200d](?=${JOINED.source})`,
  `${PICTURE.source}\\ufe0f?\\u200d(?=${PICTURE.source})`,
  /\p{Emoji}[\ufe0e\ufe0f]/u.source,
  // Standardized variants of mathematical and Chinese characters:
  // https://www.unicode.org/Public/UCD/latest/ucd/StandardizedVariants.txt.
  /[0\u2200-\u22ff\u2a00-\u2aff\p{Script=Han}\u3001\u3002\uff00-\uff1f][\ufe00-\ufe02]/u.source,
  /\p{Unified_Ideograph}[\u{e0100}-\u{e01ef}]/u.source,
];

const UNSAFE = new RegExp(UNSEEN.source + MEANINGFUL.map((place) => `(?<!${place})`).join(''), 'gu');

/**
 * Escapes untrusted text for display: characters that control a terminal become `\u001b`. Line breaks and tabs stay,
 * so JSON keeps its value.
 */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (unsafe) => unsafe.split('').map(escapeUnit).join(''));
}

/** The escape of a UTF-16 code unit in JSON and JavaScript: `\u001b`. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The text with its first letter in lower case. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/**
 * Escapes the message of a GitHub workflow command.
 *
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function escapeCommandData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a GitHub workflow command. */
export function escapeCommandProperty(text: string): string {
  return escapeCommandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Quotes a word for a POSIX shell, unless it has only characters without a meaning there. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * What nobody sees, or what makes a terminal or a reader of logs show something else: control characters, C1 included; marks that turn
 * the direction of text; U+2028, which ends a line for some; what Unicode lets fonts leave out; and what shows nothing though
 * it is none of these: the blanks of braille, annotations, formats of hieroglyphs, the filler of Khitan, a note without a head.
 * Spaces are seen, U+202F as well.
 */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13430}-\u{13440}\u{16fe4}\u{1d159}]/u;

/** A letter or a vowel of a script whose letters are joined; in others joiners only make a name look like another. */
const JOINED =
  /(?![\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Armenian}\p{scx=Georgian}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Common}\p{scx=Inherited}])[\p{L}\p{M}]/u;

const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;

/**
 * Where one that nobody sees means something, and stays: a joiner between two that can be joined, and behind a sign the choice of its
 * picture. Behind anything else, and behind one another, they hide text from people but not from programs.
 */
const MEANT: readonly string[] = [
  `(?:${JOINED.source})[\\u200c\\u200d](?=${JOINED.source})`,
  `${PICTURE.source}\\ufe0f?\\u200d(?=${PICTURE.source})`,
  /\p{Emoji}[\ufe0e\ufe0f]/u.source,
  // Signs of mathematics and of Chinese: https://www.unicode.org/Public/UCD/latest/ucd/StandardizedVariants.txt.
  /[0\u2200-\u22ff\u2a00-\u2aff\p{Script=Han}\u3001\u3002\uff00-\uff1f][\ufe00-\ufe02]/u.source,
  /\p{Unified_Ideograph}[\u{e0100}-\u{e01ef}]/u.source,
];

const UNSAFE = new RegExp(UNSEEN.source + MEANT.map((place) => `(?<!${place})`).join(''), 'gu');

/**
 * Text of others as it may be shown: what would steer a terminal is written as `\u001b`. Lines and tabs stay, so that JSON stays
 * JSON, with the same values.
 */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (unsafe) => unsafe.split('').map(escapeUnit).join(''));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

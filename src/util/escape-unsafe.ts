/**
 * What a terminal may not be shown: control characters, C1 included; marks that turn the direction of text; what ends a line for some
 * readers of logs and not for others (U+2028); and what nobody sees, blanks of letters and formats of scripts included.
 */
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant for itself.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/;

/** The same beyond U+FFFF: formats of shorthand and of music, and tags, in which text is hidden from people but not from programs. */
const STEERING_PAIR = /\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|\udb40[\udc00-\udc7f]/;

/** Joiners mean something in other scripts and in emoji, and stay there; after Latin text they only make a name look like another. */
const JOINER = /(?<![\u0250-\uffff])[\u200c\u200d]/;

/**
 * Which picture of a sign is meant, `\ufe0f` behind a digit or an emoji, `\u{e0100}` behind an ideograph: one stays there. Behind
 * letters, and behind one another, they hide text as tags do.
 */
const VARIANT =
  /(?<![#*0-9\u00a9\u00ae\u0250-\ufdff\ufe10-\uffff])[\ufe00-\ufe0f]|(?<=\udb40[\udd00-\uddef])[\ufe00-\ufe0f]|(?<!(?:[\u3400-\u9fff\uf900-\ufaff]|[\ud840-\ud88f][\udc00-\udfff]))\udb40[\udd00-\uddef]/;

const UNSAFE = new RegExp(
  [STEERING, STEERING_PAIR, JOINER, VARIANT].map(({ source }) => source).join('|'),
  'g',
);

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

// Symbols as old as ©, ™ or ↔ are letters unless a variation selector asks for the picture.
const LETTERLIKE = '\\u00A9\\u00AE\\u203C\\u2049\\u2122\\u2139\\u2194-\\u21AA';
const PICTURE = `(?:[${LETTERLIKE}]\\uFE0F|(?![${LETTERLIKE}])\\p{Extended_Pictographic}(?!\\uFE0E)\\p{EMod}?\\uFE0F?)`;
const FLAG = '\\p{Regional_Indicator}{2}';
const KEYCAP = '[0-9#*]\\uFE0F?\\u20E3';
const REGION = '\\u{1F3F4}[\\u{E0030}-\\u{E007A}]+\\u{E007F}';

/** One emoji as it is seen: a picture with its skin tone and all that is joined to it, a flag or a keycap. */
export const EMOJI: RegExp = new RegExp(`${REGION}|${PICTURE}(?:\\u200D${PICTURE})*|${FLAG}|${KEYCAP}`, 'gu');

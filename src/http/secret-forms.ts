import { encodeComponent, encodeFormComponent, encodeWhole } from './message/percent-encoding.js';

/** Shorter values (`1`, `eu`) stand in every second text by chance. */
export const MIN_SECRET_LENGTH = 6;

/** A piece of base64 this long does not turn up by chance. */
const MIN_BASE64_PIECE = 8;

/** Longer values are files, not credentials. */
const MAX_SECRET_LENGTH = 64 * 1024;

/**
 * The ways a secret can be written in a request, a response or a message: as it is, percent-encoded in every dialect and
 * twice, inside JSON, in hex, in base64, also in the middle of a longer base64 text (`user:secret`) and percent-encoded,
 * and line by line (a PEM key).
 * Empty for a value too short or too long to be one.
 */
export function secretForms(secret: string): string[] {
  if (secret.length < MIN_SECRET_LENGTH || secret.length > MAX_SECRET_LENGTH) return [];
  const json = JSON.stringify(secret).slice(1, -1);
  const encoded = [
    encodeComponent(secret),
    encodeFormComponent(secret),
    encodeWhole(secret),
    encodeURIComponentOnce(secret),
  ];
  const forms = new Set([
    secret,
    secret.trim(),
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('/', '\\/'),
    ...encoded,
    ...encoded.map(lowerCaseEscapes),
    encodeComponent(encodeComponent(secret)),
    ...base64Forms(secret).flatMap((form) => [form, encodeComponent(form)]),
    ...hexForms(secret),
    ...secret.split(/[\r\n]+/).filter((line) => line.length >= 16 && !line.startsWith('-----')),
  ]);
  return [...forms].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

function encodeURIComponentOnce(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function lowerCaseEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase());
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret, 'utf8').toString('hex');
  return [hex, hex.toUpperCase()];
}

/** The three ways bytes can lie in the groups of base64, without the characters that depend on their neighbours. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const forms = [bytes.toString('base64')];
  for (const offset of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const cutFront = [0, 2, 3][offset] ?? 0;
    const cutBack = [0, 3, 2][(offset + bytes.length) % 3] ?? 0;
    const piece = text.slice(cutFront, text.length - cutBack);
    if (piece.length >= MIN_BASE64_PIECE) forms.push(piece);
  }
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')]);
}

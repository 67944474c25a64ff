import type { SecretMatcher, SecretRange } from '../../redaction/secret-matcher.js';

interface Replaced {
  readonly value: string;
  readonly standIn: string | number;
}

/**
 * Replaces one secret in text. Encoded occurrences are replaced by the encoded stand-in; if that fails, the stand-in
 * replaces the whole stretch.
 */
export function replaceSecret(text: string, secret: Replaced, finder: SecretMatcher): string {
  const standIn = String(secret.standIn);
  const recoded = replaceStretches(text, finder.find(text), (stretch) => recode(text, stretch, secret));
  if (!finder.isIn(recoded)) return recoded;
  return replaceStretches(recoded, finder.find(recoded), (stretch) => ({ ...stretch, written: standIn }));
}

interface Replacement extends SecretRange {
  readonly written: string;
}

function replaceStretches(
  text: string,
  stretches: readonly SecretRange[],
  replace: (stretch: SecretRange) => Replacement,
): string {
  let written = '';
  let at = 0;
  for (const stretch of stretches) {
    const { start, end, written: piece } = replace(stretch);
    if (end <= at) continue;
    written += text.slice(at, Math.max(at, start)) + piece;
    at = end;
  }
  return written + text.slice(at);
}

function recode(text: string, stretch: SecretRange, { value, standIn }: Replaced): Replacement {
  const shown = String(standIn);
  const found = text.slice(stretch.start, stretch.end);
  if (found === value) return { ...stretch, written: shown };
  return (
    recodeHex(found, stretch, shown) ??
    recodeBase64(text, stretch, value, shown) ?? { ...stretch, written: shown }
  );
}

function recodeHex(found: string, stretch: SecretRange, standIn: string): Replacement | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(found)) return undefined;
  const hex = Buffer.from(standIn, 'utf8').toString('hex');
  return { ...stretch, written: /[A-F]/.test(found) ? hex.toUpperCase() : hex };
}

const MAX_BASE64_RUN = 64 * 1024;

/** Decodes the whole Base64 text around the match: `user:secret` contains more than the secret. */
function recodeBase64(
  text: string,
  { start, end }: SecretRange,
  value: string,
  standIn: string,
): Replacement | undefined {
  const from = startOfRun(text, start);
  const to = endOfRun(text, end);
  if (to - from > MAX_BASE64_RUN) return undefined;
  const run = text.slice(from, to);
  const bytes = Buffer.from(run, 'base64');
  const plain = bytes.toString('utf8');
  if (!plain.includes(value) || !Buffer.from(plain, 'utf8').equals(bytes)) return undefined;
  const isUrlSafe = /[-_]/.test(run);
  const again = Buffer.from(plain.replaceAll(value, standIn), 'utf8');
  const encoded = again.toString(isUrlSafe ? 'base64url' : 'base64');
  return { start: from, end: to, written: run.endsWith('=') || isUrlSafe ? encoded : trimPadding(encoded) };
}

function trimPadding(encoded: string): string {
  return encoded.replace(/={1,2}$/, '');
}

const DIGIT = /[\w+/-]/;

function startOfRun(text: string, start: number): number {
  let at = start;
  while (at > 0 && start - at < MAX_BASE64_RUN && DIGIT.test(text.charAt(at - 1))) at--;
  return at;
}

function endOfRun(text: string, end: number): number {
  let at = end;
  while (at < text.length && at - end < MAX_BASE64_RUN && DIGIT.test(text.charAt(at))) at++;
  for (let padding = 0; padding < 2 && text.charAt(at) === '='; padding++) at++;
  return at;
}

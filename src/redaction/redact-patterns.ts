import { SANITIZED } from './redact-value.js';
import { isSecretName } from './secret-names.js';

/**
 * What any text may hold without being known: credentials of an Authorization header, and secret names of a query.
 * The patterns have no nested repeats: time is linear. Each is tried only on text that has its characters.
 */
export function redactPatterns(text: string): string {
  let shown = text;
  if (shown.includes(' ')) {
    shown = shown.replace(/\b(Bearer|Basic|Digest|OAuth|Token) +[\w+/.~-]{8,}=*/gi, `$1 ${SANITIZED}`);
  }
  if (shown.includes('?') || shown.includes('&')) {
    shown = shown.replace(
      /([?&])([\w.[\]-]{1,100})=([^&\s"'<>#\\]+)/g,
      (whole, mark: string, name: string) =>
        isSecretName(name, 'query') ? `${mark}${name}=${SANITIZED}` : whole,
    );
  }
  return shown.includes('@')
    ? shown.replace(/\/\/[^\s/@:"']{1,200}:[^\s/@"']{1,500}@/g, `//${SANITIZED}@`)
    : shown;
}

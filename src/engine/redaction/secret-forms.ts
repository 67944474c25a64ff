/** Shorter values (`1`, `eu`) occur in most texts by chance. */
export const MIN_SECRET_LENGTH = 6;

/** Longer values are files, not credentials. */
export const MAX_SECRET_LENGTH: number = 64 * 1024;

/** The strings that a text is searched for to find one secret. */
export interface SecretForms {
  /** The secret as it is, percent-encoded, JSON-escaped, HTML-escaped and in hex. */
  readonly plain: readonly string[];
  /** The secret in base64 and base64url, in each of its three alignments. */
  readonly base64: readonly string[];
}

/**
 * The forms of a secret: raw (as a whole, without surrounding white space, and line by line as in a PEM key),
 * percent-encoded, JSON-escaped, HTML-escaped, hex, base64 and base64url. [choice]
 */
export function secretForms(secret: string): SecretForms {
  const text = secret.replace(/\p{Surrogate}/gu, '\ufffd');
  const trimmed = text.trim();
  const lines = text.split(/[\r\n]+/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  const plain = new Set([secret]);
  for (const part of new Set([text, trimmed, ...lines])) addEscapedForms(part, plain);
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  plain.add(hex).add(hex.toUpperCase());
  const base64 = new Set(base64Alignments(bytes));
  for (const digits of [...base64]) base64.add(digits.replaceAll('+', '-').replaceAll('/', '_'));
  for (const digits of [...base64]) if (/[+/]/.test(digits)) base64.add(encodeURIComponent(digits));
  const isSearched = (form: string): boolean => form.length >= MIN_SECRET_LENGTH;
  return { plain: [...plain].filter(isSearched), base64: [...base64].filter(isSearched) };
}

function addEscapedForms(text: string, forms: Set<string>): void {
  forms.add(text);
  if (/^[\w.-]*$/.test(text)) return;
  addPercentEncoded(text, forms);
  addJsonEscaped(text, forms);
  addHtmlEscaped(text, forms);
}

/** As a component (RFC 3986 or `encodeURIComponent`), as a form, as a whole address, and once more for an address in an address. */
function addPercentEncoded(text: string, forms: Set<string>): void {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E');
  const once = [component, strict, form, strict.replaceAll('~', '%7E'), encodeURI(text)];
  for (const encoded of [...once, ...once.map(encodeURIComponent)]) {
    forms.add(encoded).add(encoded.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()));
  }
}

/** Escaped once, and once more for JSON in a text of JSON: a response that quotes the body it was sent. */
function addJsonEscaped(text: string, forms: Set<string>): void {
  const once = new Set<string>();
  addJsonEscapedOnce(text, once);
  for (const form of once) {
    forms.add(form);
    addJsonEscapedOnce(form, forms);
  }
}

function addJsonEscapedOnce(text: string, forms: Set<string>): void {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[^ -~]/g, escapeUnit);
  for (const form of [escaped, ascii, escaped.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')]) {
    forms
      .add(form)
      .add(form.replace(/[<>&]/g, escapeUnit))
      .add(form.replace(/[<>&']/g, escapeUnit));
  }
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** With and without quotes, as text between tags needs no escaped quotes. */
function addHtmlEscaped(text: string, forms: Set<string>): void {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = content.replaceAll('"', '&quot;');
  forms.add(content).add(quoted);
  for (const apostrophe of ['&#39;', '&#x27;', '&#039;', '&apos;']) {
    forms.add(quoted.replaceAll("'", apostrophe));
  }
}

/**
 * The digits of base64 that depend on these bytes alone, for each of the three positions bytes can have in a group. Six
 * bytes leave at least seven digits.
 */
function base64Alignments(bytes: Buffer): string[] {
  const padded = Buffer.alloc(bytes.length + 2);
  padded.set(bytes, 2);
  return [0, 1, 2].map((offset) => {
    const text = padded.toString('base64', 2 - offset);
    const cutFront = [0, 2, 3][offset] ?? 0;
    const cutBack = [0, 3, 2][(offset + bytes.length) % 3] ?? 0;
    return text.slice(cutFront, text.length - cutBack);
  });
}

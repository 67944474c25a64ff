import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finishAtOnce, type Parts } from '../../src/iml/values/work.js';
import { createRedactor, type Redactor } from '../../src/redaction/redact.js';

const SECRET = 'kept-of-the-shop';
const BYTES = 256 * 1024;

const repeat = (piece: string): string => piece.repeat(Math.ceil(BYTES / piece.length)).slice(0, BYTES);
const members = (name: string): string =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: 9000 }, (_, id) => [`${name}${id}`, `value-${name}-${id}`])),
  );

const FORM = 'application/x-www-form-urlencoded';

/** Bodies of which others waited for longest. */
const DENSE: readonly (readonly [name: string, type: string, text: string])[] = [
  ['pairs', FORM, repeat('a=1&')],
  ['pairs that a semicolon parts', FORM, repeat('a=b;')],
  ['pairs with escapes', FORM, repeat('%61=%62&')],
  ['elements', 'application/xml', `<r>${repeat('<a>1</a>')}</r>`],
  ['attributes', 'application/xml', `<r>${repeat('<a b="1"/>')}</r>`],
  ['members', 'application/json', members('n')],
  ['members that say secret', 'application/json', members('token')],
  ['small values', 'application/json', `[${repeat('1,')}1]`],
];

function redactor(): Redactor {
  return createRedactor({ secrets: [SECRET] });
}

function responseOf(type: string, body: unknown): Parameters<Redactor['response']>[0] {
  return { status: 400, headers: { 'content-type': type }, body };
}

/** How many parts a piece of work has. */
function countParts(work: Parts<unknown>): number {
  let parts = 1;
  while (work.next().done !== true) parts++;
  return parts;
}

describe('cleaning in parts', () => {
  it.each(DENSE)('lets others in between: %s', (_name, type, text) => {
    const response = responseOf(type, Buffer.from(text));
    expect(countParts(redactor().inParts.response(response))).toBeGreaterThanOrEqual(5);
  });

  it.each(DENSE)('gives what cleaning at once gives: %s', (_name, type, text) => {
    const response = responseOf(type, Buffer.from(`${text.slice(0, 50_000)} ${SECRET}`));
    const [atOnce, inParts] = [redactor(), redactor()];
    expect(finishAtOnce(inParts.inParts.response(response))).toEqual(atOnce.response(response));
  });

  it('pauses within a value, however deep its members are', () => {
    const deep = Array.from({ length: 40 }).reduce<unknown>(
      (inner) => [inner, ...Array.from({ length: 50 }, (_, id) => id)],
      'x',
    );
    // 2000 values, and a pause for 500 of them.
    expect(countParts(redactor().inParts.value(deep))).toBeGreaterThan(
      countParts(redactor().inParts.value([1])) + 3,
    );
  });

  it('gives what cleaning at once gives, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const given = { given: value, token: 'a-token-of-somebody', list: [value, SECRET, `${SECRET}!`] };
        expect(finishAtOnce(redactor().inParts.value(given))).toEqual(redactor().value(given));
      }),
    );
  });
});

describe('learning without showing', () => {
  const TOKEN = 'a-token-of-somebody';

  it.each([
    ['a member', 'application/json', `{"token":"${TOKEN}"}`],
    ['a member of JSON that breaks off', 'application/json', `{"token":"${TOKEN}","a`],
    ['a pair', FORM, `a=1&token=${TOKEN}`],
    ['a pair behind a semicolon', FORM, `a=1;token=${TOKEN}`],
    ['an element', 'application/xml', `<r><token>${TOKEN}</token></r>`],
    ['an attribute', 'application/xml', `<r token="${TOKEN}"/>`],
    ['a field', 'text/plain', `--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n${TOKEN}\r\n--x--`],
    ['a member of a text', 'text/plain', `It said {"token": "${TOKEN}"} then`],
  ])('knows what stands under a name: %s', (_name, type, text) => {
    const own = redactor();
    finishAtOnce(own.inParts.learnResponse(responseOf(type, Buffer.from(text))));
    expect(own.text(`It was ${TOKEN}.`)).toBe('It was [SANITIZED].');
  });

  it('knows what a request holds in its address, headers and body', () => {
    const own = redactor();
    const learned = {
      method: 'POST',
      url: 'https://a.test/?token=a-token-of-the-url',
      headers: [['x-api-key', 'a-token-of-the-head']] as const,
      body: { token: 'a-token-of-the-body' },
    };
    finishAtOnce(own.inParts.learnRequest(learned));
    const told = 'a-token-of-the-url, a-token-of-the-head, a-token-of-the-body';
    expect(own.text(told)).toBe('[SANITIZED], [SANITIZED], [SANITIZED]');
  });
});

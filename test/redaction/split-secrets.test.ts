import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRedactor, type Redactor } from '../../src/redaction/redact.js';

const SECRET = 'k9-Ä"x\\ y/+%7';
const headers = { 'content-type': 'application/json' };
const HIDDEN = '[SANITIZED]';

let redactor: Redactor;
beforeEach(() => {
  redactor = createRedactor({ secrets: [SECRET, 'first-of-two', 'other'] });
});

/** The secret in two, three or more texts. */
const CUTS: readonly (readonly string[])[] = [
  [SECRET.slice(0, 5), SECRET.slice(5)],
  [SECRET.slice(0, 2), SECRET.slice(2, 9), SECRET.slice(9)],
  [...SECRET],
  [`before ${SECRET.slice(0, 7)}`, `${SECRET.slice(7)} behind`],
];

/** No text of the value, and no two in a row, hold the secret or most of it. */
function expectHidden(shown: unknown): void {
  const texts: string[] = [];
  JSON.stringify(shown, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  expect(texts.join('')).not.toContain(SECRET);
  expect(texts.join('')).toContain(HIDDEN);
}

describe('a secret that was cut into several texts', () => {
  it.each(CUTS.map((cut) => [cut.length, cut] as const))('%s items of a list', (_, cut) => {
    expectHidden(redactor.value({ list: cut }));
    expectHidden(redactor.value({ a: 'x', list: [1, ...cut, null], b: 'y' }));
  });

  it.each(CUTS.map((cut) => [cut.length, cut] as const))('%s members', (_, cut) => {
    const members = Object.fromEntries(cut.map((text, index) => [`m${index}`, text]));
    expectHidden(redactor.value(members));
    expectHidden(
      redactor.response({ status: 200, headers, body: Buffer.from(JSON.stringify(members)) }).body,
    );
    expectHidden(JSON.parse(String(redactor.request(post(JSON.stringify(members))).body)));
  });

  it.each(CUTS.map((cut) => [cut.length, cut] as const))('one member of %s records', (_, cut) => {
    expectHidden(redactor.value(cut.map((part, id) => ({ id: `n${id}`, part, last: 'z' }))));
  });

  it('pairs of a query and of a form, and headers', () => {
    const pairs = new URLSearchParams([
      ['a', SECRET.slice(0, 6)],
      ['b', SECRET.slice(6)],
      ['c', '1'],
    ]).toString();
    const { url } = redactor.request({ ...post(''), url: `https://a.test/?${pairs}` });
    expect(url).toBe(`https://a.test/?a=${HIDDEN}&b=${HIDDEN}&c=1`);
    const form = redactor.request({ ...post(pairs), headers: [] });
    expect(form.body).toBe(`a=${HIDDEN}&b=${HIDDEN}&c=1`);
    const cut: [string, string][] = [
      ['x-a', 'first-'],
      ['x-b', 'of-two'],
      ['x-c', 'open'],
    ];
    expect(redactor.request({ ...post(''), headers: cut }).headers).toEqual([
      ['x-a', HIDDEN],
      ['x-b', HIDDEN],
      ['x-c', 'open'],
    ]);
    const { headers: answer } = redactor.response({
      status: 200,
      headers: Object.fromEntries(cut),
      body: '',
    });
    expect({ ...answer }).toEqual({ 'x-a': HIDDEN, 'x-b': HIDDEN, 'x-c': 'open' });
  });

  it('is found where a text ends one and begins the next', () => {
    expect(redactor.value(['a first-', 'of-two and first-', 'of-two b', 'c'])).toEqual([
      `a ${HIDDEN}`,
      `${HIDDEN} and ${HIDDEN}`,
      `${HIDDEN} b`,
      'c',
    ]);
  });

  it('is none of items that have their place in different lists', () => {
    const value = [
      ['first-', 'x'],
      ['of-two', 'y'],
    ];
    expect(redactor.value(value)).toEqual(value);
  });

  it('leaves what only looks like a part of it', () => {
    const value = { list: ['first-', 'and', 'of-two'], a: 'firs', b: 't-of-tw' };
    expect(redactor.value(value)).toEqual(value);
  });

  it('is found wherever it is cut, and nothing else changes', () => {
    const word = fc.constantFrom('x', 'yy', 'zzz');
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 4 }),
        fc.array(word, { maxLength: 4 }),
        fc.uniqueArray(fc.integer({ min: 1, max: SECRET.length - 1 }), { minLength: 1 }),
        (before, behind, places) => {
          const ends = [0, ...places.toSorted((a, b) => a - b), SECRET.length];
          const cut = ends.slice(1).map((end, index) => SECRET.slice(ends[index], end));
          expect(redactor.value([...before, ...cut, ...behind])).toEqual([
            ...before,
            ...cut.map(() => HIDDEN),
            ...behind,
          ]);
        },
      ),
    );
  });
});

function post(body: string) {
  return {
    method: 'POST',
    url: 'https://a.test/',
    headers: [['content-type', 'application/json'] as const],
    body,
  };
}

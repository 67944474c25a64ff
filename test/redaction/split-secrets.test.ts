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

describe('a secret that was cut in XML', () => {
  const bodyOf = (body: string): string =>
    String(
      redactor.response({ status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(body) })
        .body,
    );

  it.each([
    ['elements', '<r><a>first-</a><b>of-two</b></r>', `<r><a>${HIDDEN}</a><b>${HIDDEN}</b></r>`],
    [
      'elements in lines',
      '<r>\n  <a x="1">its first-</a>\n  <b>of-two ends</b>\n</r>',
      `<r>\n  <a x="1">its ${HIDDEN}</a>\n  <b>${HIDDEN} ends</b>\n</r>`,
    ],
    ['attributes', '<a b="first-" c=\'of-two\'/>', `<a b="${HIDDEN}" c='${HIDDEN}'/>`],
    [
      'attributes of elements',
      '<a b="first-">x</a><a b="of-two">y</a>',
      `<a b="${HIDDEN}">x</a><a b="${HIDDEN}">y</a>`,
    ],
    ['CDATA and text', '<a><![CDATA[first-]]>of-two</a>', `<a><![CDATA[${HIDDEN}]]>${HIDDEN}</a>`],
    [
      'CDATA of elements',
      '<a><![CDATA[first-]]></a><b><![CDATA[of-two]]></b>',
      `<a><![CDATA[${HIDDEN}]]></a><b><![CDATA[${HIDDEN}]]></b>`,
    ],
    ['text around a comment', '<a>first-<!-- <x> -->of-two</a>', `<a>${HIDDEN}<!-- <x> -->${HIDDEN}</a>`],
    [
      'one element of records',
      '<r><i>1</i><p>first-</p></r><r><i>2</i><p>of-two</p></r>',
      `<r><i>1</i><p>${HIDDEN}</p></r><r><i>2</i><p>${HIDDEN}</p></r>`,
    ],
    [
      'one attribute of records',
      '<r i="1" p="first-"/><r i="2" p="of-two"/>',
      `<r i="1" p="${HIDDEN}"/><r i="2" p="${HIDDEN}"/>`,
    ],
    [
      'texts with references',
      '<a>it begins k9-&#196;&quot;</a><b>x\\ y/+%7 &amp; ends</b>',
      `<a>${HIDDEN}</a><b>${HIDDEN}</b>`,
    ],
    ['what does not end', '<a>first-</a><b>of-two<c d="', `<a>${HIDDEN}</a><b>${HIDDEN}<c d="`],
    ['CDATA that does not end', '<a>first-</a><b><![CDATA[of-two', `<a>${HIDDEN}</a><b><![CDATA[${HIDDEN}`],
  ])('into %s', (_, body, shown) => {
    expect(bodyOf(body)).toBe(shown);
  });

  it.each([
    '<a>first-</a><b>and</b><c>of-two</c>',
    '<a b="first-" c="and" d="of-two"/>',
    '<a>first-</a><!-- of-two -->',
    '<a b="">first-</a>',
    '<',
    '<a>first-</a><!-- of-two',
    'first- of-two',
  ])('is none in what only looks like its parts: %s', (body) => {
    expect(bodyOf(body)).toBe(body);
  });
});

describe('a secret that was cut into pairs', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const formOf = (body: string): unknown =>
    redactor.response({ status: 200, headers: form, body: Buffer.from(body) }).body;

  it.each([
    ['a blank', 'a=first-&b=of-two&c=x y', `a=${HIDDEN}&b=${HIDDEN}&c=x y`],
    ['a blank in its first value', 'a=1 &b=first-&c=of-two', `a=1 &b=${HIDDEN}&c=${HIDDEN}`],
    ['semicolons', 'a=first-;b=of-two;c=1', `a=${HIDDEN};b=${HIDDEN};c=1`],
    ['both', 'x;y&a=first-;b=1;a=2&c=first-;d=of-two', `x;y&a=first-;b=1;a=2&c=${HIDDEN};d=${HIDDEN}`],
    ['a secret name behind a semicolon', 'a=1;token=abc;b=2', `a=1;token=${HIDDEN};b=2`],
    ['a semicolon in a secret value', 'token=abc;def&b=2', `token=${HIDDEN}&b=2`],
    ['escaped halves', 'a=%66irst%2D&b=of%2dtwo', `a=${HIDDEN}&b=${HIDDEN}`],
    ['what begins like XML', '<a=first-&b=of-two', `<a=${HIDDEN}&b=${HIDDEN}`],
  ])('of a form with %s', (_, body, shown) => {
    expect(formOf(body)).toBe(shown);
    expect(redactor.request({ ...post(body), headers: Object.entries(form) }).body).toBe(shown);
  });

  it('of a form in which the secret has a semicolon itself', () => {
    const { request } = createRedactor({ secrets: ['with;semicolon'] });
    const sent = { ...post('a=with;semi&b=colon'), headers: Object.entries(form) };
    expect(request(sent).body).toBe(`a=${HIDDEN}&b=${HIDDEN}`);
  });

  it.each([
    [
      'the address',
      'GET https://a.test/?a=first-&b=of-two failed',
      `GET https://a.test/?a=${HIDDEN}&b=${HIDDEN} failed`,
    ],
    ['its halves escaped', '"/x?a=%66irst%2D&b=of%2Dtwo"', `"/x?a=${HIDDEN}&b=${HIDDEN}"`],
    ['semicolons', '</x?a=first-;b=of-two>; rel=next', `</x?a=${HIDDEN};b=${HIDDEN}>; rel=next`],
  ])('of a query in a text, with %s', (_, text, shown) => {
    expect(redactor.text(text)).toBe(shown);
    expect(redactor.value({ text })).toEqual({ text: shown });
    expect(redactor.holdsSecret(text)).toBe(true);
  });

  it.each([
    ['as it is', '?a=first-&b=of-two', `?a=${HIDDEN}&b=${HIDDEN}`],
    ['with signs that end one in a text', '?a=first-&c="\\&b=x y', '?a=first-&c="\\&b=x y'],
    ['with such signs before the halves', '?c=" <&a=first-&b=of-two', `?c=" <&a=${HIDDEN}&b=${HIDDEN}`],
    ['with a fragment', '?a=first-;b=of-two;c#d', `?a=${HIDDEN};b=${HIDDEN};c#d`],
  ])('of the query of an address, %s', (_, query, shown) => {
    const sent = { ...post(''), url: `https://a.test/${query}` };
    expect(redactor.request(sent).url).toBe(`https://a.test/${shown}`);
  });

  it('of a query in a header', () => {
    const address = 'https://a.test/?a=first-&b=of-two';
    const shown = `https://a.test/?a=${HIDDEN}&b=${HIDDEN}`;
    const sent = { ...post(''), headers: [['referer', address] as const] };
    expect(redactor.request(sent).headers).toEqual([['referer', shown]]);
    const answer = { location: address, link: `<${address}>; rel=next`, refresh: `0; url=${address}` };
    expect({ ...redactor.response({ status: 200, headers: answer, body: '' }).headers }).toEqual({
      location: shown,
      link: `<${shown}>; rel=next`,
      refresh: `0; url=${shown}`,
    });
  });

  it.each([
    'what? a=first-&b=of-two',
    '/?a=first- /?b=of-two&c=1',
    '/?a=first-&b=and&c=of-two',
    '/?a=1&b=first-, of-two',
    '/?a&first-;of-two',
  ])('is none in a text that only looks like it: %s', (text) => {
    expect(redactor.text(text)).toBe(text);
    expect(redactor.holdsSecret(text)).toBe(false);
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

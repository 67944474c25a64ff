import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseXml, writeXml, XML_FUNCTIONS } from '../../src/engine/http/body/xml.js';
import { cpuMsOf } from '../cpu-time.js';
import { ENVIRONMENT } from '../language/functions/call-function.js';

const LIMITS = {
  maxDepth: 10,
  maxNodes: 100,
  maxAttributes: 10,
  maxProlog: 1000,
};

function value(text: string): unknown {
  const result = parseXml(text);
  return result.ok ? result.value : `error: ${result.message}`;
}

describe('parseXml', () => {
  it.each<[string, string, unknown]>([
    [
      'the documented example',
      '<data><text foo="bar">Hello</text><note>n1</note></data>',
      { data: [{ text: [{ _value: 'Hello', _attributes: { foo: 'bar' } }], note: ['n1'] }] },
    ],
    ['repeated elements', '<r><i>1</i><j/><i>2</i></r>', { r: [{ i: ['1', '2'], j: [''] }] }],
    ['a root of text', '<a> hi </a>', { a: [' hi '] }],
    ['attributes without text', '<a b="1"/>', { a: [{ _attributes: { b: '1' } }] }],
    ['white space between elements', '<a>\n  <b/>\n</a>', { a: [{ b: [''] }] }],
    ['mixed content', '<a>x<b>y</b>z</a>', { a: [{ b: ['y'], _value: 'xz' }] }],
    ['CDATA', '<a><![CDATA[<b>&amp;]]></a>', { a: ['<b>&amp;'] }],
    ['entities', '<a>&lt;&amp;&#65;&#x1F600;</a>', { a: ['<&A😀'] }],
    [
      'prefixes',
      '<s:a xmlns:s="u"><s:b>1</s:b></s:a>',
      { 's:a': [{ 's:b': ['1'], _attributes: { 'xmlns:s': 'u' } }] },
    ],
    ['comments and instructions', '\n<?xml version="1.0"?><!-- c --><?p i?><a><!-- c -->x</a>', { a: ['x'] }],
    ['a document type', '<!DOCTYPE a SYSTEM "http://evil.test/x.dtd"><a>x</a>', { a: ['x'] }],
    [
      'names of prototypes',
      '<a><__proto__>1</__proto__><constructor/></a>',
      { a: [JSON.parse('{"__proto__":["1"],"constructor":[""]}')] },
    ],
  ])('%s', (_title, text, expected) => expect(value(text)).toEqual(expected));
});

describe('parseXml rejects', () => {
  const lol = Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  ).join('');
  it.each([
    ['billion laughs', `<!DOCTYPE a [<!ENTITY l0 "lol">${lol}]><a>&l9;</a>`],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['an entity named like a member of Object', '<a>&constructor;</a>'],
    ['an element left open', '<a><b></a>'],
    ['two roots', '<a/><b/>'],
    ['text alone', 'hello'],
    ['nothing', ' '],
    ['an attribute twice', '<a b="1" b="2"/>'],
    ['NUL', '<a>\0</a>'],
    ['a character reference to NUL', '<a>&#0;</a>'],
    ['HTML', '<!doctype html><p>a<br>b'],
  ])('%s', (_title, text) => expect(parseXml(text)).toMatchObject({ ok: false }));

  it('entities of a document type are never expanded', () => {
    expect(value('<!DOCTYPE a [<!ENTITY x "secret">]><a>&x;</a>')).toMatch(/^error: .*undefined entity/);
  });
});

describe('the limits of parseXml', () => {
  const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);
  const attributes = (count: number): string =>
    `<r>${'<x/>'.repeat(2)}<a ${Array.from({ length: count }, (_, index) => `a${index}=""`).join(' ')}/></r>`;
  const nodes = (count: number): string => `<r>${'<x/>'.repeat(count - 1)}</r>`;

  it.each([
    ['levels', nested(255), true],
    ['levels', nested(256), true],
    ['levels', nested(257), false],
    ['levels', nested(100_000), false],
    ['attributes', attributes(999), true],
    ['attributes', attributes(1000), true],
    ['attributes', attributes(1001), false],
    ['attributes', attributes(1_000_000), false],
  ])('%s', (what, text, ok) => {
    const result = parseXml(text);
    expect(result.ok).toBe(ok);
    if (!result.ok) expect(result.message).toContain(what);
  });

  it('number of elements', () => {
    const limits = { ...LIMITS, maxNodes: 100 };
    expect(parseXml(nodes(100), limits).ok).toBe(true);
    expect(parseXml(nodes(101), limits)).toEqual({ ok: false, message: 'more than 100 elements' });
  });

  it('characters before the first element', () => {
    const read = (length: number) => parseXml(`<!--${'x'.repeat(length)}--><a/>`, LIMITS);
    expect(read(100)).toEqual({ ok: true, value: { a: [''] } });
    const tooLong = { ok: false, message: 'more than 1000 characters before an element' };
    expect(read(300_000)).toEqual(tooLong);
  });
});

it('line ends and characters are read correctly across parser chunks', () => {
  const long = 'x'.repeat(65_536 - 4);
  for (let shift = 0; shift < 4; shift++) {
    const text = `<a>${long.slice(shift)}\r\n😀\ry</a>`;
    expect(value(text)).toEqual({ a: [`${long.slice(shift)}\n😀\ny`] });
  }
});

describe('createXML', () => {
  it.each([
    [{ a: 'x' }, '<a>x</a>'],
    [{ a: ['x'] }, '<a>x</a>'],
    [{ a: { b: ['1', '2'], c: true } }, '<a><b>1</b><b>2</b><c>true</c></a>'],
    [
      { a: { _attributes: { id: 7, none: null }, _value: 'x < y & "z"' } },
      '<a id="7">x &lt; y &amp; "z"</a>',
    ],
    [{ a: { _attributes: { q: '"\n' } } }, '<a q="&quot;&#10;"/>'],
    [{ a: { b: null, c: undefined, d: '' } }, '<a><b/><d/></a>'],
    [{ 'p:a': new Date(0) }, '<p:a>1970-01-01T00:00:00.000Z</p:a>'],
  ])('%j is %s', (document, text) => {
    expect(writeXml(document)).toBe(text);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['a'] = cyclic;
  it.each([
    ['no root', {}, 'IML_FUNCTION'],
    ['two roots', { a: '1', b: '2' }, 'IML_FUNCTION'],
    ['two roots of a name', { a: ['1', '2'] }, 'IML_FUNCTION'],
    ['a list in a list', { a: { b: [['1']] } }, 'IML_FUNCTION'],
    ['a name with a tag in it', { 'a><b': '1' }, 'IML_FUNCTION'],
    ['an attribute with a tag in its name', { a: { _attributes: { 'x="1"><b': '1' } } }, 'IML_FUNCTION'],
    ['a control character', { a: '\u0001' }, 'IML_FUNCTION'],
    ['half a surrogate pair', { a: '\ud800' }, 'IML_FUNCTION'],
    ['what holds itself', cyclic, 'IML_LIMIT'],
  ])('rejects %s', (_name, document, code) => {
    expect(() => writeXml(document)).toThrow(expect.objectContaining({ code }));
  });

  it('round-trips through parseXML', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,6}$/);
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '<', '&', '>', '"', "'", '\n', '\t', 'é', '😀'),
    });
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.record({ _attributes: fc.dictionary(name, text, { minKeys: 1, maxKeys: 3 }) }),
        fc.dictionary(name, fc.array(tie('node'), { minLength: 1, maxLength: 3 }), {
          minKeys: 1,
          maxKeys: 3,
        }),
      ),
    }));
    fc.assert(
      fc.property(name, node, (root, value) => {
        const read = parseXml(writeXml({ [root]: value }));
        if (!read.ok) throw new Error(read.message);
        const again = parseXml(writeXml(read.value as Record<string, unknown>));
        expect(again).toEqual(read);
      }),
    );
  });
});

const call = (name: string, value: unknown): unknown => XML_FUNCTIONS[name]?.(ENVIRONMENT, value);

describe('the run time', () => {
  const SMALLEST = 4096;
  /** Eight times the input takes eight times as long if linear, 64 times if quadratic. */
  const MOST_GROWTH = 28;

  const TEXTS: Readonly<Record<string, (count: number) => unknown>> = {
    text: (count) => `<r>${'a'.repeat(count)}</r>`,
    elements: (count) => `<r>${'<a/>'.repeat(count)}</r>`,
    attributes: (count) => `<r>${'<a b=""/>'.repeat(count)}</r>`,
    marks: (count) => `<r>${'&amp;]'.repeat(count)}</r>`,
    comments: (count) => `<r>${'<!--- -->'.repeat(count)}</r>`,
    open: (count) => `<r>${'<'.repeat(count)}`,
    prolog: (count) => `${' '.repeat(count)}<!DOCTYPE a [${'<!--'.repeat(count)}`,
  };
  const DOCUMENTS: Readonly<Record<string, (count: number) => unknown>> = {
    list: (count) => ({ r: { a: Array.from({ length: count }, () => '&') } }),
    members: (count) => ({
      r: Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])),
    }),
    text: (count) => ({ r: '<a>'.repeat(count) }),
    roots: (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])),
  };
  const CASES = [
    ...Object.entries(TEXTS).map(([title, make]) => ['parseXML', title, make] as const),
    ...Object.entries(DOCUMENTS).map(([title, make]) => ['createXML', title, make] as const),
  ];

  it.each(CASES)('of %s grows linearly with its input: %s', { retry: 3 }, async (name, _title, make) => {
    const costOf = async (count: number): Promise<number> => {
      const value = make(count);
      let least = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 3; time++) {
        const took = await cpuMsOf(() => {
          try {
            call(name, value);
          } catch {
            // Rejected input takes time too.
          }
        });
        least = Math.min(least, took);
      }
      return least;
    };
    const [small, large] = [await costOf(SMALLEST), await costOf(8 * SMALLEST)];
    expect(large / Math.max(small, 2)).toBeLessThan(MOST_GROWTH);
  });
});

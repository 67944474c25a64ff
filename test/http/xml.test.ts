import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseXml, parseXmlPieces } from '../../src/http/body/xml.js';

const LIMITS = {
  maxDepth: 10,
  maxNodes: 100,
  maxAttributes: 10,
  maxProlog: 1000,
  maxInstruction: 1000,
  maxMarks: 100,
};

function value(text: string): unknown {
  const result = parseXml(text);
  return result.ok ? result.value : `error: ${result.message}`;
}

describe('shape', () => {
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

describe('refused', () => {
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

  it('an entity declared inside never reaches the value', () => {
    expect(value('<!DOCTYPE a [<!ENTITY x "secret">]><a>&x;</a>')).toMatch(/^error: .*undefined entity/);
  });
});

describe('limits', () => {
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

  it('elements', () => {
    const limits = { ...LIMITS, maxNodes: 100 };
    expect(parseXml(nodes(100), limits).ok).toBe(true);
    expect(parseXml(nodes(101), limits)).toEqual({ ok: false, message: 'more than 100 elements' });
  });

  it('marks the parser keeps by themselves', () => {
    const limits = { ...LIMITS, maxMarks: 6 };
    const withMarks = (more: string): string => `<a><![CDATA[]]]]>&amp;${more}</a>`;
    expect(parseXml(withMarks('&lt;'), limits).ok).toBe(true);
    const tooMany = { ok: false, message: 'more than 6 marks such as & and ]' };
    expect(parseXml(withMarks('&lt;&lt;'), limits)).toEqual(tooMany);
    expect(parseXml(withMarks('<![CDATA[]]>'), limits)).toEqual(tooMany);
  });

  it('characters before the first element, in pieces', async () => {
    const read = (pieces: number) => {
      async function* text(): AsyncGenerator<string> {
        for (let at = 0; at < pieces; at++) yield `<!--${'x'.repeat(93)}-->`;
        yield '<a/>';
      }
      return parseXmlPieces(text(), LIMITS);
    };
    expect(await read(10)).toEqual({ ok: true, value: { a: [''] } });
    const tooLong = { ok: false, message: 'more than 1000 characters before an element' };
    expect(await read(11)).toEqual(tooLong);
  });

  it.each<[string, number, (count: number) => string]>([
    ['a dash in a comment', 2, (count: number) => `<!--${'-x'.repeat(count)}-->`],
    ['a question mark in an instruction', 2, (count: number) => `<?p ${'?x'.repeat(count)}?>`],
    ['a line end in a value', 2, (count: number) => `<b c="${'\n'.repeat(count)}"/>`],
    ['a carriage return in a value', 2, (count: number) => `<b c="${'\r\n'.repeat(count)}"/>`],
    ['a tab in a value', 2, (count: number) => `<b c="${'\t'.repeat(count)}"/>`],
    ['a bracket in a value', 1, (count: number) => `<b c="${']'.repeat(count)}"/>`],
    ['a line end of XML 1.1', 1, (count: number) => '\x85\u2028'.repeat(count / 2)],
  ])('%s is such a mark and counts for %d', (_title, weight, write) => {
    expect(parseXml(`<a>${write(100 / weight)}</a>`, LIMITS).ok).toBe(true);
    const tooMany = { ok: false, message: 'more than 100 marks such as & and ]' };
    expect(parseXml(`<a>${write(100 / weight + 2)}</a>`, LIMITS)).toEqual(tooMany);
  });

  it('dashes, question marks and line ends elsewhere are none', () => {
    const text = `${'-?\r\n\t>'.repeat(200)}`;
    expect(value(`<a b="--??"><!----><?p?>${text}</a>`)).toEqual({
      a: [{ _value: text.replaceAll('\r', ''), _attributes: { b: '--??' } }],
    });
    expect(parseXml(`<a>${text}${'<!----><?p?>'.repeat(200)}</a>`, LIMITS).ok).toBe(true);
  });

  it('characters of an instruction', () => {
    const withInstruction = (length: number): string => `<a><?p ${'x'.repeat(length)}?></a>`;
    expect(parseXml(withInstruction(999), LIMITS).ok).toBe(true);
    const tooLong = { ok: false, message: 'an instruction of more than 1000 characters' };
    expect(parseXml(withInstruction(1000), LIMITS)).toEqual(tooLong);
  });
});

describe('names and references are refused before they end', () => {
  const long = 'n'.repeat(16_001);
  const tooLong = { ok: false, message: 'a name of more than 16000 characters' };
  it.each([
    ['an element', `<a><${long}`],
    ['an attribute', `<a><b ${long}`],
    ['a closing tag', `<a></${long}`],
    ['an instruction', `<a><?${long}`],
    ['a reference', `<a>&${long}`],
    ['a reference in a value', `<a b="&${long}`],
    ['a numeric reference', `<a>&#${'1'.repeat(16_000)}`],
  ])('%s', (_title, text) => expect(parseXml(text)).toEqual(tooLong));

  // What is within one token and looks like the start of another.
  const SIGNS = [
    '<',
    '>',
    '-',
    '--',
    '?',
    ']',
    ']]',
    '"',
    "'",
    '/',
    '!',
    '&amp;',
    '=',
    ' ',
    '\n',
    'x',
    '[CDATA[',
  ];
  const signs = (without: RegExp): fc.Arbitrary<string> =>
    fc
      .array(fc.constantFrom(...SIGNS.filter((sign) => !without.test(sign))), { maxLength: 8 })
      .map((all) => all.join(''));
  const token = fc.oneof(
    signs(/</).map((text) => text.replaceAll(']]', ']').replaceAll(']>', '>')),
    signs(/^-/).map((text) => `<!--${text}-->`),
    signs(/^>|]$/).map((text) => `<![CDATA[${text}]]>`),
    fc.constant('<![CDATA[]]]]>'),
    signs(/\?|x/).map((text) => `<?p ${text}?>`),
    fc.constantFrom('<?p??>', '<?p ???>', '<!---->', '<b/>', '<b></b >', '<b />', '<b\n>x</b>'),
    signs(/[<"]/).map((text) => `<b c="${text}"/>`),
    signs(/[<']/).map((text) => `<b c = '${text}' d=""></b>`),
  );

  it('whatever stands before them, and texts of any length are not', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const before = tokens.join('');
        const whole = `<a b="'>">${before}${long} ${long}</a>`;
        expect(parseXml(`<a b="'>">${before}</a>`)).toMatchObject({ ok: true });
        expect(parseXml(whole)).toMatchObject({ ok: true });
        expect(parseXml(`<a>${before}<b c="${long}"/></a>`)).toMatchObject({ ok: true });
        expect(parseXml(`<a>${before}<${long}`)).toEqual(tooLong);
      }),
    );
  });

  it('the same in pieces of any length', async () => {
    const text = `<?xml version="1.0"?>\r\n<!DOCTYPE a [<!-- > --><?p ">"?><!ENTITY x "]>">]>\r\n<a b="1\r\n2">x\r\ny\rz😀<!-- - --></a>\r`;
    const pieces = async function* (length: number): AsyncGenerator<string> {
      for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
    };
    const expected = { ok: true, value: { a: [{ _value: 'x\ny\nz😀', _attributes: { b: '1 2' } }] } };
    for (let length = 1; length < 20; length++)
      expect(await parseXmlPieces(pieces(length))).toEqual(expected);
    expect(parseXml(text)).toEqual(expected);
  });
});

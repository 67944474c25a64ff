import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseXml, writeXml } from '../../src/engine/http/body/xml.js';

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

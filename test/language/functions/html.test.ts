import { describe, expect, it } from 'vitest';
import { callFunction, errorOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);

describe('stripHTML', () => {
  it.each([
    ['<p>Hi <b>there</b></p>', 'Hi there'],
    ['a<br>b<BR/>c<br class="x">d', 'a\nb\nc\nd'],
    ['a<style>p { color: red }</style >b', 'ab'],
    ['a<script>if (a < b) "<p>"</script>b', 'ab'],
    ['a<SCRIPT>never closed', 'a'],
    ['a<!-- > <b> -->b<!DOCTYPE html><?xml?>c', 'abc'],
    ['<a title="x > y">link</a>', 'link'],
    ["<a title='x > y' data=it's>link</a>", 'link'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['a <b', 'a <b'],
    ['<a title="open>text', 'text'],
    ['a &amp; b', 'a &amp; b'],
    ['a --> <!-- b -->c', 'a --> c'],
    ['<a title = "x > y" b=\t"z > y">link</a>', 'link'],
    ['<a title="x=" b=">">link</a>', 'link'],
    // An unterminated quote and all later quotes are ignored.
    [`<a ='>b<i c=">">d`, 'b">d'],
    // Only attributes have quotes: a declaration ends at the first bracket.
    ['<!a b="x>y">z', 'y">z'],
    ['<?a b="x>y"?>z', 'y"?>z'],
    ['a<br', 'a<br'],
    ['xb>c', 'xb>c'],
  ])('%s becomes %s', (html, text) => expect(call('stripHTML', html)).toBe(text));

  it.each(['<a ', '<a ="', '<!', '<!--', '<script></script', '<a =\'">', "<a ='><b =\"'>"])(
    'takes one pass over text of many %s',
    (piece) => {
      // A quadratic implementation would exceed the test timeout.
      expect(call('stripHTML', `${piece.repeat(200_000)}x>y`)).toMatch(/y$|^$/);
    },
  );
});

describe('escaping', () => {
  it('of HTML keeps quotes', () => {
    expect(call('escapeHTML', `<a href="x">&'</a>`)).toBe(`&lt;a href="x"&gt;&amp;'&lt;/a&gt;`);
  });
  it('of Markdown converts special characters to numeric entities', () => {
    expect(call('escapeMarkdown', '# *a* _b_ `c` | d')).toBe(
      '&#35; &#42;a&#42; &#95;b&#95; &#96;c&#96; &#124; d',
    );
  });
  it('of null returns null', () => expect(call('escapeHTML', null)).toBeNull());
  it('throws IML_LIMIT for a result that is too long', () => {
    expect(errorOf(() => call('escapeHTML', '&'.repeat(20_000_000)))?.code).toBe('IML_LIMIT');
  });
});

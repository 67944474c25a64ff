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
    // A quote that is left open means nothing, and neither do those behind it.
    [`<a ='>b<i c=">">d`, 'b">d'],
    // Quotes are those of attributes: a declaration ends at the first bracket.
    ['<!a b="x>y">z', 'y">z'],
    ['<?a b="x>y"?>z', 'y"?>z'],
    ['a<br', 'a<br'],
    ['xb>c', 'xb>c'],
  ])('%s becomes %s', (html, text) => expect(call('stripHTML', html)).toBe(text));

  it.each(['<a ', '<a ="', '<!', '<!--', '<script></script', '<a =\'">', "<a ='><b =\"'>"])(
    'a text of many %s takes one pass',
    (piece) => {
      // Not timed: where one piece costs a pass over the rest, this runs into the time a test may take.
      expect(call('stripHTML', `${piece.repeat(200_000)}x>y`)).toMatch(/y$|^$/);
    },
  );
});

describe('escaping', () => {
  it('HTML leaves quotes alone', () => {
    expect(call('escapeHTML', `<a href="x">&'</a>`)).toBe(`&lt;a href="x"&gt;&amp;'&lt;/a&gt;`);
  });
  it('Markdown marks become numeric entities', () => {
    expect(call('escapeMarkdown', '# *a* _b_ `c` | d')).toBe(
      '&#35; &#42;a&#42; &#95;b&#95; &#96;c&#96; &#124; d',
    );
  });
  it('null stays null', () => expect(call('escapeHTML', null)).toBeNull());
  it('stops at a limit', () => {
    expect(errorOf(() => call('escapeHTML', '&'.repeat(20_000_000)))?.code).toBe('IML_LIMIT');
  });
});

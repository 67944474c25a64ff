import { describe, expect, it } from 'vitest';
import { hideBeginnings } from '../../src/redaction/hide-split.js';

const HIDDEN = '[SANITIZED]';

/** Hides the end of texts that, joined, end in a text. @returns the value, and what was asked for */
function hideEnd(
  value: unknown,
  end: string,
): { readonly shown: unknown; readonly asked: readonly string[] } {
  const asked: string[] = [];
  hideBeginnings(value, {
    beginning: (text) => {
      asked.push(text);
      return text.endsWith(end) ? end.length : 0;
    },
  });
  return { shown: value, asked };
}

describe('of values that are cut off the end is hidden', () => {
  it.each<[string, unknown, string, unknown]>([
    ['in one text', ['x', 'one abc'], 'abc', ['x', `one ${HIDDEN}`]],
    ['in a whole text', ['x', 'abc'], 'abc', ['x', HIDDEN]],
    ['in several', ['xa', 'b', 'c'], 'abc', [`x${HIDDEN}`, HIDDEN, HIDDEN]],
    [
      'in front of what is left out',
      ['xab', 'c… [left out]', '[left out]'],
      'abc',
      [`x${HIDDEN}`, `${HIDDEN}… [left out]`, '[left out]'],
    ],
    ['behind an empty text', ['ab', '', 'c'], 'abc', [HIDDEN, '', HIDDEN]],
    [
      'in members',
      { a: 'xa', b: 1, c: 'bc', '[left out]': '[left out]' },
      'abc',
      { a: `x${HIDDEN}`, b: 1, c: HIDDEN, '[left out]': '[left out]' },
    ],
    [
      'in members of one name',
      [
        { a: 'xa', n: '1' },
        { a: 'bc', n: '2' },
      ],
      'abc',
      [
        { a: `x${HIDDEN}`, n: '1' },
        { a: HIDDEN, n: '2' },
      ],
    ],
    ['of all there is', ['a', 'bc'], 'abc', [HIDDEN, HIDDEN]],
    ['not where there is none', ['x', 'abcd'], 'abc', ['x', 'abcd']],
    ['not in a text by itself', 'abc', 'abc', 'abc'],
    ['not in what holds no text', [[], {}, 1, null], 'abc', [[], {}, 1, null]],
  ])('%s', (_what, value, end, expected) => {
    expect(hideEnd(value, end).shown).toEqual(expected);
  });

  it('that is read without marks, as far back as a secret may reach', () => {
    expect(hideEnd([{ a: 'one', b: 'two… [left out]' }, '[left out]'], 'none').asked).toEqual([
      'onetwo',
      'one',
      'two',
    ]);
    const [asked = ''] = hideEnd(['far', 'x'.repeat(5000), 'y'.repeat(5000)], 'none').asked;
    expect(asked).toHaveLength(10_000);
  });
});

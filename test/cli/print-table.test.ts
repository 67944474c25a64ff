import { describe, expect, it } from 'vitest';
import { printTable } from '../../src/tools/cli/output/print-table.js';

describe('printTable', () => {
  it('shows the members of all bundles in the order they are first seen', () => {
    const table = printTable([
      { id: 1, name: 'Ann' },
      { id: 20, tags: ['a', 'b'] },
    ]);
    expect(table).toBe(
      ['id  name  tags', '--  ----  ---------', '1   Ann', '20        ["a","b"]', ''].join('\n'),
    );
  });

  it('aligns wide characters by their width on a terminal', () => {
    expect(
      printTable([
        { a: '佐藤', b: 1 },
        { a: 'e\u0301', b: 2 },
      ]),
    ).toBe('a     b\n----  -\n佐藤  1\ne\u0301     2\n');
  });

  it('shows dates, bytes, null and absent members', () => {
    const [, , first, second] = printTable([
      { at: new Date(0), bytes: new Uint8Array(3), none: null },
      { at: 'x', none: undefined },
    ]).split('\n');
    expect(first).toBe('1970-01-01T00:00:00.000Z  <3 bytes>  null');
    expect(second).toBe('x');
  });

  it('shows bundles that are not collections', () => {
    expect(printTable([1, 'two', [3]])).toBe('(value)\n-------\n1\ntwo\n[3]\n');
  });

  it('shortens the widest columns to fit', () => {
    const lines = printTable(
      [
        { id: 7, text: 'x'.repeat(200) },
        { id: 8, text: 'y' },
      ],
      40,
    ).split('\n');
    expect(lines[2]).toBe(`7   ${'x'.repeat(35)}…`);
    expect(Math.max(...lines.map((line) => line.length))).toBe(40);
  });

  it('prints blocks if the columns would become too narrow', () => {
    const bundle = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`member${index}`, 'z'.repeat(30)]),
    );
    const text = printTable([bundle, bundle], 60);
    expect(text).toContain(`member0  ${'z'.repeat(30)}\nmember1`);
    expect(text.split('\n\n')).toHaveLength(2);
  });

  it('limits long values of a block', () => {
    expect(printTable([{ text: 'x'.repeat(500) }], 40)).toBe(`text  ${'x'.repeat(500)}\n`);
    expect(printTable([{ text: 'x'.repeat(5000) }], 40)).toBe(`text  ${'x'.repeat(999)}…\n`);
  });

  it('escapes control characters', () => {
    expect(printTable([{ '\u001b]': 1 }, { '\u001b]': 2 }])).toBe('\\u001b]\n-------\n1\n2\n');
    expect(printTable([{ a: '\u001b[31mred\nline', 'b\u009b': 1 }])).toBe(
      'a        \\u001b[31mred\\nline\nb\\u009b  1\n',
    );
  });

  it('is empty without bundles, and supports names of inherited members', () => {
    expect(printTable([])).toBe('');
    expect(printTable([{}])).toBe('');
    expect(printTable([JSON.parse('{"__proto__":1,"constructor":2}')])).toBe(
      '__proto__    1\nconstructor  2\n',
    );
  });
});

import { expect, it } from 'vitest';
import { isBlank, isWideBlank } from '../../src/redaction/blanks.js';
import { createRedactor } from '../../src/redaction/redact.js';

const unitsOf = (isOne: (unit: number) => boolean): readonly number[] =>
  Array.from({ length: 0x10000 }, (_, unit) => unit).filter(isOne);

it('blanks are those of ASCII', () => {
  expect(unitsOf(isBlank)).toEqual([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20]);
});

it('wide blanks are those that show nothing, in order', () => {
  const range = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  expect(unitsOf(isWideBlank)).toEqual([
    0xa0,
    0xad,
    ...range(0x2000, 0x200d),
    ...range(0x2028, 0x202f),
    0x2060,
    0x3000,
    0xfeff,
  ]);
});

it.each(['\u00a0', '\u2003', '\u200b', '\u3000', '\ufeff'])(
  'base64 of a secret is found with %j inside',
  (blank) => {
    const redactor = createRedactor({ secrets: ['abc-def-ghi-jkl'] });
    const written = Buffer.from('user:abc-def-ghi-jkl').toString('base64');
    const shown = redactor.text(`x ${written.slice(0, 14)}${blank}${written.slice(14)} y`);
    expect(shown).not.toContain(written.slice(8, 14));
    expect(shown).not.toContain(written.slice(14, 20));
  },
);

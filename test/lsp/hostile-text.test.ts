import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/check/finding.js';
import { findCallAt, readPrefix } from '../../src/lsp/cursor.js';
import { toDiagnostics } from '../../src/lsp/protocol.js';

const MILLION = 1_000_000;

/** Quadratic time would not end before the test does. */
describe('a text of a million characters before the cursor', () => {
  it.each([
    ['letters and a bracket', `${'a'.repeat(MILLION)}(`, []],
    ['backticks', `${'`a'.repeat(MILLION / 2)} (`, []],
    ['dots', `${'a.'.repeat(MILLION / 2)}(`, []],
    ['a path at its end', `${'a('.repeat(MILLION / 2)}body.items`, ['body']],
  ])('is looked at for a path: %s', (_, before, parents) => {
    expect(readPrefix(before)?.parents).toEqual(parents);
  });

  it.each([
    ['brackets', '('.repeat(MILLION), undefined],
    ['names and brackets', `${'a('.repeat(MILLION / 2)}`, 'a'],
    ['a long name', `${'a'.repeat(MILLION)}(`, 'a'.repeat(200)],
    ['blanks', `upper${' '.repeat(100)}(${' '.repeat(MILLION)}`, 'upper'],
  ])('is looked at for a call: %s', (_, before, name) => {
    expect(findCallAt(before)?.name).toBe(name);
  });
});

describe('findings', () => {
  const text = '{"a": "{{nope()}}"},\n'.repeat(100_000);
  const findings = Array.from({ length: 50_000 }, (_, index): Finding => {
    const place = { file: 'a.json', line: index + 1, column: 7 };
    return { rule: 'unknown-function', level: 'error', message: `${index}`, place } as Finding;
  });

  it('of a long text with very many of them are shown, as many as anybody reads', () => {
    const shown = toDiagnostics(findings, text);
    expect(shown).toHaveLength(1000);
    expect(shown[999]).toMatchObject({
      message: '999',
      range: { start: { line: 999, character: 6 }, end: { character: 20 } },
    });
  });
});

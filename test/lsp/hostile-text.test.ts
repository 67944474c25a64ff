import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadApp } from '../../src/index.js';
import { createSubject } from '../../src/tools/check/subject/subject.js';
import { findCallAt, readPrefix } from '../../src/tools/lsp/cursor.js';
import { findOccurrences } from '../../src/tools/lsp/navigation.js';
import { toDiagnostics } from '../../src/tools/lsp/protocol.js';
import { toFilePath } from '../../src/tools/lsp/session.js';

type Finding = Parameters<typeof toDiagnostics>[0][number];

const MILLION = 1_000_000;

/** Quadratic time would not end before the test does. */
describe('a text of a million characters before the cursor', () => {
  it.each([
    ['letters and a bracket', `${'a'.repeat(MILLION)}(`, []],
    ['backticks', `${'`a'.repeat(MILLION / 2)} (`, []],
    ['dots', `${'a.'.repeat(MILLION / 2)}(`, []],
    ['a path at its end', `${'a('.repeat(MILLION / 2)}body.items`, ['body']],
  ])('is parsed in linear time for a path: %s', (_, before, parents) => {
    expect(readPrefix(before)?.parents).toEqual(parents);
  });

  it.each([
    ['brackets', '('.repeat(MILLION), undefined],
    ['names and brackets', `${'a('.repeat(MILLION / 2)}`, 'a'],
    ['a long name', `${'a'.repeat(MILLION)}(`, 'a'.repeat(200)],
    ['blanks', `upper${' '.repeat(100)}(${' '.repeat(MILLION)}`, 'upper'],
  ])('is parsed in linear time for a call: %s', (_, before, name) => {
    expect(findCallAt(before)?.name).toBe(name);
  });
});

describe('a chain of 200,000 members', () => {
  it('is searched for references in linear time', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'iml-chain-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const text = JSON.stringify({
      url: '/a',
      temp: { x: 1 },
      qs: { a: `{{temp.x${'.a'.repeat(200_000)}}}` },
    });
    mkdirSync(path.join(folder, 'modules/m'), { recursive: true });
    writeFileSync(path.join(folder, 'modules/m/api.imljson'), text);
    return loadApp(folder).then((app) => {
      const symbol = { kind: 'temp', name: 'x', owner: 'module m' } as const;
      const found = findOccurrences(createSubject(app), undefined, symbol);
      expect(found.map(({ isDefinition }) => isDefinition)).toEqual([true, false]);
    });
  });
});

describe('a URI', () => {
  it.each([
    ['untitled:Untitled-1', undefined],
    ['file://host/share/a.json', undefined],
    ['file:///a%2Fb.json', undefined],
    ['file:///a%00b.json', undefined],
    ['file:///a%E0%A4%A.json', undefined],
    ['file:///tmp/a%20b.json', '/tmp/a b.json'],
  ])('%s has the path %s', (uri, file) => {
    expect(toFilePath(uri)).toBe(file);
  });
});

describe('findings', () => {
  const text = '{"a": "{{nope()}}"},\n'.repeat(100_000);
  const findings = Array.from({ length: 50_000 }, (_, index): Finding => {
    const place = { file: 'a.json', line: index + 1, column: 7 };
    return { rule: 'unknown-function', level: 'error', message: `${index}`, place } as Finding;
  });

  it('are limited in number for a long text', () => {
    const shown = toDiagnostics(findings, text);
    expect(shown).toHaveLength(1000);
    expect(shown[999]).toMatchObject({
      message: '999',
      range: { start: { line: 999, character: 6 }, end: { character: 20 } },
    });
  });
});

import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printTestFailures, runFixtures } from '../../src/tools/testing/index.js';

/*
 * The cases of an app pass. After a change of one character in the app, a case has to fail, and to name the file and the
 * line of the change.
 */

const LIST = 'modules/list-fonts/list-fonts.communication.iml.json';
const FONT = 'modules/get-font/get-font.communication.iml.json';
const SEARCH = 'modules/search-items/search-items.communication.iml.json';
const SAVE = 'modules/save-item/save-item.communication.iml.json';
const LETTERS = 'modules/list-letters/list-letters.communication.iml.json';
const TABLES = 'rpcs/list-tables/list-tables.communication.iml.json';
const ACCOUNT = 'connections/account/account.communication.iml.json';

const APPS = ['fonts', 'postbox', 'warehouse'] as const;

/** App, file, old text, new text, and the maximum distance in lines to the reported location. Default: 1. */
const CHANGES: readonly (readonly [
  app: (typeof APPS)[number],
  file: string,
  from: string,
  to: string,
  lines?: number,
])[] = [
  ['fonts', 'general/base.iml.json', 'api.fonts', 'api.fents'],
  ['fonts', 'general/base.iml.json', 'connection.apiKey', 'connection.apikey'],
  ['fonts', 'general/base.iml.json', '[429]', '(429]'],
  ['fonts', 'general/base.iml.json', '"429"', '"428"', 8],
  ['fonts', 'general/base.iml.json', 'RateLimitError', 'RateLimitErrar'],
  ['fonts', 'general/base.iml.json', '[404] {{body.detail', '[404] {{body.detall'],
  ['fonts', LIST, '"/fonts"', '"/font5"'],
  ['fonts', LIST, '100', '101'],
  ['fonts', LIST, '"family"', '"famity"'],
  ['fonts', LIST, '{{body.data}}', '{{body.date}}'],
  ['fonts', LIST, 'pagination.total', 'pagination.totel'],
  ['fonts', LIST, '"output": "{{item}}"', '"output": "{{itam}}"'],
  ['fonts', FONT, 'body.createdAt', 'body.createdAd'],
  ['fonts', ACCOUNT, '{{body.email}}', '{{body.emall}}', 3],
  ['warehouse', 'general/base.iml.json', 'projectId', 'projectid'],
  ['warehouse', SEARCH, '(parameters.search', '(parameters.searcb', 3],
  ['warehouse', SEARCH, '- 1) * 100', '- 1) * 101'],
  ['warehouse', SEARCH, 'parameters.table', 'parameters.tadle'],
  ['warehouse', SAVE, 'emptyarray', 'emptyarraz'],
  ['warehouse', SAVE, '"POST"', '"PUST"'],
  ['warehouse', TABLES, '{{item.name}}', '{{item.nome}}'],
  ['postbox', LETTERS, 'item.sender', 'item.sander'],
  ['postbox', LETTERS, "'name'", "'nane'"],
  ['postbox', LETTERS, 'received_at', 'received_ad'],
  ['postbox', LETTERS, '"cursor"', '"cursar"'],
];

const CASES = CHANGES.map(([app, file, from, to, lines = 1]) => ({ app, file, from, to, lines }));

let home: string;
const copies = new Map<string, string>();

function copyApp(app: string): string {
  const folder = path.join(home, app);
  cpSync(path.join(import.meta.dirname, '../../spec-fixtures/corpus', app), folder, { recursive: true });
  copies.set(app, folder);
  return folder;
}

beforeAll(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'iml-changes-')));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a character that is another one', () => {
  it.each(APPS)('passes the cases of %s without a change', async (app) => {
    const { ok, results } = await runFixtures(copies.get(app) ?? copyApp(app));
    expect(results.map(printTestFailures).join('')).toBe('');
    expect(ok).toBe(true);
  });

  it('changes one character each', () => {
    for (const [, , from, to] of CHANGES) expect(differing(from, to)).toBe(1);
  });

  it.each(CASES)(
    'makes a case fail after a change: $file $from $to',
    async ({ app, file, from, to, lines }) => {
      const folder = copies.get(app) ?? copyApp(app);
      const target = path.join(folder, file);
      const text = readFileSync(target, 'utf8');
      const at = text.indexOf(from);
      expect(at).toBeGreaterThan(0);
      writeFileSync(target, text.slice(0, at) + to + text.slice(at + from.length));
      try {
        const { ok, results } = await runFixtures(folder);
        expect(ok).toBe(false);
        const line = text.slice(0, at).split('\n').length;
        const origins = results.flatMap(({ failures }) => failures.map(({ origin }) => origin));
        const found = origins.some(
          (origin) => origin?.file === target && Math.abs((origin.line ?? 0) - line) <= lines,
        );
        const told = results
          .map(printTestFailures)
          .filter((shown) => shown !== '')
          .join('\n');
        expect(found ? 'found' : told).toBe('found');
      } finally {
        writeFileSync(target, text);
      }
    },
  );
});

function differing(from: string, to: string): number {
  if (from.length !== to.length) return Number.POSITIVE_INFINITY;
  return [...from].filter((character, index) => character !== to[index]).length;
}

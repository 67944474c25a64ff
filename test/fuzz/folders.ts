import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { loadApp } from '../../src/app/loading/load-app.js';
import { SpecError } from '../../src/errors/spec-error.js';
import { edits, mutateJson } from './mutate-json.js';
import { assertPrototypes, type Target } from './target.js';

const BOOKSHOP = fileURLToPath(new URL('../../spec-fixtures/bookshop', import.meta.url));
const FILES = readdirSync(BOOKSHOP, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.split(path.sep).join('/'))
  .sort();

interface Input {
  /** Of the bookshop. */
  readonly file: string;
  readonly text: string;
}

const PIECES = [
  '',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '//',
  '/*',
  '\\u',
  '\u0000',
  '\ufeff',
  '\ud800',
  '1e999',
  '{{',
];

const inputs = fc
  .record({
    file: fc.oneof(fc.constantFrom(...FILES), fc.constant('makecomapp.json')),
    changes: edits,
    cuts: fc.array(fc.tuple(fc.nat(), fc.nat(6), fc.constantFrom(...PIECES)), { maxLength: 2 }),
  })
  .map(({ file, changes, cuts }): Input => {
    const content: unknown = parse(readFileSync(path.join(BOOKSHOP, file), 'utf8'));
    const written = JSON.stringify(mutateJson(content, changes), null, 2);
    const text = cuts.reduce((before, [at, length, by]) => {
      const start = at % (before.length + 1);
      return before.slice(0, start) + by + before.slice(start + length);
    }, written);
    return { file, text };
  });

/** The bookshop with one file damaged, as data and as text: it loads, or the error names a file. */
export function createFolders(): Target<Input> & Disposable {
  const root = mkdtempSync(path.join(tmpdir(), 'fuzz-'));
  const folder = path.join(root, 'app');
  cpSync(BOOKSHOP, folder, { recursive: true });
  return {
    name: 'folders',
    input: inputs,
    survive: async ({ file, text }) => {
      const target = path.join(folder, file);
      writeFileSync(target, text);
      try {
        await loadApp(folder);
      } catch (error) {
        if (!(error instanceof SpecError)) throw error;
        if (error.place?.file === undefined) throw new Error('The error names no file.', { cause: error });
      } finally {
        writeFileSync(target, readFileSync(path.join(BOOKSHOP, file)));
      }
      assertPrototypes();
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

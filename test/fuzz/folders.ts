import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { loadApp, SpecError } from '../../src/index.js';
import { edits, mutateJson } from './mutate-json.js';
import { assertPrototypes, type Target } from './target.js';

const BOOKSHOP = fileURLToPath(new URL('../../spec-fixtures/bookshop', import.meta.url));
const MANIFEST = 'makecomapp.json';

/** One component of each kind. Each case loads the whole folder, so it is small. */
const FOLDERS = ['connections', 'functions', 'general', 'modules/list-books', 'rpcs'];

/** Files with several roles. */
const LEFT_OUT = /\.(?:samples\.iml\.json|test\.js)$/;

/** The text of each file, as it is written before it is damaged. */
const TEXTS: ReadonlyMap<string, string> = readTexts();

const FILES = [...TEXTS.keys()].filter((file) => file.endsWith('.json')).sort();

/** Contents of the files. */
const CONTENTS: ReadonlyMap<string, unknown> = new Map(
  FILES.map((file) => [file, parse(TEXTS.get(file) ?? '')]),
);

function readTexts(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const name of readdirSync(BOOKSHOP, { recursive: true, encoding: 'utf8' })) {
    const file = name.split(path.sep).join('/');
    const isKept = FOLDERS.some((folder) => file.startsWith(`${folder}/`)) && !LEFT_OUT.test(file);
    if (isKept && path.extname(file) !== '') texts.set(file, readFileSync(path.join(BOOKSHOP, name), 'utf8'));
  }
  const manifest = JSON.parse(readFileSync(path.join(BOOKSHOP, MANIFEST), 'utf8'));
  const { listBooks } = manifest.components.module;
  const components = { ...manifest.components, module: { listBooks } };
  const generalCodeFiles = { base: manifest.generalCodeFiles.base };
  const isKept = (_: string, value: unknown): unknown =>
    typeof value === 'string' && LEFT_OUT.test(value) ? undefined : value;
  texts.set(MANIFEST, JSON.stringify({ ...manifest, generalCodeFiles, components }, isKept, 2));
  return texts;
}

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
    file: fc.oneof(fc.constantFrom(...FILES), fc.constant(MANIFEST)),
    changes: edits,
    cuts: fc.array(fc.tuple(fc.nat(), fc.nat(6), fc.constantFrom(...PIECES)), { maxLength: 2 }),
  })
  .map(({ file, changes, cuts }): Input => {
    const written = JSON.stringify(mutateJson(CONTENTS.get(file), changes), null, 2);
    const text = cuts.reduce((before, [at, length, by]) => {
      const start = at % (before.length + 1);
      return before.slice(0, start) + by + before.slice(start + length);
    }, written);
    return { file, text };
  });

/** The bookshop with one file damaged, as data and as text: it loads, or the error names a file. */
export function createFolders(): Target<Input> & Disposable {
  const folder = mkdtempSync(path.join(MEMORY, 'fuzz-'));
  for (const file of TEXTS.keys()) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    restore(folder, file);
  }
  let damaged = MANIFEST;
  return {
    name: 'folders',
    input: inputs,
    survive: async ({ file, text }) => {
      if (file !== damaged) restore(folder, damaged);
      damaged = file;
      writeFileSync(path.join(folder, file), text);
      try {
        await loadApp(folder);
      } catch (error) {
        if (!(error instanceof SpecError)) throw error;
        if (error.place?.file === undefined) throw new Error('The error names no file.', { cause: error });
      }
      assertPrototypes();
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A file system in memory, if available. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function restore(folder: string, file: string): void {
  writeFileSync(path.join(folder, file), TEXTS.get(file) ?? '');
}

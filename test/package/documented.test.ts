import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from '@typescript/typescript6';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Public entries of the package, with their published types. */
const ENTRIES: Readonly<Record<string, string>> = {
  '.': 'dist/types/index.d.ts',
  './iml': 'dist/types/language/index.d.ts',
  './parameters': 'dist/types/engine/parameters/index.d.ts',
  './scenario': 'dist/types/scenario/index.d.ts',
  './host': 'dist/types/host/index.d.ts',
  './rest': 'dist/types/rest/index.d.ts',
  './testing': 'dist/types/tools/testing/index.d.ts',
  './worker': 'dist/types/engine/pool/pool-worker.d.ts',
  './host-worker': 'dist/types/host/host-worker.d.ts',
};

/** Imported for its effect. */
const WORKER = path.join(ROOT, 'dist/types/engine/pool/pool-worker.d.ts');

function listUndocumented(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram([...files], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const isDocumented = (symbol: ts.Symbol): boolean => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return ts.displayPartsToString(target.getDocumentationComment(checker)).trim() !== '';
  };
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      const names = module === undefined ? [] : checker.getExportsOfModule(module);
      if (names.length === 0 && file !== WORKER) throw new Error(`${file} exports nothing.`);
      return [
        file,
        names
          .filter((symbol) => !isDocumented(symbol))
          .map(({ name }) => name)
          .sort(),
      ];
    }),
  );
}

describe('every public name has documentation', () => {
  const files = Object.values(ENTRIES).map((file) => path.join(ROOT, file));
  const found = listUndocumented(files);

  it.each(Object.entries(ENTRIES))('in %s', (_entry, file) => {
    expect(found.get(path.join(ROOT, file))).toEqual([]);
  });

  it('in all entries of the package', () => {
    const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { exports: object };
    const entries = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'));
    expect(Object.keys(ENTRIES).sort()).toEqual(entries.sort());
  });
});

it('published types import no optional package', () => {
  const folder = path.join(ROOT, 'dist/types');
  const imported = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .flatMap((file) => [
      ...readFileSync(path.join(folder, file), 'utf8').matchAll(/^(?:im|ex)port [^;]*?from '([^.'][^']*)'/gm),
    ])
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('node:'));
  expect([...new Set(imported)]).toEqual(['undici']);
});

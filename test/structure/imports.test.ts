import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { librariesLoadedBy, nodeModulesLoadedBy, sourceFiles, sourceImports } from './source-imports.js';

/** Layers in the order of the data flow. A layer imports only from itself and earlier ones. */
const ORDER = [
  ...['shared', 'shared/errors', 'shared/server', 'shared/schema', 'shared/store', 'language'],
  ...[
    'engine/document',
    'engine/http',
    'engine/redaction',
    'engine/sandbox',
    'engine/run',
    'engine/parameters',
  ],
  ...['engine/component', 'engine/connection', 'engine/module', 'engine/webhook'],
  ...['engine/loading', 'engine', 'engine/pool'],
  ...[
    'scenario',
    'host',
    'rest',
    'tools/mcp',
    'tools/check',
    'tools/testing',
    'tools/life',
    'tools/lsp',
    'tools/dev',
    'tools/cli',
    'tools/vscode',
  ],
];

const SHARED = ORDER.filter((layer) => layer.startsWith('shared'));

/** Layers with fewer allowed imports than their position implies. */
const ISLANDS: Readonly<Record<string, readonly string[]>> = {
  'shared/server': ['shared'],
  'shared/schema': ['shared', 'shared/errors'],
  'shared/store': ['shared', 'shared/errors'],
  language: ['shared', 'shared/errors'],
  'engine/sandbox': ['shared', 'shared/errors', 'language'],
  rest: SHARED,
  // It runs in the editor, with the `iml` of a workspace.
  'tools/vscode': ['shared'],
};

/** Only the CLI and the contract suites may import it. */
const REST_USERS: readonly string[] = ['tools/cli', 'tools/testing'];

/** Libraries that only one module imports. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  '#moment': /^language\/date\/zone\.ts$/,
  'moment-timezone': /^language\/date\/(zone|moment-at-once|moment-at-first-use)\.ts$/,
  undici: /^engine\/http\//,
  ajv: /^shared\/schema\//,
  jsonata: /^tools\/(testing|cli)\//,
  mime: /^language\/functions\/text\.ts$/,
  'jsonc-parser': /^(engine\/document|tools\/lsp|rest\/resources)\//,
  vscode: /^tools\/vscode\//,
  'vscode-languageclient/node.js': /^tools\/vscode\/language-server\.ts$/,
  yaml: /^tools\/life\/openapi\//,
};

const internal = sourceImports.filter(({ isInternal }) => isInternal);

/** The layer of a file: the longest name in `ORDER` that its path starts with. */
const layerOf = (file: string): string =>
  ORDER.filter((layer) => file.startsWith(`${layer}/`)).sort((a, b) => b.length - a.length)[0] ?? '';

/** A folder inside a layer, or a file directly in the layer. */
const folderOf = (file: string): string => (layerOf(file) === path.dirname(file) ? file : path.dirname(file));

/** Public entries come after all folders. */
const isEntry = (file: string): boolean => /(^|\/)index\.ts$/.test(file);

function maySee(source: string, target: string): boolean {
  if (target === 'rest') return REST_USERS.includes(source);
  return (ISLANDS[source] ?? ORDER.slice(0, ORDER.indexOf(source))).includes(target);
}

describe('imports', () => {
  it('name existing files, never a folder', () => {
    const known = new Set(sourceFiles);
    expect(internal.filter(({ to }) => !known.has(to))).toEqual([]);
  });

  it('follow the order of the layers', () => {
    const wrong = internal.filter(({ from, to }) => {
      const [source, target] = [layerOf(from), layerOf(to)];
      return source !== target && from !== 'index.ts' && !maySee(source, target);
    });
    expect(wrong).toEqual([]);
  });

  it('never refer to a public entry', () => {
    expect(internal.filter(({ from, to }) => isEntry(to) && from !== to)).toEqual([]);
  });

  it('keep each library in its module', () => {
    const strangers = sourceImports.filter(
      ({ from, to }) => OWNERS[to] !== undefined && !OWNERS[to].test(from),
    );
    expect(strangers).toEqual([]);
  });

  it('form no cycle of folders', () => {
    const next = new Map<string, Set<string>>();
    for (const { from, to } of internal) {
      const [source, target] = [folderOf(from), folderOf(to)];
      if (source !== target) next.set(source, (next.get(source) ?? new Set()).add(target));
    }
    expect(findCycle(new Map([...next].map(([room, targets]) => [room, [...targets]])))).toBeUndefined();
  });

  it('form no cycle of files, including type imports', () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of internal) next.set(from, [...(next.get(from) ?? []), to]);
    expect(findCycle(next)).toBeUndefined();
  });
});

/**
 * Libraries that importing an entry loads at once. `#moment` loads only a few lines in Node. All others load lazily;
 * optional peers may be missing.
 */
const LOADED: readonly (readonly [entry: string, libraries: readonly string[]])[] = [
  ['language/index.ts', ['#moment', 'decimal.js', 'mime']],
  ['index.ts', ['#moment', 'decimal.js', 'mime', 'p-limit']],
  ['scenario/index.ts', ['#moment', 'decimal.js', 'mime']],
  ['host/index.ts', ['#moment', 'decimal.js', 'mime']],
  ['rest/index.ts', ['ajv/dist/2020.js']],
  ['engine/parameters/index.ts', ['#moment']],
  [
    'tools/testing/index.ts',
    ['#moment', 'ajv/dist/2020.js', 'decimal.js', 'jsonc-parser', 'mime', 'p-limit'],
  ],
  ['tools/cli/main.ts', []],
];

describe('a public entry loads', () => {
  it.each(LOADED)('%s: %j', (entry, libraries) => {
    expect(librariesLoadedBy(entry)).toEqual(libraries);
  });

  it('nothing unlisted: the table has every entry', () => {
    const entries = sourceFiles.filter(isEntry).concat('tools/cli/main.ts');
    expect(LOADED.map(([entry]) => entry).sort()).toEqual(entries.sort());
  });

  it('no module of Node in ./iml, which runs in browsers', () => {
    expect(nodeModulesLoadedBy('language/index.ts')).toEqual([]);
  });
});

function findCycle(next: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of next.get(file) ?? []) {
      const cycle = visit(target, [...trail, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

it('the bundles name files that exist; otherwise processes load more files', () => {
  const config = path.resolve(import.meta.dirname, '../../.config');
  const texts = ['bundling', 'bundle-bin', 'bundle-node'].map((name) =>
    readFileSync(path.join(config, `${name}.mjs`), 'utf8'),
  );
  const named = texts.flatMap((text) =>
    [...text.matchAll(/'(src\/[^']+\.ts)'/g)].map(([, file]) => file ?? ''),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(path.join(config, '..', file)))).toEqual([]);
});

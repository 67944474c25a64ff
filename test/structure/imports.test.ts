import { describe, expect, it } from 'vitest';
import { librariesLoadedBy, nodeModulesLoadedBy, sourceFiles, sourceImports } from './source-imports.js';

/** Folders in the order of the data flow. A folder imports only from itself and earlier ones. */
const ORDER = [
  ...[
    'util',
    'errors',
    'server',
    'iml',
    'schema',
    'document',
    'http',
    'redaction',
    'sandbox',
    'run',
    'parameters',
  ],
  ...[
    'component',
    'connection',
    'trigger',
    'module',
    'webhook',
    'app',
    'pool',
    'scenario',
    'store',
    'host',
    'check',
    'testing',
    'lsp',
    'dev',
  ],
  'cli',
];

/** Folders with fewer allowed imports than their position implies. */
const ISLANDS: Readonly<Record<string, readonly string[]>> = {
  iml: ['util', 'errors'],
  schema: ['util', 'errors'],
  sandbox: ['util', 'errors', 'iml'],
  server: [],
  store: ['util', 'errors'],
  rest: ['util', 'errors', 'server', 'schema', 'store'],
};

/** Only the CLI and the contract suites may import it. */
const REST_USERS: readonly string[] = ['cli', 'testing'];

/** Libraries that only one module imports. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  '#moment': /^iml\/date\/zone\.ts$/,
  'moment-timezone': /^iml\/date\/(zone|moment-at-once|moment-at-first-use)\.ts$/,
  undici: /^http\//,
  ajv: /^schema\//,
  jsonata: /^(testing|cli)\//,
  mime: /^iml\/functions\/text\.ts$/,
  'jsonc-parser': /^(document|lsp)\//,
};

const internal = sourceImports.filter(({ isInternal }) => isInternal);
const folderOf = (file: string): string => file.split('/')[0] ?? '';

/** A subfolder of a stage, or a file directly in the stage. */
const subfolderOf = (file: string): string => {
  const [stage = '', ...rest] = file.split('/');
  return rest.length > 1 ? `${stage}/${rest[0]}` : file;
};

/** Public entries come after all folders. */
const isEntry = (file: string): boolean => file === 'index.ts' || /^[a-z]+\/index\.ts$/.test(file);

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
      const [source, target] = [folderOf(from), folderOf(to)];
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
      const [source, target] = [subfolderOf(from), subfolderOf(to)];
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
  ['iml/index.ts', ['#moment', 'decimal.js', 'mime']],
  ['index.ts', ['#moment', 'decimal.js']],
  ['scenario/index.ts', ['#moment', 'decimal.js', 'mime']],
  ['host/index.ts', ['#moment', 'decimal.js', 'mime']],
  ['rest/index.ts', ['ajv/dist/2020.js']],
  ['parameters/index.ts', []],
  ['testing/index.ts', ['#moment', 'ajv/dist/2020.js', 'decimal.js', 'jsonc-parser', 'mime', 'p-limit']],
  ['cli/main.ts', []],
];

describe('a public entry loads', () => {
  it.each(LOADED)('%s: %j', (entry, libraries) => {
    expect(librariesLoadedBy(entry)).toEqual(libraries);
  });

  it('nothing unlisted: the table has every entry', () => {
    const entries = sourceFiles.filter(isEntry).concat('cli/main.ts');
    expect(LOADED.map(([entry]) => entry).sort()).toEqual(entries.sort());
  });

  it('no module of Node in ./iml, which runs in browsers', () => {
    expect(nodeModulesLoadedBy('iml/index.ts')).toEqual([]);
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

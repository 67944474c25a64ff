import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const exec = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const NAME = 'iml-runtime';

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

let home: string;
let installed: string;
let manifest: Manifest;

/** Packs the build as it is published and lays it into a `node_modules` that holds nothing else but its dependencies. */
beforeAll(async () => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'packed-')));
  const modules = path.join(home, 'node_modules');
  installed = path.join(modules, NAME);
  mkdirSync(installed, { recursive: true });
  // A scope of its own: whatever lies in the folders above has no say in what names mean.
  writeFileSync(path.join(home, 'package.json'), '{"private":true}');
  const { stdout } = await exec(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', home],
    { cwd: ROOT },
  );
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  await exec('tar', [
    '-xzf',
    path.join(home, packed?.filename ?? ''),
    '-C',
    installed,
    '--strip-components=1',
  ]);
  manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(manifest.dependencies)) {
    const target = path.join(modules, dependency);
    mkdirSync(path.dirname(target), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules', dependency), target);
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a script as a user of the package would have it, and gives what it prints as JSON. */
async function runModule(source: string): Promise<unknown> {
  const { stdout } = await exec(process.execPath, ['--input-type=module', '--eval', source], { cwd: home });
  return JSON.parse(stdout);
}

function specifierOf(entry: string): string {
  return NAME + entry.slice(1);
}

/** Names that code blocks of the README import, by entry. */
function documentedNames(): ReadonlyMap<string, readonly string[]> {
  const readme = readFileSync(path.join(installed, 'README.md'), 'utf8');
  const names = new Map<string, string[]>();
  for (const [, list = '', entry = ''] of readme.matchAll(/import \{([^}]+)\} from '(iml-runtime[^']*)'/g)) {
    names.set(entry, [...(names.get(entry) ?? []), ...list.split(',').map((name) => name.trim())]);
  }
  return names;
}

/** Values of the entries that stand: what each is for, named so that none goes missing unseen. */
const PROMISED: Readonly<Record<string, readonly string[]>> = {
  '.': [
    ...['loadApp', 'defineApp', 'createEngine', 'createUndiciTransport', 'createNetworkGuard'],
    ...['AppError', 'EngineError', 'ImlError', 'SpecError', 'TransportError', 'WebhookError'],
    ...[
      'DEFAULT_LIMITS',
      'ERROR_CODES',
      'APP_ERROR_TYPES',
      'validateParameters',
      'toPortable',
      'fromPortable',
    ],
  ],
  './iml': ['compile', 'evaluate', 'parse', 'print', 'functions'],
  './testing': ['runFixture', 'runVector', 'createScriptedTransport', 'createVirtualClock'],
};

describe('the packed package', () => {
  it('has a built file and types for every entry, and all of the source that source maps name', () => {
    for (const entry of Object.values(manifest.exports)) {
      const files = typeof entry === 'string' ? [entry] : [entry.types, entry.default];
      for (const file of files) expect(readFileSync(path.join(installed, file)).length).toBeGreaterThan(0);
    }
    const map = JSON.parse(readFileSync(path.join(installed, 'dist/index.js.map'), 'utf8')) as {
      sources: string[];
    };
    const sources = map.sources.map((source) => path.resolve(installed, 'dist', source));
    for (const source of sources) expect(readFileSync(source).length).toBeGreaterThan(0);
  });

  it('holds nothing but the build, the source and its papers', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
      'src',
    ]);
  });

  it('lets every entry be imported with nothing but its dependencies at hand', async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
    for (const entry of entries) {
      const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(specifierOf(entry))}))))`;
      const names = await runModule(script);
      expect(names).toEqual(expect.arrayContaining([...(PROMISED[entry] ?? [])]));
      expect((names as string[]).length).toBeGreaterThan(0);
    }
    expect(entries).toEqual(expect.arrayContaining(Object.keys(PROMISED)));
  });

  it('exports what the README imports', async () => {
    const documented = documentedNames();
    expect([...documented.keys()]).toContain(NAME);
    for (const [entry, names] of documented) {
      const script = `const all = await import('${entry}'); console.log(JSON.stringify(Object.keys(all)))`;
      expect(await runModule(script)).toEqual(expect.arrayContaining([...names]));
    }
  });

  it('keeps everything else to itself', async () => {
    const script = `
      const code = await import('${NAME}/dist/iml/parser.js').then(() => 'none', (error) => error.code);
      console.log(JSON.stringify(code));`;
    expect(await runModule(script)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('runs an app and an expression', async () => {
    const script = `
      import { createEngine, defineApp } from '${NAME}';
      import { evaluate } from '${NAME}/iml';
      const communication = { response: { output: '{{double(parameters.n)}}' } };
      const app = defineApp({
        name: 'a',
        modules: { m: { communication } },
        functions: { double: { code: 'function double(x) { return 2 * x; }' } },
      });
      const engine = createEngine({ app });
      const { bundles } = await engine.module('m').run({ parameters: { n: 21 } });
      await engine.close();
      console.log(JSON.stringify([bundles, evaluate('{{1 + 1}}')]));`;
    expect(await runModule(script)).toEqual([[42], 2]);
  });

  it('has a command that runs', async () => {
    const bin = path.join(installed, manifest.bin['iml'] ?? '');
    const version = await exec(process.execPath, [bin, '--version'], { cwd: home });
    expect(version.stdout).toBe(`${manifest.version}\n`);
    const sum = await exec(process.execPath, [bin, 'eval', '{{1 + 1}}'], { cwd: home });
    expect(sum.stdout).toContain('2');
  });
});

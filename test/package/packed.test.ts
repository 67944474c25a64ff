import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
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
import vm from 'node:vm';
import { type BuildResult, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testNodeEntries } from './node-entries.js';
import { packPackage } from './pack.js';

const exec = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const NAME = 'iml-runtime';

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Installs like `npm install`, and one without optional dependencies. */
let home: string;
let lean: string;
let installed: string;
let manifest: Manifest;

/** Packs the build as published and installs it into a `node_modules` with only its dependencies. */
beforeAll(async () => {
  home = realpathSync(mkdtempSync(path.join(emptyPlace(), 'packed-')));
  const modules = path.join(home, 'node_modules');
  installed = path.join(modules, NAME);
  mkdirSync(installed, { recursive: true });
  // Ends the package scope, so that parent folders do not affect module resolution.
  writeFileSync(path.join(home, 'package.json'), '{"private":true}');
  await exec('tar', ['-xzf', await packPackage(home), '-C', installed, '--strip-components=1']);
  manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  lean = realpathSync(mkdtempSync(path.join(emptyPlace(), 'lean-')));
  linkFiles(installed, path.join(lean, 'node_modules', NAME));
  writeFileSync(path.join(lean, 'package.json'), '{"private":true}');
  link(path.join(lean, 'node_modules'), manifest.dependencies);
  link(modules, { ...manifest.dependencies, ...manifest.optionalDependencies });
  // Writes thousands of files, which takes minutes on a busy machine.
}, 600_000);
afterAll(() => {
  for (const folder of [home, lean]) rmSync(folder, { recursive: true, force: true });
});

/** Links the same files into another folder, as no test writes to them. */
function linkFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkFiles(source, target);
    else linkSync(source, target);
  }
}

/** A parent for temporary folders without packages above it, which Node would resolve. */
function emptyPlace(): string {
  const place = [tmpdir(), '/var/tmp'].find((folder) => {
    const above = realpathSync(folder).split(path.sep);
    return above.every(
      (_, depth) => !existsSync(path.join(above.slice(0, depth + 1).join(path.sep) || '/', 'node_modules')),
    );
  });
  if (place === undefined) throw new Error('All folders for temporary files have node_modules above them.');
  return place;
}

function link(modules: string, dependencies: Manifest['dependencies']): void {
  for (const dependency of Object.keys(dependencies)) {
    const target = path.join(modules, dependency);
    mkdirSync(path.dirname(target), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules', dependency), target);
  }
}

/** Runs a script as a user of the package, and returns its JSON output. */
async function runModule(source: string, cwd = home): Promise<unknown> {
  const { stdout } = await exec(process.execPath, ['--input-type=module', '--eval', source], { cwd });
  return JSON.parse(stdout);
}

/** Imports entries in one process. @returns the exported names by entry */
async function listExports(
  entries: readonly string[],
  cwd?: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const script = `
    const exported = {};
    for (const entry of ${JSON.stringify(entries)}) exported[entry] = Object.keys(await import(entry));
    console.log(JSON.stringify(exported));`;
  return (await runModule(script, cwd)) as Readonly<Record<string, readonly string[]>>;
}

function specifierOf(entry: string): string {
  return NAME + entry.slice(1);
}

/** Names that code blocks of the README and the embedding page import, by entry. */
function documentedNames(): ReadonlyMap<string, readonly string[]> {
  const readme = ['README.md', 'docs/embedding.md']
    .map((file) => readFileSync(path.join(installed, file), 'utf8'))
    .join('\n');
  const names = new Map<string, string[]>();
  for (const [, list = '', entry = ''] of readme.matchAll(/import \{([^}]+)\} from '(iml-runtime[^']*)'/g)) {
    const values = list.split(',').map((name) => name.trim());
    names.set(entry, [...(names.get(entry) ?? []), ...values.filter((name) => !name.startsWith('type '))]);
  }
  return names;
}

/** The values that entries export, listed so that a missing one fails. */
const PROMISED: Readonly<Record<string, readonly string[]>> = {
  '.': [
    ...['loadApp', 'defineApp', 'createEngine', 'createUndiciTransport', 'createNetworkGuard'],
    ...['AppError', 'EngineError', 'ImlError', 'SpecError', 'TransportError', 'WebhookError'],
    ...['DEFAULT_LIMITS', 'ERROR_CODES', 'APP_ERROR_TYPES', 'toPortable', 'fromPortable'],
  ],
  './iml': ['compile', 'evaluate', 'parse', 'print', 'functions'],
  './parameters': ['parseForm', 'validateParameters', 'toJsonSchema'],
  './testing': [
    'runFixture',
    'runFixtures',
    'describeApp',
    'runVector',
    'mockTransport',
    'createVirtualClock',
    'restContract',
  ],
};

describe('the packed package', () => {
  it('has a built file and types for every entry', () => {
    for (const [name, entry] of Object.entries(manifest.exports)) {
      if (typeof entry === 'string') continue;
      expect(Object.keys(entry), name).toEqual(['types', 'default']);
      for (const file of Object.values(entry))
        expect(readFileSync(path.join(installed, file)).length).toBeGreaterThan(0);
    }
  });

  it('contains every file that its files import', () => {
    const files = readdirSync(path.join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.(?:js|d\.ts)$/.test(name) && !name.startsWith('page'))) {
      const text = readFileSync(path.join(installed, 'dist', file), 'utf8');
      const folder = path.join(installed, 'dist', path.dirname(file));
      for (const [, name = ''] of text.matchAll(/\b(?:from|import\()\s?["'](\.[^"']+)["']/g)) {
        const target = path.join(folder, file.endsWith('.d.ts') ? name.replace(/\.js$/, '.d.ts') : name);
        expect(existsSync(target), `${file}: ${name}`).toBe(true);
      }
    }
  });

  it('exports the JSON Schemas of all files by name', () => {
    expect(manifest.exports['./schemas/*.json']).toBe('./dist/schemas/*.json');
    const schemas = readdirSync(path.join(installed, 'dist/schemas'));
    expect(schemas).toEqual(expect.arrayContaining(['communication.schema.json', 'test.schema.json']));
    for (const name of schemas) {
      const text = readFileSync(path.join(installed, 'dist/schemas', name), 'utf8');
      expect(JSON.parse(text)).toHaveProperty('title');
    }
  });

  it('has the cases of the REST contract as data and plays them', async () => {
    const script = `
      import contract from 'iml-runtime/contracts/rest.json' with { type: 'json' };
      import { restContract } from 'iml-runtime/testing';
      const cases = restContract({ baseUrl: 'http://127.0.0.1:1/api/v2', tokens: { owner: 'x' } });
      console.log(JSON.stringify([contract.cases.map(({ id }) => id), cases.map(({ id }) => id)]));
    `;
    const source = JSON.parse(readFileSync(path.join(ROOT, 'spec-fixtures/rest-contract.json'), 'utf8'));
    const ids = (source as { cases: readonly { id: string }[] }).cases.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(await runModule(script)).toEqual([ids, ids]);
  });

  it('contains only the build and its documents', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'package.json',
    ]);
  });

  it('can be imported by every entry with only its dependencies', async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
    const exported = await listExports(entries.map(specifierOf));
    for (const entry of entries) {
      const names = exported[specifierOf(entry)] ?? [];
      expect(names).toEqual(expect.arrayContaining([...(PROMISED[entry] ?? [])]));
      // A worker is imported for its effect.
      if (entry !== './worker') expect(names.length).toBeGreaterThan(0);
    }
    expect(entries).toEqual(expect.arrayContaining(Object.keys(PROMISED)));
  });

  it('exports the names that the README imports', async () => {
    const documented = documentedNames();
    expect([...documented.keys()]).toContain(NAME);
    const exported = await listExports([...documented.keys()]);
    for (const [entry, names] of documented)
      expect(exported[entry]).toEqual(expect.arrayContaining([...names]));
  });

  it('exports nothing else', async () => {
    const script = `
      const code = await import('${NAME}/dist/language/syntax/parser.js').then(() => 'none', (error) => error.code);
      console.log(JSON.stringify(code));`;
    expect(await runModule(script)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('runs an app and an expression', async () => {
    const script = `
      import { createEngine, defineApp } from '${NAME}';
      import { evaluate } from '${NAME}/iml';
      const communication = { response: { output: { n: '{{double(parameters.n)}}' } } };
      const app = defineApp({
        name: 'a',
        modules: { m: { communication } },
        functions: { double: { code: 'function double(x) { return 2 * x; }' } },
      });
      const engine = createEngine({ app });
      const { bundles } = await engine.module('m').run({ parameters: { n: 21 } });
      await engine.close();
      console.log(JSON.stringify([bundles, evaluate('{{1 + 1}}')]));`;
    expect(await runModule(script)).toEqual([[{ n: 42 }], 2]);
  });

  it('installs only imported packages for the core, and works without optional ones', async () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual([
      '@jitl/quickjs-wasmfile-release-sync',
      'undici',
    ]);
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(['@opentelemetry/api', 'pg', 'pg-boss']);
    const exported = await listExports([NAME, `${NAME}/iml`, `${NAME}/scenario`], lean);
    expect(Object.values(exported).filter(({ length }) => length === 0)).toEqual([]);
  });
});

describe('the packed entries for Node', () => testNodeEntries(() => ({ home, installed })));

describe('the packed language', () => {
  const tokyo = '{{formatDate(parseDate("0"; "X"); "H:mm"; "Asia/Tokyo")}}';

  /** Bundles a script that uses the package. */
  async function bundle(platform: 'browser' | 'node', conditions?: string[]): Promise<BuildResult> {
    const contents = `import { evaluate } from '${NAME}/iml'; globalThis.said = evaluate('${tokyo}');`;
    return build({
      stdin: { contents, resolveDir: home },
      absWorkingDir: home,
      bundle: true,
      write: false,
      metafile: true,
      platform,
      format: 'iife',
      logLevel: 'error',
      ...(conditions && { conditions }),
    });
  }

  it('loads the time zones when an expression names one', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { evaluate } from '${NAME}/iml';
      const { cache } = createRequire(import.meta.url);
      const isLoaded = () => Object.keys(cache).some((file) => file.includes('moment-timezone'));
      const inUtc = evaluate('{{formatDate(parseDate("2024-02-29"; "YYYY-MM-DD"); "D.M.YYYY H:mm z")}}');
      console.log(JSON.stringify([inUtc, isLoaded(), evaluate('${tokyo}'), isLoaded()]));`;
    expect(await runModule(script)).toEqual(['29.2.2024 0:00 UTC', false, '9:00', true]);
  });

  it.each([
    ['a browser', 'browser', undefined],
    ['a browser, by the conditions of an edge', 'browser', ['worker']],
    ['Node', 'node', undefined],
  ] as const)('is bundled for %s with its time zones', async (_, platform, conditions) => {
    const { outputFiles = [], metafile } = await bundle(platform, conditions && [...conditions]);
    const files = Object.keys(metafile?.inputs ?? {}).map((file) => path.basename(file));
    expect(files).toContain('moment-at-once.js');
    expect(files).not.toContain('moment-at-first-use.js');
    // The required web globals, and nothing of Node.
    const world: Record<string, unknown> = { TextDecoder, TextEncoder, crypto };
    vm.runInNewContext(outputFiles[0]?.text ?? '', world);
    expect(world['said']).toBe('9:00');
  });
});

/** Runs the packed conformance runner in a folder where the package is installed. */
async function conform(cwd: string, ...args: readonly string[]): Promise<CommandResult> {
  const main = path.join('node_modules', NAME, 'dist/node/conformance.js');
  return exec(process.execPath, [main, ...args], { cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      out: stdout,
      err: stderr,
    }),
  );
}

describe('the packed conformance runner', () => {
  const vector = { id: 'v.1', template: '{{1 + 1}}', context: {}, expect: 2 };
  const fixture = {
    name: 'one',
    kind: 'action',
    input: {},
    expect: { bundles: [{ a: 1 }] },
    app: { communication: { url: 'https://a.example/x', response: { output: '{{body}}' } } },
    exchanges: [{ request: { method: 'GET' }, response: { status: 200, body: { a: 1 } } }],
  };

  it('runs vectors, fixtures and runs of an app in any folder, without the repository', async () => {
    const write = (file: string, content: unknown): void => {
      mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
      writeFileSync(path.join(home, file), JSON.stringify(content));
    };
    write('apps/shop/makecomapp.json', {
      generalCodeFiles: {},
      components: {
        module: {
          get: {
            moduleType: 'action',
            codeFiles: { communication: 'get.json', mappableParams: 'form.json' },
          },
        },
      },
    });
    write('apps/shop/get.json', { url: 'https://a.example/{{parameters.n + 1}}', response: {} });
    write('apps/shop/form.json', [{ name: 'n', type: 'number', required: true }]);
    const run = (name: string, parameters: object, expected: object, exchanges: readonly object[] = []) => ({
      name,
      kind: 'action',
      component: { type: 'module', name: 'get' },
      input: { parameters },
      exchanges,
      expect: expected,
    });
    write('cases/vectors.json', [vector]);
    write('cases/one.json', fixture);
    write('cases/shop.json', {
      formatVersion: 1,
      app: { corpus: 'apps/shop' },
      fixtures: [
        run('converted', { n: '2' }, { requestCount: 1 }, [
          { request: { url: 'https://a.example/3' }, response: { status: 200, body: {} } },
        ]),
        run('refused', {}, { error: { type: 'BundleValidationError' }, requestCount: 0 }),
      ],
    });
    expect(await conform(home, 'cases')).toEqual({ code: 0, out: '4 passed, 0 failed\n', err: '' });
    write('wrong/vectors.json', [{ ...vector, expect: 3 }]);
    write('wrong/misspelt.json', { ...fixture, expect: { bundels: [] } });
    write('disputed/vectors.json', [{ ...vector, expect: 3, disputed: 'sources differ' }]);
    const disputed = await conform(home, 'disputed');
    expect(disputed.code).toBe(1);
    expect(disputed.out).toContain('0 passed, 0 failed\nNo case ran that counts.\n');
    const wrong = await conform(home, 'wrong');
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('0 passed, 2 failed');
    expect(wrong.out).toContain('bundels');
  });

  it('prints its usage', async () => {
    const usage = await conform(home);
    expect(usage).toMatchObject({ code: 2, err: expect.stringMatching(/^Usage: node node_modules/) });
    expect(await conform(home, '--chek')).toMatchObject({ code: 2 });
  });
});

interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the installed command. With `until`, stops it like Ctrl-C after it has printed that text. */
function iml(args: readonly string[], cwd: string, until?: string): Promise<CommandResult> {
  const bin = path.join(cwd, 'node_modules', NAME, manifest.bin['iml'] ?? '');
  const env = { PATH: process.env['PATH'], HOME: home };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  let isStopped = false;
  const note = (stream: keyof typeof said) => (chunk: Buffer) => {
    said[stream] += String(chunk);
    if (isStopped || until === undefined || !said[stream].includes(until)) return;
    // Only once: a second signal would end it at once.
    isStopped = true;
    child.kill('SIGINT');
  };
  child.stdout.on('data', note('out'));
  child.stderr.on('data', note('err'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
}

describe('the packed command', () => {
  const app = (): string => {
    const folder = path.join(home, 'app');
    mkdirSync(folder, { recursive: true });
    const write = (file: string, content: unknown): void =>
      writeFileSync(path.join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
    write('makecomapp.json', {
      generalCodeFiles: {},
      components: {
        module: {
          double: {
            moduleType: 'action',
            codeFiles: { communication: 'double.json', mappableParams: 'params.json' },
          },
        },
        webhook: { events: { webhookType: 'web', codeFiles: { communication: 'events.json' } } },
        function: { double: { codeFiles: { code: 'double.js' } } },
      },
    });
    write('double.json', {
      response: {
        output: {
          n: '{{double(parameters.n)}}',
          at: '{{formatDate(parseDate("0"; "X"); "YYYY"; "Asia/Tokyo")}}',
        },
      },
    });
    write('params.json', [{ name: 'n', type: 'number' }]);
    write('events.json', { output: '{{body}}' });
    write('double.js', 'function double(x) { return 2 * x; }');
    return folder;
  };

  it('runs with only the packages that npm installs', async () => {
    const folder = app();
    expect(await iml(['--version'], home)).toMatchObject({ code: 0, out: `${manifest.version}\n` });
    expect(await iml(['eval', '{{1 + 1}}'], home)).toMatchObject({ code: 0, out: '2\n' });
    expect((await iml(['info', folder], home)).out).toContain('double  action');
    const run = await iml(['run', folder, 'double', '-p', 'n=21', '-q', 'bundles[0]'], home);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(run.out)).toEqual({ n: 42, at: '1970' });
    const served = await iml(['serve', folder, '--port', '0'], home, '/hooks/');
    expect(served).toMatchObject({ code: 0, err: expect.stringContaining('Listening on http://127.0.0.1:') });
    expect((await iml(['scenarios'], home)).out).toContain('"name"');
    expect(await iml(['events', 'list'], home)).toMatchObject({ code: 0, err: '' });
    const rest = await iml(['rest', '--port', '0', '--create'], home, 'shown this once');
    expect(rest).toMatchObject({ code: 0, err: '' });
  });

  it('lists all missing packages at once', async () => {
    const folder = app();
    const url = 'postgres://root@127.0.0.1:1/none';
    const postgres = await iml(['serve', folder, '--database', url], home);
    expect(postgres.code).toBe(1);
    expect(postgres.err).toContain('npm install pg');
    const sqlite = await iml(['serve', folder, '--port', '0'], lean);
    expect(sqlite.err).toContain('needs the package libsql, which is not installed: npm install libsql');
    const run = await iml(['run', folder, 'double', '-p', 'n=21', '-q', 'bundles[0].n'], lean);
    expect(run).toMatchObject({ code: 0, out: '42\n' });
  });

  it('has stack traces with names of the source', async () => {
    const bin = path.join(installed, manifest.bin['iml'] ?? '');
    const script = `process.argv = [process.argv[0], ${JSON.stringify(bin)}, 'eval', '-'];
      process.stdin[Symbol.asyncIterator] = () => { throw new TypeError('broken'); };
      await import(${JSON.stringify(bin)});`;
    const env = { ...process.env, IML_DEBUG: '1' };
    const { stderr } = await exec(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: home,
      env,
    }).catch((error: { stderr: string }) => error);
    expect(stderr).toContain('Internal error: TypeError: broken');
    expect(stderr).toMatch(/src\/tools\/cli\/process-io\.ts:\d+/);
  });
});

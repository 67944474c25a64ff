import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const exec = promisify(execFile);
const FIXTURES = path.resolve(import.meta.dirname, '../../spec-fixtures');
const ROOT = path.resolve(import.meta.dirname, '../..');
const NAME = 'iml-runtime';

/** The install location of the packed package. */
export interface Install {
  /** The folder of the package user. */
  readonly home: string;
  /** The folder of the package. */
  readonly installed: string;
}

/** Entries by their names in `dist/node`. */
const ENTRIES: Readonly<Record<string, string>> = {
  index: NAME,
  iml: `${NAME}/iml`,
  parameters: `${NAME}/parameters`,
  rest: `${NAME}/rest`,
  scenario: `${NAME}/scenario`,
  host: `${NAME}/host`,
  testing: `${NAME}/testing`,
};

/** Folders of entries that differ from their names. */
const FOLDERS: Readonly<Record<string, string>> = {
  index: '',
  iml: 'language',
  parameters: 'engine/parameters',
  testing: 'tools/testing',
};

/** An unbundled build file of an entry, which is not in the package. */
const unbundled = (name: string): string => path.join(ROOT, 'dist', FOLDERS[name] ?? name, 'index.js');

/** Prints the exported names, and which of them are the same object. */
const DESCRIBE = `
  const entries = await Promise.all(Object.entries(places).map(async ([entry, place]) => [entry, await import(place)]));
  const names = new Map();
  const kindOf = (value) => {
    if (typeof value === 'function') return [/^class\\b/.test(String(value)) ? 'class' : 'function', value.name, value.length];
    if (value === null || typeof value !== 'object') return value;
    return [Object.prototype.toString.call(value), Object.isFrozen(value), Array.isArray(value) ? value.length : Object.keys(value)];
  };
  const kinds = entries.map(([entry, exported]) => [entry, Object.entries(exported).map(([name, value]) => [name, kindOf(value)])]);
  for (const [entry, exported] of entries) {
    for (const [name, value] of Object.entries(exported)) {
      if (Object(value) === value) names.set(value, [...(names.get(value) ?? []), entry + ' ' + name]);
    }
  }
  const { EngineError, ImlError } = entries.find(([entry]) => entry === 'index')[1];
  const { evaluate } = entries.find(([entry]) => entry === 'iml')[1];
  const { createForwardBackend } = entries.find(([entry]) => entry === 'rest')[1];
  const isOf = (type, act) => { try { act(); } catch (error) { return error instanceof type; } };
  const thrown = [isOf(ImlError, () => evaluate('{{')), isOf(EngineError, () => createForwardBackend({}))];
  console.log(JSON.stringify({ kinds, same: [...names.values()].filter(({ length }) => length > 1), thrown }));`;

/** Tests of the bundled files for Node: they behave like the unbundled ones. */
export function testNodeEntries(install: () => Install): void {
  const folder = (): string => path.join(install().installed, 'dist/node');

  async function run(source: string, ...flags: readonly string[]): Promise<string> {
    const args = [...flags, '--input-type=module', '--eval', source];
    return (await exec(process.execPath, args, { cwd: install().home, maxBuffer: 2 ** 26 })).stdout;
  }

  it('are resolved by Node', async () => {
    const names = JSON.stringify(Object.values(ENTRIES));
    const found = await run(`console.log(JSON.stringify(${names}.map((name) => import.meta.resolve(name))))`);
    const files = Object.keys(ENTRIES).map((name) => new URL(`file://${folder()}/${name}.js`).href);
    expect(JSON.parse(found)).toEqual(files);
  });

  it('export the same names, and the same objects, in all entries', async () => {
    const describe = async (place: (name: string) => string): Promise<unknown> => {
      const places = Object.fromEntries(Object.keys(ENTRIES).map((name) => [name, place(name)]));
      return JSON.parse(await run(`const places = ${JSON.stringify(places)}; ${DESCRIBE}`));
    };
    const plain = await describe(unbundled);
    expect(await describe((name) => ENTRIES[name] ?? '')).toEqual(plain);
    expect(plain).toMatchObject({ thrown: [true, true] });
    expect(plain).toHaveProperty('same', expect.arrayContaining([['index ImlError', 'iml ImlError']]));
  });

  it('load few files, and no package that separate files would not load', async () => {
    for (const name of Object.keys(ENTRIES)) {
      const bundled = await loadedAtOnce(path.join(folder(), `${name}.js`));
      const plain = await loadedAtOnce(unbundled(name));
      // A small entry shares chunks with larger ones.
      const most = Math.max(30, plain.files.length / 5);
      expect(bundled.files.length, `files of ${name}`).toBeLessThanOrEqual(most);
      expect(plain.packages).toEqual(expect.arrayContaining([...bundled.packages]));
    }
  });

  it('have stack traces with functions and lines of the source', async () => {
    const script = `import { evaluate } from '${NAME}/iml';
      try { evaluate('{{1 +}}'); } catch (error) { console.log(error.stack); }`;
    const stack = await run(script, '--enable-source-maps');
    const [, file = '', line] = /at evaluate \((.+\/compile\.ts):(\d+):\d+\)/.exec(stack) ?? [];
    expect(path.relative(install().installed, file)).toBe('src/language/compile.ts');
    const lines = readFileSync(path.join(ROOT, 'src/language/compile.ts'), 'utf8').split('\n');
    expect(lines[Number(line) - 1]).toContain('return compile(');
  });

  it('show one line of code with an uncaught error', async () => {
    const script = `import { defineApp } from '${NAME}'; defineApp({ name: 'a', connections: { c: { type: 'x' } } });`;
    const { stderr } = await run(script).then(
      () => ({ stderr: '' }),
      (error: { readonly stderr: string }) => error,
    );
    expect(stderr).toContain('/connections/c/type: "x" is not a type of a connection');
    expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThan(1500);
  });

  it('give the same results for all vectors and fixtures as the separate files', async () => {
    const judge = async (testing: string): Promise<readonly (readonly string[])[]> =>
      JSON.parse(
        await run(`
          import { readdirSync, readFileSync } from 'node:fs';
          import { runFixture, runVector } from ${JSON.stringify(testing)};
          const results = [];
          for (const folder of ['iml', 'runtime', 'signing', 'parameters']) {
            const place = ${JSON.stringify(FIXTURES)} + '/' + folder + '/';
            for (const file of readdirSync(place).filter((name) => name.endsWith('.json')).sort()) {
              for (const test of [JSON.parse(readFileSync(place + file, 'utf8'))].flat()) {
                if ('template' in test) results.push(runVector(test));
                else if ('exchanges' in test) results.push(await runFixture(test));
              }
            }
          }
          console.log(JSON.stringify(results));`),
      );
    const plain = await judge(unbundled('testing'));
    expect(plain.filter(({ length }) => length === 0).length).toBeGreaterThan(500);
    expect(await judge(`${NAME}/testing`)).toEqual(plain);
  });

  it('find the prepared QuickJS of the build', async () => {
    const image = path.join(install().installed, 'dist/sandbox/quickjs.image');
    const whole = readFileSync(image);
    const script = `
      import { createEngine, defineApp } from '${NAME}';
      const engine = createEngine({ app: defineApp({
        name: 'a',
        modules: { m: { communication: { response: { output: { n: '{{one()}}' } } } } },
        functions: { one: { code: 'function one() { return 1; }' } },
      }) });
      console.log(await engine.module('m').run().then(({ ok }) => ok, (error) => error.name));`;
    expect(await run(script)).toBe('true\n');
    // The engine creates a missing image, and rejects a broken one.
    writeFileSync(image, 'broken');
    try {
      expect(await run(script)).toBe('RangeError\n');
    } finally {
      writeFileSync(image, whole);
    }
  });
}

interface Loaded {
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** The file of an entry and all its static imports. */
async function loadedAtOnce(entry: string): Promise<Loaded> {
  const folder = path.dirname(entry);
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    write: false,
    outdir: folder,
    metafile: true,
    packages: 'external',
    platform: 'node',
    conditions: ['node'],
    format: 'esm',
    treeShaking: false,
    logLevel: 'error',
  });
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path: next, kind, external } of metafile.inputs[file]?.imports ?? []) {
      if (kind !== 'import-statement') continue;
      if (external !== true) visit(next);
      else if (!next.startsWith('node:')) packages.add(next);
    }
  };
  visit(path.basename(entry));
  return { files: [...files], packages: [...packages] };
}

import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import webpack from 'webpack';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');

/** An app with a custom function and a time zone, whose data the package loads on first use. */
const SERVER = `
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createEngine, defineApp } from '${ROOT}/dist/node/index.js';
const output = { n: '{{one()}}', at: '{{formatDate("2020-01-02T23:30:00Z"; "DD/MM/YYYY HH:mm"; "Europe/Prague")}}' };
const app = defineApp({
  name: 'a',
  modules: { m: { communication: { response: { output } } } },
  functions: { one: { code: 'function one() { return 1; }' } },
});
const quickJsWasm = readFileSync(path.join(process.argv[2], 'quickjs.wasm'));
createEngine({ app, quickJsWasm }).module('m').run().then(({ bundles, error }) => console.log(JSON.stringify(bundles ?? String(error))));
`;

const home = mkdtempSync(path.join(tmpdir(), 'bundlers-'));
const entry = path.join(home, 'server.mjs');

beforeAll(() => {
  writeFileSync(entry, SERVER);
  copyFileSync(WASM, path.join(home, 'quickjs.wasm'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Bundles the server into a folder, and returns the file to start and the warnings. */
type Bundler = (folder: string) => Promise<{ readonly file: string; readonly warnings: readonly string[] }>;

const BUNDLERS: Readonly<Record<string, Bundler>> = {
  async webpack(folder) {
    const options: webpack.Configuration = {
      mode: 'production',
      target: 'node20',
      entry,
      output: { path: folder, filename: 'server.cjs' },
      optimization: { minimize: false },
    };
    const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
      webpack(options, (error, result) => (error ? reject(error) : resolve(result)));
    });
    const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
    expect(errors.map(({ message }) => message)).toEqual([]);
    return { file: 'server.cjs', warnings: warnings.map(({ message }) => message) };
  },
  async 'Vite for a server'(folder) {
    const { build } = await import('vite');
    await build({
      root: home,
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: { ssr: entry, outDir: folder, rolldownOptions: { output: { entryFileNames: 'server.mjs' } } },
    });
    return { file: 'server.mjs', warnings: [] };
  },
};

describe('a server that is bundled', () => {
  it.each(Object.entries(BUNDLERS))('runs an app with %s', async (name, bundle) => {
    const folder = path.join(home, name.split(' ')[0] ?? '');
    const { file, warnings } = await bundle(folder);
    // Requires of packages that a bundler cannot follow are no fault of the server.
    expect(warnings.filter((text) => !text.startsWith('Critical dependency: require function'))).toEqual([]);
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(folder, file), home], {
      cwd: ROOT,
    });
    expect(JSON.parse(stdout)).toEqual([{ n: 1, at: '03/01/2020 00:30' }]);
  });
});

import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');

const SERVER = `
import { readFileSync } from 'node:fs';
import { createEngine, createEnginePool, defineApp } from '${ROOT}/dist/node/index.js';
const app = {
  name: 'a',
  modules: { m: { communication: { response: { output: { n: '{{one()}}', year: '{{formatDate("2020-01-02"; "YYYY")}}' } } } } },
  functions: { one: { code: 'function one() { return 1; }' } },
};
const said = [];
const attempt = (work) => work().then((value) => said.push(value), (error) => said.push(error.code));
const run = (quickJsWasm) => async () => (await createEngine({ app: defineApp(app), quickJsWasm }).module('m').run()).bundles;
await attempt(run(undefined));
await attempt(run(readFileSync(new URL('./quickjs.wasm', import.meta.url))));
await attempt(async () => createEnginePool());
const pool = createEnginePool({ worker: new URL('./worker.js', import.meta.url), setup: new URL('./setup.js', import.meta.url) });
await attempt(async () => (await pool.app(app).module('m').run()).bundles);
await pool.close();
console.log(JSON.stringify(said));
`;

/** A deployment folder without packages. */
const folder = mkdtempSync(path.join(tmpdir(), 'server-bundle-'));

beforeAll(() => {
  if (!existsSync(path.join(ROOT, 'dist/node/index.js')))
    execFileSync('npm', ['run', '-s', 'build'], { cwd: ROOT });
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    path.join(folder, 'setup.js'),
    `import { readFileSync } from 'node:fs';
    export default { quickJsWasm: readFileSync(new URL('./quickjs.wasm', import.meta.url)) };`,
  );
  copyFileSync(WASM, path.join(folder, 'quickjs.wasm'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a bundle for a server', () => {
  it.each([false, true])(
    'runs engines and pools, or reports what it lacks (minified: %s)',
    async (minify) => {
      const worker = `import '${ROOT}/dist/node/pool-worker.js';`;
      for (const [name, contents] of [
        ['server', SERVER],
        ['worker', worker],
      ] as const) {
        await build({
          stdin: { contents, resolveDir: ROOT },
          outfile: path.join(folder, `${name}.js`),
          bundle: true,
          minify,
          platform: 'node',
          format: 'esm',
          logLevel: 'silent',
        });
      }
      const { stdout } = await promisify(execFile)(process.execPath, ['server.js'], { cwd: folder });
      const bundles = [{ n: 1, year: '2020' }];
      expect(JSON.parse(stdout)).toEqual(['PACKAGE_MISSING', bundles, 'USAGE', bundles]);
    },
  );
});

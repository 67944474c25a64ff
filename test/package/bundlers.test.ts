import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import webpack from 'webpack';
import { packPackage } from './pack.js';

const exec = promisify(execFile);
const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');

/** An app with a custom function and a time zone, whose data the package loads on first use. */
const ENGINE = `
import { createEngine, defineApp } from 'iml-runtime';
const output = { n: '{{one()}}', at: '{{formatDate("2020-01-02T23:30:00Z"; "DD/MM/YYYY HH:mm"; "Europe/Prague")}}' };
const app = defineApp({
  name: 'a',
  modules: { m: { communication: { response: { output } } } },
  functions: { one: { code: 'function one() { return 1; }' } },
});
const run = async (options) => {
  const { bundles, error } = await createEngine({ app, ...options }).module('m').run();
  return bundles ?? String(error);
};
`;

const SERVER = `
import { readFileSync } from 'node:fs';
import path from 'node:path';
${ENGINE}
const quickJsWasm = readFileSync(path.join(process.argv[2], 'quickjs.wasm'));
run({ quickJsWasm }).then((bundles) => console.log(JSON.stringify(bundles)));
`;

const BUNDLES = [{ n: 1, at: '03/01/2020 00:30' }];

/** A project that has installed the package. */
let home: string;
const bin = (name: string): string => path.join(home, 'node_modules/.bin', name);

beforeAll(async () => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'bundlers-')));
  writeFileSync(path.join(home, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(path.join(home, 'server.mjs'), SERVER);
  copyFileSync(WASM, path.join(home, 'quickjs.wasm'));
  const plugins = ['commonjs', 'json', 'node-resolve'].map((name) => `@rollup/plugin-${name}`);
  const packages = [await packPackage(home), 'rollup@4', ...plugins, 'next@16', 'react@19', 'react-dom@19'];
  await exec('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: home });
}, 600_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Bundles the server into a folder, and returns the file to start and the warnings. */
type Bundler = (folder: string) => Promise<{ readonly file: string; readonly warnings: readonly string[] }>;

const BUNDLERS: Readonly<Record<string, Bundler>> = {
  async webpack(folder) {
    const options: webpack.Configuration = {
      mode: 'production',
      target: 'node20',
      context: home,
      entry: path.join(home, 'server.mjs'),
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
      build: {
        ssr: path.join(home, 'server.mjs'),
        outDir: folder,
        rolldownOptions: { output: { entryFileNames: 'server.mjs' } },
      },
    });
    return { file: 'server.mjs', warnings: [] };
  },
  async Rollup(folder) {
    const plugins = ['node-resolve', 'commonjs', 'json'].flatMap((name) => ['--plugin', name]);
    await exec(bin('rollup'), ['server.mjs', '--dir', folder, ...plugins], { cwd: home });
    return { file: 'server.js', warnings: [] };
  },
};

describe('a server that is bundled', () => {
  it.each(Object.entries(BUNDLERS))('runs an app with %s', async (name, bundle) => {
    const folder = path.join(home, `build-${name.split(' ')[0]}`);
    const { file, warnings } = await bundle(folder);
    // Requires that a bundler cannot follow are no fault of the server, and only tracing needs the optional package.
    const known = /^Critical dependency: require function|Can't resolve '@opentelemetry\/api'/;
    expect(warnings.filter((text) => !known.test(text))).toEqual([]);
    const { stdout } = await exec(process.execPath, [path.join(folder, file), home], { cwd: home });
    expect(JSON.parse(stdout)).toEqual(BUNDLES);
  });
});

describe('Next.js', () => {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };

  beforeAll(() => {
    mkdirSync(path.join(home, 'app/orders'), { recursive: true });
    const route =
      "export const dynamic = 'force-dynamic';\nexport const GET = async () => Response.json(await run());";
    const files = {
      'next.config.js': "export default { serverExternalPackages: ['iml-runtime'] };",
      'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
      'app/page.js': 'export default () => <p>Orders</p>;',
      'app/orders/route.js': `${ENGINE}\n${route}`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text);
  });

  it.each(['webpack', 'turbopack'])(
    'builds and serves a route that runs an app, with %s',
    async (bundler) => {
      await exec(bin('next'), ['build', `--${bundler}`], { cwd: home, env });
      const server = spawn(bin('next'), ['start', '--port', '0'], { cwd: home, env, detached: true });
      try {
        const url = await new Promise<string>((resolve, reject) => {
          let output = '';
          const read = (text: Buffer): void => {
            output += text.toString();
            const [, found] = /(http:\/\/localhost:\d+)[\s\S]*Ready/.exec(output) ?? [];
            if (found !== undefined) resolve(found);
          };
          server.stdout.on('data', read);
          server.stderr.on('data', read);
          server.once('exit', () => reject(new Error(output)));
        });
        expect(await (await fetch(`${url}/orders`)).json()).toEqual(BUNDLES);
      } finally {
        if (server.pid !== undefined) process.kill(-server.pid);
      }
    },
  );
});

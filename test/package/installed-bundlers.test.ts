import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packPackage } from './pack.js';

const exec = promisify(execFile);

/** An app with a custom function, which needs the WebAssembly of QuickJS, and a time zone. */
const ENGINE = `
import { createEngine, defineApp } from 'iml-runtime';
const output = { n: '{{one()}}', at: '{{formatDate("2020-01-02T23:30:00Z"; "DD/MM/YYYY HH:mm"; "Europe/Prague")}}' };
const app = defineApp({
  name: 'a',
  modules: { m: { communication: { response: { output } } } },
  functions: { one: { code: 'function one() { return 1; }' } },
});
const engine = createEngine({ app });
const run = async () => {
  const { bundles, error } = await engine.module('m').run();
  return bundles ?? String(error);
};
`;

const BUNDLES = [{ n: 1, at: '03/01/2020 00:30' }];

let home: string;

beforeAll(async () => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'bundlers-')));
  writeFileSync(path.join(home, 'package.json'), '{"private":true,"type":"module"}');
  const rollup = [
    'rollup@4',
    ...['commonjs', 'json', 'node-resolve'].map((name) => `@rollup/plugin-${name}`),
  ];
  const packages = [await packPackage(home), ...rollup, 'next@16', 'react@19', 'react-dom@19'];
  await exec('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: home });
}, 600_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const bin = (name: string): string => path.join(home, 'node_modules/.bin', name);

describe('Rollup', () => {
  it('bundles a server that runs an app', async () => {
    writeFileSync(path.join(home, 'server.js'), `${ENGINE}\nconsole.log(JSON.stringify(await run()));`);
    const plugins = ['node-resolve', 'commonjs', 'json'].flatMap((name) => ['--plugin', name]);
    await exec(bin('rollup'), ['server.js', '--dir', 'build', ...plugins], { cwd: home });
    const { stdout } = await exec(process.execPath, ['build/server.js'], { cwd: home });
    expect(JSON.parse(stdout)).toEqual(BUNDLES);
  });
});

describe('Next.js', () => {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };

  beforeAll(() => {
    const put = (file: string, text: string): void => {
      mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
      writeFileSync(path.join(home, file), text);
    };
    put('next.config.js', "export default { serverExternalPackages: ['iml-runtime'] };");
    put('app/layout.js', 'export default ({ children }) => <html><body>{children}</body></html>;');
    put('app/page.js', 'export default () => <p>Orders</p>;');
    const route =
      "export const dynamic = 'force-dynamic';\nexport const GET = async () => Response.json(await run());";
    put('app/orders/route.js', `${ENGINE}\n${route}`);
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

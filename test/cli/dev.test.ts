import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startCli } from './fake-io.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'iml-dev-'));
  cpSync(path.resolve(import.meta.dirname, '../../spec-fixtures/bookshop'), path.join(home, 'app'), {
    recursive: true,
  });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const ARGS = ['dev', 'app', '--port', '0'];

it('prints an address with the token and serves until it is stopped', async () => {
  let told: (address: string) => void = () => {};
  const address = new Promise<string>((resolve) => {
    told = resolve;
  });
  const { code, stop, errors } = startCli(ARGS, {
    cwd: home,
    env: { XDG_CONFIG_HOME: path.join(home, 'config') },
    onOut: told,
  });
  const { origin, hash } = new URL((await address).trim());
  const token = /^#token=([\w-]{32,})$/.exec(hash)?.[1] ?? '';
  expect((await fetch(`${origin}/api/app`)).status).toBe(401);
  const { status } = await fetch(`${origin}/api/app`, { headers: { authorization: `Bearer ${token}` } });
  expect(status).toBe(200);
  stop();
  expect(await code).toBe(0);
  expect(errors()).not.toContain(token);
});

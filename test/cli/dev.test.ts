import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, startCli } from './fake-io.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'iml-dev-'));
  cpSync(path.resolve(import.meta.dirname, '../../spec-fixtures/bookshop'), path.join(home, 'app'), {
    recursive: true,
  });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const ARGS = ['dev', 'app', '--port', '0'];

it('uses the token of IML_DEV_TOKEN and serves until it is stopped', async () => {
  const token = 'a-token-of-more-than-32-characters-0001';
  let told: (address: string) => void = () => {};
  const address = new Promise<string>((resolve) => {
    told = resolve;
  });
  const { code, stop, errors } = startCli(ARGS, {
    cwd: home,
    env: { IML_DEV_TOKEN: token, XDG_CONFIG_HOME: path.join(home, 'config') },
    onOut: told,
  });
  const { origin, hash } = new URL((await address).trim());
  expect(hash).toBe(`#token=${token}`);
  expect((await fetch(`${origin}/api/app`)).status).toBe(401);
  const { status } = await fetch(`${origin}/api/app`, { headers: { authorization: `Bearer ${token}` } });
  expect(status).toBe(200);
  stop();
  expect(await code).toBe(0);
  expect(errors()).toContain(`MCP at ${origin}/mcp`);
  expect(errors()).not.toContain(token);
});

it.each(['short', 'x'.repeat(201), `${'x'.repeat(40)} y`])('refuses a token such as %s', async (token) => {
  const { code, err } = await cli(ARGS, { cwd: home, env: { IML_DEV_TOKEN: token } });
  expect(code).toBe(2);
  expect(err).toContain('IML_DEV_TOKEN: expected 32 to 200 letters');
  expect(err).not.toContain(token);
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.js';

const CLI = join(import.meta.dirname, '../../node_modules/@makehq/cli/dist/index.js');

let stage: TestServer;

beforeAll(async () => {
  stage = await startTestServer({ tls: true });
});
afterAll(() => stage.close());

async function cli(...args: readonly string[]): Promise<unknown> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    MAKE_API_KEY: stage.token,
    MAKE_ZONE: stage.zone,
    NODE_EXTRA_CA_CERTS: stage.certificate,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { env });
  return stdout.startsWith('{') || stdout.startsWith('[') ? JSON.parse(stdout) : stdout;
}

// Every call is a child process, so independent calls run concurrently. `public-sdk.test.ts` makes the other calls.
describe('the public command line', { timeout: 180_000 }, () => {
  it('shows the current user', async () => {
    const [me, whoami] = await Promise.all([cli('users', 'me'), cli('whoami')]);
    expect(me).toMatchObject({ email: 'ada@example.com' });
    expect(whoami).toMatchObject({ zone: stage.zone });
  });

  it('creates, lists, shows, changes and deletes organizations', async () => {
    const flags = ['--region-id', '1', '--timezone-id', '113', '--country-id', '64'];
    const created = await cli('organizations', 'create', '--name', 'Works', ...flags);
    expect(created).toMatchObject({ id: 2, name: 'Works' });
    const [listed, shown] = await Promise.all([
      cli('organizations', 'list'),
      cli('organizations', 'get', '2'),
    ]);
    expect(listed).toHaveLength(2);
    expect(shown).toMatchObject({ id: 2, name: 'Works' });
    expect(await cli('organizations', 'update', '2', '--name', 'Two')).toMatchObject({ name: 'Two' });
    await cli('organizations', 'delete', '2');
    await expect(cli('organizations', 'get', '2')).rejects.toMatchObject({
      stderr: expect.stringContaining('404'),
    });
  });

  it('creates, lists, shows, changes and deletes keys', async () => {
    const type = ['--type-name', 'apikeyauth', '--parameters', '{"key":"secret"}'];
    const created = await cli('keys', 'create', '--name', 'K', '--team-id', '1', ...type);
    expect(created).toMatchObject({ id: 1, typeName: 'apikeyauth' });
    const [listed, shown] = await Promise.all([
      cli('keys', 'list', '--team-id', '1'),
      cli('keys', 'get', '1'),
    ]);
    expect(listed).toEqual([expect.objectContaining({ id: 1, teamId: 1 })]);
    expect(shown).toMatchObject({ name: 'K' });
    expect(await cli('keys', 'update', '1', '--name', 'L')).toBe('Key has been updated.\n');
    expect(await cli('keys', 'get', '1')).toMatchObject({ name: 'L' });
    await cli('keys', 'delete', '1');
    expect(await cli('keys', 'list', '--team-id', '1')).toEqual([]);
  });

  it('shows the errors of the API', async () => {
    const failure = cli('organizations', 'update', '1', '--name', 'a;b');
    await expect(failure).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/400.*[\s\S]*'name'/),
    });
  });
});

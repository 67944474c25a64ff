import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { type StartedCli, startCli } from '../cli/fake-io.js';
import { openTestSchema } from './open-stores.js';

const cwd = await mkdtemp(join(tmpdir(), 'iml-rest-command-'));
afterAll(() => rm(cwd, { recursive: true, force: true }));
const schema = await openTestSchema();

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): StartedCli {
  return startCli(['rest', ...args], { cwd, env });
}

async function until(run: StartedCli, text: string): Promise<string> {
  await expect.poll(run.output).toContain(text);
  return run.output();
}

async function listTables(url: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select tablename from pg_tables where schemaname = current_schema()');
  await client.end();
  return rows;
}

const TOKEN = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;

describe('iml rest', () => {
  it('serves, prints the first token once, and creates more tokens', async () => {
    const first = run(['--port', '0', '--create']);
    const text = await until(first, 'shown this once');
    const token = TOKEN.exec(text)?.[0] ?? '';
    const base = /http:\S+/.exec(text)?.[0] ?? '';
    const me = await fetch(`${base}/users/me`, { headers: { authorization: `Token ${token}` } });
    expect(await me.json()).toMatchObject({ authUser: { name: 'Administrator' } });

    expect(text).toContain(`Further tokens: iml rest token --data ${join(cwd, '.iml/rest')}\n`);

    const second = run(['token', '--scope', 'organizations:read', '--label', 'ci']);
    expect(await second.code).toBe(0);
    const headers = { authorization: `Token ${second.output().trim()}` };
    const current = await fetch(`${base}/users/me/current-authorization`, { headers });
    expect(await current.json()).toEqual({
      authorization: { authUsed: 'token', scope: ['organizations:read'] },
    });
    first.stop();
    expect(await first.code).toBe(0);

    const again = run(['--port', '0']);
    await until(again, `API tokens: iml rest token --data ${join(cwd, '.iml/rest')}\n`);
    expect(again.output()).not.toMatch(TOKEN);
    again.stop();
    expect(await again.code).toBe(0);
    expect((await stat(join(cwd, '.iml/rest/encryption-key'))).mode & 0o077).toBe(0);
    // The key must not get into a repository, unlike the records of iml push beside it.
    expect(await readFile(join(cwd, '.iml/.gitignore'), 'utf8')).toBe('dev.db*\nhost.db*\nrest/\n');
    const names = await readdir(join(cwd, '.iml/rest'));
    expect(names.filter((name) => name.startsWith('encryption-key'))).toHaveLength(1);
  });

  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  it.skipIf(typeof schema === 'string')('serves over PostgreSQL with an own key', async () => {
    const url = typeof schema === 'string' ? '' : schema.url;
    const without = run(['token', '--database', url]);
    expect(await without.code).toBe(1);
    expect(without.errors()).toContain('IML_REST_KEY');
    const short = run(['token', '--database', url], { IML_REST_KEY: 'AAAA' });
    expect(await short.code).toBe(1);
    expect(short.errors()).toContain('IML_REST_KEY must contain 32 bytes as base64; got 3 bytes.');
    const strange = run(['token', '--database', url], { IML_REST_KEY: 'not base64!' });
    expect(await strange.code).toBe(1);
    expect(strange.errors()).toContain('IML_REST_KEY must contain 32 bytes as base64; got something else.');
    const key = { IML_REST_KEY: Buffer.alloc(32).toString('base64') };
    for (const args of [['--port', '0'], ['token']]) {
      const empty = run([...args, '--database', url], key);
      expect(await empty.code).toBe(2);
      expect(empty.errors()).toContain(
        'The database of --database has no instance. Create one with --create.',
      );
      expect(empty.errors()).not.toContain(url);
    }
    expect(await listTables(url)).toEqual([]);
    expect(await run(['token', '--create', '--database', url], key).code).toBe(0);
    const made = run(['token', '--database', url], key);
    expect(await made.code).toBe(0);
    expect(made.output()).toMatch(TOKEN);
    // Another node with a different key.
    const other = { IML_REST_KEY: Buffer.alloc(32, 1).toString('base64') };
    const second = run(['token', '--database', url], other);
    expect(await second.code).toBe(1);
    expect(second.errors()).toContain('IML_REST_KEY is not the encryption key');
    const serving = run(['--port', '0', '--database', url], other);
    expect(await serving.code).toBe(1);
    expect(serving.errors()).toContain('IML_REST_KEY is not the encryption key');
  });

  it('refuses a folder without an instance, and leaves it unchanged', async () => {
    for (const args of [['--port', '0'], ['token']]) {
      const wrong = run([...args, '--data', 'misspelt']);
      expect(await wrong.code).toBe(2);
      expect(wrong.errors()).toContain(
        `The folder "${join(cwd, 'misspelt')}" has no instance. Create one with --create.`,
      );
    }
    await expect(stat(join(cwd, 'misspelt'))).rejects.toThrow('ENOENT');
    const made = run(['token', '--data', 'made by token', '--create']);
    expect(await made.code).toBe(0);
    expect(made.output()).toMatch(TOKEN);
    const again = run(['--port', '0', '--data', 'made by token']);
    await until(again, `iml rest token --data '${join(cwd, 'made by token')}'\n`);
    again.stop();
    expect(await again.code).toBe(0);
  });

  it('leaves no instance behind if its port is in use', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    const late = run(['--port', String(port), '--data', 'late', '--create']);
    expect(await late.code).toBe(2);
    await expect(stat(join(cwd, 'late'))).rejects.toThrow('ENOENT');
    await new Promise((done) => other.close(done));
  });

  // Windows has no file modes.
  it.skipIf(process.platform === 'win32')(
    'restricts its files to the owner, including files that existed before',
    async () => {
      const folder = join(cwd, 'open');
      await mkdir(folder, { mode: 0o777 });
      await chmod(folder, 0o777);
      const names = ['rest.sqlite', 'rest.sqlite-wal', 'rest.sqlite-shm'];
      for (const name of names.slice(0, 1)) await writeFile(join(folder, name), '', { mode: 0o666 });
      await chmod(join(folder, 'rest.sqlite'), 0o666);
      const key = { IML_REST_KEY: Buffer.alloc(32).toString('base64') };
      const serving = run(['--port', '0', '--data', 'open'], key);
      await until(serving, 'shown this once');
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      for (const name of names)
        expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
      serving.stop();
      expect(await serving.code).toBe(0);
    },
  );

  // Windows has no file modes.
  it.skipIf(process.platform === 'win32')(
    'restricts a key file again after others could read it',
    async () => {
      expect(await run(['token', '--data', 'back', '--create']).code).toBe(0);
      const key = join(cwd, 'back/encryption-key');
      await chmod(key, 0o666);
      expect(await run(['token', '--data', 'back']).code).toBe(0);
      expect((await stat(key)).mode & 0o777).toBe(0o600);
    },
  );

  it('starts only with its own key, and names the file in the error', async () => {
    expect(await run(['token', '--data', 'keyed', '--create']).code).toBe(0);
    const file = join(cwd, 'keyed/encryption-key');
    const key = await readFile(file, 'utf8');
    for (const [content, message] of [
      [Buffer.alloc(32, 9).toString('base64'), `The file ${file} is not the encryption key`],
      ['short', `The file ${file} must contain 32 bytes as base64`],
    ] as const) {
      await writeFile(file, content);
      const changed = run(['token', '--data', 'keyed']);
      expect(await changed.code).toBe(1);
      expect(changed.errors()).toContain(message);
      expect(changed.errors()).not.toContain(content);
    }
    await rm(file);
    const lost = run(['--port', '0', '--data', 'keyed']);
    expect(await lost.code).toBe(1);
    expect(lost.errors()).toContain(`The file ${file} with the key of`);
    // No new key replaces the missing one.
    await expect(stat(file)).rejects.toThrow('ENOENT');
    await writeFile(file, `${key}\n`);
    expect(await run(['token', '--data', 'keyed']).code).toBe(0);
  });

  it('reports the addresses it listens on, and no other', async () => {
    const plain = run(['--port', '0']);
    const base = /http:\S+(?=\/api)/.exec(await until(plain, 'API tokens'))?.[0] ?? '';
    const read = async (url: string): Promise<Record<string, unknown>> =>
      JSON.parse(await (await fetch(url)).text());
    const discovery = await read(`${base}/.well-known/openid-configuration`);
    expect(discovery['issuer']).toBe(`${base}/oauth/v2`);
    const named = Object.values(discovery).filter((it) => typeof it === 'string' && it.startsWith('http'));
    for (const url of named.filter((it) => it !== discovery['issuer'])) {
      expect([url, (await fetch(String(url))).status]).not.toEqual([url, 404]);
    }
    expect(await read(`${base}/openapi.json`)).toMatchObject({ servers: [{ url: `${base}/api/v2` }] });
    plain.stop();
    expect(await plain.code).toBe(0);

    const fixed = run(['--port', '0', '--public-url', 'https://api.example.com/']);
    expect(await until(fixed, 'API tokens')).toContain('REST API: https://api.example.com/api/v2\n');
    fixed.stop();
    expect(await fixed.code).toBe(0);
  });

  it('logs a line per call with --log, as JSON on request', async () => {
    for (const format of ['text', 'json']) {
      const logging = run(['--port', '0', '--log', format]);
      const base = /http:\S+/.exec(await until(logging, 'API tokens'))?.[0] ?? '';
      const response = await fetch(`${base}/organizations?token=not-in-the-log`);
      const id = response.headers.get('x-request-id') ?? '';
      await expect.poll(logging.errors).toContain(id);
      const line = logging.errors().trim();
      expect(line).not.toContain('not-in-the-log');
      if (format === 'text') expect(line).toContain('401 GET /api/v2/organizations listOrganizations ');
      else
        expect(JSON.parse(line)).toMatchObject({
          kind: 'answer',
          requestId: id,
          operation: 'listOrganizations',
          status: 401,
        });
      logging.stop();
      expect(await logging.code).toBe(0);
    }
  });

  it('prints the help of every command', async () => {
    const help = run(['--help']);
    expect(await help.code).toBe(0);
    expect(help.output()).toContain('iml rest [action] [options]');
    expect(help.output()).toContain('Exit codes');
  });

  it.each([
    [['--prot', '1'], 'Unknown option "--prot". Did you mean "--port"?'],
    [['tokens'], 'Unknown action "tokens". Did you mean "token"?'],
    [['token', 'extra'], 'Unexpected argument "extra".'],
    [['--port', 'x'], '--port: "x" is not a port'],
    [['--port', '70000'], '--port: "70000" is not a port'],
    [['token', '--scope', 'organizations:raed'], 'Did you mean "organizations:read"?'],
    [['token', '--user', 'nobody@example.com'], '--user: there is no user "nobody@example.com".'],
    [['--cert', 'cert.pem'], '--cert and --key require each other.'],
    [['--cert', 'cert.pem', '--key', 'key.pem'], '--cert: the file "cert.pem" cannot be read (ENOENT).'],
    [['--public-url', 'api.example.com'], '--public-url: "api.example.com" is not an origin'],
    [['--public-url', 'https://api.example.com/path'], 'without a path'],
    [['--log', 'jsn'], '--log: Expected one of text, json; got "jsn". Did you mean "json"?'],
    [['--data', 'x', '--database', 'postgres://x'], '--data and --database exclude each other.'],
  ])('reports what is wrong with %j', async (args, message) => {
    const wrong = run(args);
    expect(await wrong.code).toBe(2);
    expect(wrong.errors()).toContain(message);
    expect(wrong.errors()).toContain('See iml rest --help.');
  });

  it('reports that its port is in use', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    const late = run(['--port', String(port)]);
    expect(await late.code).toBe(2);
    expect(late.errors()).toContain(`The port ${port} is in use.`);
    await new Promise((done) => other.close(done));
    const nowhere = run(['--port', '0', '--host', '203.0.113.7']);
    expect(await nowhere.code).toBe(2);
    expect(nowhere.errors()).toContain('no address "203.0.113.7"');
  });
});

import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_OPTIONS } from '../../src/tools/check/project-options.js';
import { COMMANDS } from '../../src/tools/cli/commands.js';
import { writeApp } from '../app/temp-app.js';
import { httpServer, type Loopback } from '../http/loopback.js';
import { type CliResult, cli, type FakeIoOptions } from './fake-io.js';

let api: Loopback;

beforeAll(async () => {
  api = await httpServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ key: request.headers['x-key'] ?? null }));
  });
});
afterAll(() => api.close());

const ACT = {
  url: 'https://api.example.com/me',
  headers: { 'x-key': '{{connection.key}}' },
  response: {
    output: { key: '{{body.key}}', zone: '{{formatDate(parseDate("2026-01-01T00:00:00Z"); "Z")}}' },
  },
};

/** An app in `crm` of a repository, with its `iml.config.json`. */
function writeRepository(config: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  const code = (communication: string): object => ({ codeFiles: { communication } });
  return writeApp({
    '.git/HEAD': '',
    'crm/makecomapp.json': {
      fileVersion: 1,
      generalCodeFiles: {},
      components: {
        module: { act: { moduleType: 'action', connection: 'key', ...code('act.iml.json') } },
        connection: { key: { connectionType: 'basic', ...code('key.iml.json') } },
      },
    },
    'crm/act.iml.json': ACT,
    'crm/key.iml.json': { url: '/me' },
    ...(config !== undefined && { 'crm/iml.config.json': config }),
    ...more,
  });
}

function run(
  root: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<CliResult> {
  return runUntrusted(root, ['--trust', ...args], env);
}

function runUntrusted(
  root: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  ask?: FakeIoOptions['ask'],
): Promise<CliResult> {
  const line = ['run', 'crm', 'act', '--ndjson', ...args];
  return cli(line, { cwd: root, env: { HOME: path.join(root, 'home'), ...env }, ...(ask && { ask }) });
}

const toApi = (): object => ({ map: { 'https://api.example.com': api.origin }, 'allow-local': true });

describe('options of iml.config.json', () => {
  it('apply to a run, and are printed on standard error', async () => {
    const options = { ...toApi(), connection: '@account.json', timezone: 'Europe/Prague' };
    const root = writeRepository({ options }, { 'crm/account.json': { key: 'k-1' } });
    const { code, out, err } = await run(root);
    expect({ code, out }).toEqual({ code: 0, out: '{"key":"k-1","zone":"+01:00"}\n' });
    expect(err).toContain('iml.config.json: --map https://api.example.com=http://127.0.0.1:');
    expect(err).toContain('--timezone Europe/Prague');
    expect(err).not.toContain('k-1');
  });

  it('have lower precedence than the environment and the command line', async () => {
    const root = writeRepository({ options: { ...toApi(), timezone: 'Europe/Prague' } });
    const env = { IML_TIMEZONE: 'Asia/Tokyo' };
    expect((await run(root, [], env)).out).toContain('"zone":"+09:00"');
    const nowhere = { IML_MAP: 'https://other.example.com=http://127.0.0.1:1' };
    expect((await run(root, [], nowhere)).code).toBe(1);
    expect((await run(root, ['--map', `https://api.example.com=${api.origin}`], nowhere)).code).toBe(0);
  });

  it('count for one app of a repository, before those for all', async () => {
    const config = {
      options: { ...toApi(), timezone: 'Europe/Prague' },
      apps: { crm: { timezone: 'Asia/Tokyo' } },
    };
    const root = writeRepository(undefined, { 'iml.config.json': config });
    expect((await run(root)).out).toContain('"zone":"+09:00"');
  });

  it.each([
    ['run', '--timezone', 'UTC', '"timezone" in "options" of iml.config.json, or IML_TIMEZONE.'],
    ['dev', '--on-page-loop', 'stop', '"on-page-loop" in "options" of iml.config.json, or IML_ON_PAGE_LOOP.'],
    ['serve', '--app-host', 'a.example', '"app-host" in the file of --config, or IML_APP_HOST.'],
  ])(
    'are the only place for settings beside the environment: %s %s',
    async (command, option, value, where) => {
      const { code, err } = await cli([command, option, value]);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining(`"${option}" is not an option of the command line. Set ${where}`),
      });
      expect((await cli([command, '--help'])).out).toMatch(
        /^Settings\n {2}In iml\.config\.json.* or the env/m,
      );
    },
  );

  it('are shown by iml info with their source', async () => {
    const root = writeRepository({ options: { timezone: 'Europe/Prague', allow: ['10.0.0.7', '10.0.0.8'] } });
    const env = { IML_CONNECTION: '{"key":"k-1"}', IML_DEFAULTS: '1' };
    const { out } = await cli(['info', 'crm'], { cwd: root, env });
    expect(out).toContain(`options (4)
  --timezone Europe/Prague  (iml.config.json)
  --allow 10.0.0.7 10.0.0.8  (iml.config.json)
  --connection (data)  (IML_CONNECTION)
  --defaults  (IML_DEFAULTS)
`);
    const { options } = JSON.parse((await cli(['info', 'crm', '--json'], { cwd: root })).out);
    expect(options).toEqual([
      { name: 'timezone', values: ['Europe/Prague'], source: 'iml.config.json' },
      { name: 'allow', values: ['10.0.0.7', '10.0.0.8'], source: 'iml.config.json' },
    ]);
  });

  it.each([
    [
      '{\n "options": { "timezoen": "UTC" } }',
      '2:15',
      'There is no option "timezoen" here. Did you mean "timezone"?',
    ],
    ['{ "option": {} }', '1:3', 'There is no setting "option". Did you mean "options"?'],
    [
      '{ "options": { "timezone": "Mars" } }',
      '1:28',
      '"timezone": "Mars" is not a timezone such as Europe/Prague.',
    ],
    ['{ "options": { "allow": ["http://x/"] } }', '1:25', '"allow": Invalid entry'],
    ['{ "options": { "app-host": "a b" } }', '1:28', '"app-host": app-host has the entry "a b"'],
    ['{ "options": { "map": "x" } }', '1:23', '"map": expected an object such as {"https://api.example.com"'],
    ['{ "options": { "map": { "ftp://x": "http://y" } } }', '1:23', '"map": '],
    ['{ "options": { "allow-local": "yes" } }', '1:31', '"allow-local": expected true or false.'],
    [
      '{ "options": { "timeout-ms": 0.5 } }',
      '1:30',
      '"timeout-ms": a whole number of at least 1 is expected.',
    ],
    [
      '{ "options": { "on-page-loop": "retry" } }',
      '1:32',
      '"on-page-loop": Expected one of warn, stop, error',
    ],
    [
      '{ "options": { "trust-functions": true } }',
      '1:16',
      '"trust-functions" can be set on the command line only.',
    ],
    ['{ "options": [] }', '1:14', 'An object with options is expected.'],
    ['{ "apps": { "nope": {} } }', '1:13', 'There is no such folder.'],
    ['{ "apps": { "../x": {} } }', '1:13', 'A folder in the folder of this file is expected'],
  ])('are refused with file, line and what is expected: %s', async (config, place, message) => {
    const { code, out, err } = await run(writeRepository(config));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`iml.config.json:${place}`);
    expect(err).toContain(message);
    const checked = await cli(['check', '.'], { cwd: path.join(writeRepository(config), 'crm') });
    expect(checked.out).toContain(message);
  });

  it.each([
    '{ "options": { "connection": { "key": "s3cr3t-value" } } }',
    '{ "options": { "connection": "{\\"key\\":\\"s3cr3t-value\\"}" } }',
    '{ "options": { "common": "{\\"clientSecret\\":\\"s3cr3t-value\\"}" } }',
    '{ "options": { "apiKey": "s3cr3t-value" } }',
    '{ "options": { "base-url": "https://ann:s3cr3t-value@api.example.com" } }',
    '{ "options": { "map": { "*": "http://localhost:1/?access_token=s3cr3t-value" } } }',
  ])('refuse secrets without printing them: %s', async (config) => {
    const { code, out, err } = await cli(['run', '.', 'act'], {
      cwd: path.join(writeRepository(config), 'crm'),
      env: { IML_DEBUG: '1' },
    });
    expect(code).toBe(1);
    expect(err).toContain('Credentials do not belong in this file.');
    // The line of the file is on the screen of its author; the message itself does not repeat the value.
    expect(out).not.toContain('s3cr3t-value');
    expect(err.split('\n')[0]).not.toContain('s3cr3t-value');
  });

  it('of a file above the app count only in the repository of the app', async () => {
    const root = writeRepository(undefined, { 'iml.config.json': { options: toApi() } });
    expect((await run(root)).code).toBe(0);
    rmSync(path.join(root, '.git'), { recursive: true });
    const { code, err } = await run(root);
    expect(code).toBe(1);
    expect(err).toContain('../iml.config.json:2:3');
    expect(err).toContain('Outside of a repository, options count only in the folder of the manifest.');
  });
});

describe('options that send credentials or open the network', () => {
  const account = { 'crm/account.json': { key: 'k-1' } };

  it('count after the user confirmed them once for the folder', async () => {
    const root = writeRepository({ options: { ...toApi(), connection: '@account.json' } }, account);
    const refused = await runUntrusted(root);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(`send requests to another server: https://api.example.com=${api.origin}`);
    expect(refused.err).toContain(`use the connection @${path.join(root, 'crm/account.json')}`);
    expect(refused.err).toContain('call this machine');

    const asked: string[] = [];
    const answering = (answer: string) => async (question: string) => {
      asked.push(question);
      return answer;
    };
    expect(await runUntrusted(root, [], {}, answering('n'))).toMatchObject({ code: 2, out: '' });
    const allowed = await runUntrusted(root, [], {}, answering('y'));
    expect(allowed.out).toContain('"key":"k-1"');
    expect(asked).toHaveLength(2);
    expect((await runUntrusted(root)).out).toContain('"key":"k-1"');
    // Another folder, and another server in this one, are not confirmed.
    const other = writeRepository({ options: { ...toApi(), connection: '@account.json' } }, account);
    expect((await runUntrusted(other, [], { HOME: path.join(root, 'home') })).code).toBe(2);
    const options = { ...toApi(), connection: '@account.json', 'cross-host-secrets': true };
    const changed = { options: { ...options, allow: '10.0.0.7' } };
    writeFileSync(path.join(root, 'crm/iml.config.json'), JSON.stringify(changed));
    const again = await runUntrusted(root);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('call the private host 10.0.0.7') });
    expect(again.err).toContain('send credentials to hosts that the app does not name');
    expect(again.err).not.toContain('call this machine');
  });

  it.each([
    '@../account.json',
    '@.env',
    '@.git/account.json',
    '@node_modules/a.json',
    '@/etc/passwd',
    '@link.json',
  ])('name no file elsewhere: %s', async (connection) => {
    const root = writeRepository({ options: { ...toApi(), connection } }, account);
    symlinkSync('account.json', path.join(root, 'crm/link.json'));
    const { code, out, err } = await run(root);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('Name other files on the command line.');
  });
});

describe('environment variables of options', () => {
  it.each([
    [{ IML_TIMEZONE: 'Mars' }, 'IML_TIMEZONE: "Mars" is not a timezone'],
    [{ IML_ALLOW_LOCAL: 'yes' }, 'IML_ALLOW_LOCAL: Expected one of 1, true, 0, false.'],
    [{ IML_MAP: 'x' }, 'IML_MAP: FROM=TO is expected'],
    [{ IML_TIMEOUT_MS: '1.5' }, 'IML_TIMEOUT_MS: a whole number of at least 1 is expected.'],
  ])('are refused with exit code 2: %j', async (env, message) => {
    const { code, err } = await run(writeRepository({}), [], env);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });

  it('exist for options that a command has', async () => {
    const commands = await Promise.all(Object.values(COMMANDS).map((entry) => entry.load()));
    const names = new Set(commands.flatMap(({ options }) => Object.keys(options)));
    expect(Object.keys(PROJECT_OPTIONS).filter((name) => !names.has(name))).toEqual([]);
  });
});

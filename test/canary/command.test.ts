import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from '../cli/fake-io.js';
import { findCanaries } from '../connection/canary.js';
import { expectNoSecret } from './expect-no-secret.js';
import { COMMON, CONNECTION, FAILURES, PARAMETERS, secretApp } from './secret-app.js';
import { ALL_SECRETS, SECRETS, type SecretService, startSecretService } from './secret-service.js';

let service: SecretService;
beforeAll(async () => {
  service = await startSecretService();
});
afterAll(() => service.close());

const CONNECTION_SPEC = {
  url: '/login',
  headers: { 'X-Api-Key': '{{parameters.key}}' },
  response: {
    data: { token: '{{body.access_token}}' },
    error: 'No: {{parameters.key}} {{body.text}}',
    metadata: { type: 'text', value: 'a user' },
  },
};

/** The canary app as a folder, with a connection. */
function appFolder(patch: Readonly<Record<string, unknown>>): string {
  const { base, common, functions = {}, modules = {} } = secretApp(service.origin, patch);
  const { act } = modules;
  const codes = Object.entries(functions).map(([name, { code }]) => [`${name}.js`, code]);
  return writeApp({
    'base.iml.json': base,
    'common.json': common,
    'act.iml.json': act?.communication,
    'form.iml.json': act?.mappableParams,
    'connection.iml.json': { ...CONNECTION_SPEC, url: `${service.origin}/login` },
    'params.iml.json': [
      { name: 'key', type: 'password', required: true },
      { name: 'sid', type: 'password', required: true },
    ],
    ...Object.fromEntries(codes),
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.iml.json', common: 'common.json' },
      components: {
        connection: {
          c: {
            connectionType: 'basic',
            codeFiles: { communication: 'connection.iml.json', params: 'params.iml.json' },
          },
        },
        module: {
          act: {
            moduleType: 'search',
            connection: 'c',
            codeFiles: { communication: 'act.iml.json', mappableParams: 'form.iml.json' },
          },
        },
        function: Object.fromEntries(
          Object.keys(functions).map((name) => [name, { codeFiles: { code: `${name}.js` } }]),
        ),
      },
    },
  });
}

const FORMS = ['--table', '--ndjson', '--json', '--query=error'];

async function run(folder: string, options: readonly string[], terminal = false): Promise<string> {
  const files = writeApp({ 'connection.json': CONNECTION, 'p.json': PARAMETERS, 'common.json': COMMON });
  const given = ['--connection', '@connection.json', '-p', '@p.json', '--common', '@common.json'];
  const { out, err } = await cli(['run', folder, 'act', '--allow-local', ...given, ...options], {
    cwd: files,
    terminal,
    env: { IML_DEBUG: '1' },
  });
  return `${out}\n${err}`;
}

describe('secrets of a run at the command line', () => {
  const shown = ['none', 'status 401', 'a header with a line break', 'the function complain'];

  it.each(shown)('occur in no output of any form: %s', async (failure) => {
    const folder = appFolder(FAILURES.get(failure) ?? {});
    for (const form of FORMS) {
      expectNoSecret(await run(folder, [form]));
      expectNoSecret(await run(folder, [form, '--trace']));
      expectNoSecret(await run(folder, [form, '--trace-bodies'], true));
    }
  });

  it('occur in no error that shows a line of the app', async () => {
    for (const patch of FAILURES.values())
      expectNoSecret(await run(appFolder(patch), ['--trace-bodies', '--ndjson']));
  });

  it('occur in no error about the command line', async () => {
    const folder = appFolder({});
    const half = `{"key":"${SECRETS.token}`;
    for (const option of ['--connection', '--common', '-p', '--state', '--payload']) {
      const { code, out, err } = await cli(['run', folder, 'act', option, half]);
      expect(code).toBe(2);
      expectNoSecret(out + err);
    }
    const wrong = await cli([
      'run',
      folder,
      'act',
      '-p',
      `{"count":"${SECRETS.password}","word":"${SECRETS.password}"}`,
    ]);
    expectNoSecret(wrong.out + wrong.err);
  });
});

describe('secrets of a stored connection', () => {
  it('occur in no file and no output of a command', async () => {
    const folder = appFolder({});
    const home = writeApp({ 'given.json': CONNECTION, 'p.json': PARAMETERS });
    const env = { XDG_CONFIG_HOME: home, HOME: home, APPDATA: home, IML_CONFIG_HOME: home };
    const iml = async (...args: readonly string[]): Promise<string> => {
      const { code, out, err } = await cli(args, { cwd: home, env });
      expect([code, err]).toEqual([0, expect.any(String)]);
      return `${out}\n${err}`;
    };
    const said = [
      await iml('connect', folder, 'c', '--name', 'kept', '-p', '@given.json', '--allow-local'),
      await iml('connections', 'list'),
      await iml('connections', 'test', 'kept', '--app', folder, '--allow-local'),
      await iml(
        'run',
        folder,
        'act',
        '--connection',
        'kept',
        '-p',
        '@p.json',
        '--allow-local',
        '--json',
        '--trace-bodies',
      ),
    ];
    expectNoSecret(said.join('\n'));
    // The run used the secrets.
    expect(service.received.at(-1)?.headers.authorization).toBe(`Bearer ${SECRETS.key}`);
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !['given.json', 'p.json'].includes(entry.name),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const { parentPath, name } of files) {
      expect(findCanaries(readFileSync(path.join(parentPath, name), 'utf8'), ALL_SECRETS)).toEqual([]);
    }
  });
});

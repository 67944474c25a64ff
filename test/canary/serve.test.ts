import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli, type StartedCli, startCli } from '../cli/fake-io.js';
import { findCanaries } from '../connection/canary.js';
import { eventually } from '../host/open-parts.js';
import { send } from '../host/send.js';
import { expectNoSecret } from './expect-no-secret.js';
import { ALL_SECRETS, SECRETS, type SecretService, startSecretService } from './secret-service.js';

let service: SecretService;
beforeAll(async () => {
  service = await startSecretService();
});
afterAll(() => service.close());

const QUOTE = 'No: {{parameters.word}} {{connection.key}} {{common.secret}} {{base64(connection.key)}}';

/** An app whose webhook stores a secret, and whose action fails at an API that quotes everything. */
function hookApp(origin: string): string {
  return writeApp({
    'base.json': { baseUrl: origin, headers: { Authorization: 'Bearer {{connection.key}}' } },
    'common.json': { secret: SECRETS.common },
    'connection.json': {
      url: `${origin}/login`,
      response: { data: { token: '{{body.access_token}}' }, metadata: { type: 'text', value: 'a user' } },
    },
    'params.json': [{ name: 'key', type: 'password', required: true }],
    'attach.json': { url: '/hooks', method: 'POST', response: { data: { secret: '{{body.access_token}}' } } },
    'hook.json': {
      condition: "{{if(body.kind = 'wrong', formatDate(webhook.secret, 'X'), true)}}",
      output: '{{body}}',
    },
    'act.json': { url: '/status/401', qs: { key: '{{connection.key}}' }, response: { error: QUOTE } },
    'form.json': [{ name: 'word', type: 'password' }],
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.json', common: 'common.json' },
      components: {
        connection: {
          c: {
            connectionType: 'basic',
            codeFiles: { communication: 'connection.json', params: 'params.json' },
          },
        },
        webhook: {
          w: {
            webhookType: 'web',
            connection: 'c',
            codeFiles: { communication: 'hook.json', attach: 'attach.json' },
          },
        },
        module: {
          watch: { moduleType: 'instant_trigger', webhook: 'w', codeFiles: {} },
          act: {
            moduleType: 'action',
            connection: 'c',
            codeFiles: { communication: 'act.json', mappableParams: 'form.json' },
          },
        },
      },
    },
  });
}

function call(args: readonly string[], home: string): StartedCli {
  const places = { HOME: home, XDG_CONFIG_HOME: home, APPDATA: home, IML_CONFIG_HOME: home };
  return startCli(args, { cwd: home, env: { ...places, IML_DEBUG: '1' } });
}

const shownBy = ({ output, errors }: StartedCli): string => `${output()}\n${errors()}`;

it('secrets of a host occur in no log, no response and no list', { timeout: 90_000 }, async () => {
  const app = hookApp(service.origin);
  const name = path.basename(app);
  const step = { app: name, connection: 'kept' };
  const scenario = {
    name: 'secrets',
    webhook: { app: name, webhook: 'w', connection: 'kept' },
    settings: { storeIncomplete: true, maxErrors: 5 },
    modules: [
      { ...step, module: 'watch' },
      {
        ...step,
        module: 'act',
        onError: 'break',
        parameters: { word: SECRETS.password, note: ['{{1.kind}}', SECRETS.item] },
      },
    ],
  };
  const home = writeApp({ 'given.json': { key: SECRETS.key }, 'scenarios.json': { scenarios: [scenario] } });
  const env = { XDG_CONFIG_HOME: home, HOME: home, APPDATA: home, IML_CONFIG_HOME: home };
  const connect = ['connect', app, 'c', '--name', 'kept', '-p', '@given.json', '--allow-local'];
  const connected = await cli(connect, { cwd: home, env });
  expect(connected.code, connected.err).toBe(0);

  const args = [app, '--port', '0', '--data', 'data', '--scenarios', 'scenarios.json', '--allow-local'];
  const served = call(['serve', ...args], home);
  const addresses = /http\S+\/hooks\/\S+/;
  await Promise.race([served.code, eventually(() => addresses.test(served.errors()))]);
  const url = addresses.exec(served.errors())?.[0] ?? served.errors();
  expect(url).toMatch(/^http:/);
  expect(served.errors()).not.toContain('cannot be served');
  const answers: string[] = [];
  for (const kind of ['good', 'wrong']) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${SECRETS.sid}` };
    const answer = await send(url, { headers, body: JSON.stringify({ kind }) });
    answers.push(`${answer.status} ${await answer.text()}`);
  }
  expect(answers[0]).toBe('200 Accepted');
  expect(answers[1]).toMatch(/^500 /);
  const list = async (...args: readonly string[]): Promise<string> => {
    const called = call([...args, '--data', 'data'], home);
    expect(await called.code).toBe(0);
    return shownBy(called);
  };
  await eventually(async () => (await list('scenarios', 'list')).includes('"incomplete":1'));
  served.stop();
  expect(await served.code).toBe(0);

  const shown = [
    shownBy(served),
    ...answers,
    await list('events', 'list'),
    await list('events', 'list', '--json'),
    await list('events', 'show', '1'),
    await list('events', 'show', '2'),
    await list('scenarios', 'list', '--json'),
    await list('scenarios', 'show', 'secrets'),
  ];
  // The error of the action is shown without the quoted secrets.
  expect(shown.at(-1)).toContain('No: ');
  expect(shown.at(-1)).toContain('{{1.kind}}');
  for (const text of shown) expectNoSecret(text);
  const kept = readdirSync(home, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !['given.json', 'scenarios.json'].includes(entry.name),
  );
  // The store contains the data of attach, which the webhook needs, but not the sealed connection.
  for (const file of kept) {
    const text = readFileSync(path.join(file.parentPath, file.name), 'utf8');
    const connection = ALL_SECRETS.filter((secret) => secret === SECRETS.key || secret === SECRETS.common);
    expect(findCanaries(text, connection), file.name).toEqual([]);
  }
});

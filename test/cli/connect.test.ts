import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { canary, expectNoCanary } from '../connection/canary.js';
import { CLIENT, type OidcServer, startOidcServer } from '../connection/oidc-server.js';
import { writeConnectApp } from './connect-app.js';
import { type CliResult, cli, type FakeIoOptions, jsonLines } from './fake-io.js';

let provider: OidcServer;
beforeAll(async () => {
  provider = await startOidcServer();
});
afterAll(() => provider.close());

interface User {
  readonly home: string;
  readonly shown: () => string;
  readonly iml: (args: readonly string[], options?: FakeIoOptions) => Promise<CliResult>;
}

/** A user of a machine with a folder of their own, and all they ever saw. */
function newUser(): User {
  const home = writeApp({ 'empty.txt': '' });
  const seen: string[] = [];
  return {
    home,
    shown: () => seen.join('\n'),
    iml: async (args, options = {}) => {
      const result = await cli(args, { env: { XDG_CONFIG_HOME: home }, ...options });
      seen.push(result.out, result.err);
      return result;
    },
  };
}

function filesOf(user: User): readonly string[] {
  const root = path.join(user.home, 'iml-runtime');
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, file));
}

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

/** Opens the page that is printed, and the callback with it, as a browser would. */
function browser(
  visit: (page: string) => Promise<URL>,
  answers: string[] = [],
): NonNullable<FakeIoOptions['onErr']> {
  return (text) => {
    const page = /Open this address in a browser:\s+(\S+)/.exec(text)?.[1];
    if (page === undefined) return;
    void visit(page)
      .then((callback) => fetch(callback))
      .then(async (answer) => answers.push(await answer.text()));
  };
}

const OAUTH = ['--allow-local', '--port', '0'];

/** An API with a key, on loopback. */
async function startKeyService(answer: (url: string) => { status: number; body: unknown }): Promise<string> {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('iml connect with an OAuth provider', () => {
  it('connects in the browser, is run by name, tested, refreshed, listed and removed', async () => {
    const user = newUser();
    const app = writeConnectApp(provider.issuer);
    const answers: string[] = [];
    const connected = await user.iml(['connect', app, 'account', '--name', 'work', ...OAUTH], {
      onErr: browser(provider.login, answers),
    });
    expect(connected).toMatchObject({
      code: 0,
      out: 'Connected as ann@example.test. iml run takes it with --connection work.\n',
    });
    await expect.poll(() => answers[0]).toContain('Connected. You can close this page.');

    const run = await user.iml(['run', app, 'whoAmI', '--connection', 'work', '--allow-local']);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(jsonLines(run.out)).toEqual([{ sub: 'ann', email: 'ann@example.test' }]);

    const tested = await user.iml(['connections', 'test', 'work', '--allow-local']);
    expect(tested).toMatchObject({ code: 0, out: 'The connection "work" works: ann@example.test.\n' });

    const refreshed = await user.iml(['connections', 'refresh', 'work', '--allow-local']);
    expect(refreshed).toMatchObject({ code: 0, out: 'The connection "work" is refreshed.\n', err: '' });
    const again = await user.iml(['connections', 'refresh', 'work', '--allow-local']);
    expect(again.code).toBe(0);

    const listed = await user.iml(['connections', 'list']);
    expect(jsonLines(listed.out)).toMatchObject([
      { name: 'work', app: path.basename(app), connection: 'account', label: 'ann@example.test' },
    ]);

    const removed = await user.iml(['connections', 'remove', 'work', '--allow-local']);
    expect(removed).toMatchObject({ code: 0, out: 'The connection "work" is removed.\n', err: '' });
    expect((await user.iml(['connections', 'list'])).out).toBe('');
    expect(user.shown()).not.toContain(CLIENT.client_secret);
  });

  it('opens the authorization page on the server of --map', async () => {
    const user = newUser();
    const app = writeConnectApp('https://login.example.com');
    const map = ['--map', `https://login.example.com=${provider.issuer}`];
    const { code, err } = await user.iml(
      ['connect', app, 'account', '--name', 'work', '--port', '0', ...map],
      {
        onErr: browser(provider.login),
      },
    );
    expect(err).toContain(`Open this address in a browser:\n\n  ${provider.issuer}`);
    expect(code).toBe(0);
  });

  it('fails if the user denies access, and stores nothing', async () => {
    const user = newUser();
    const answers: string[] = [];
    const { code, out, err } = await user.iml(
      ['connect', writeConnectApp(provider.issuer), 'account', ...OAUTH],
      {
        onErr: browser(provider.refuse, answers),
      },
    );
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('RuntimeError: The provider refused the authorization: access_denied');
    await expect.poll(() => answers[0]).toContain('Not connected.');
    expect((await user.iml(['connections', 'list'])).out).toBe('');
  });

  it('responds to foreign requests and continues to wait', async () => {
    const user = newUser();
    const answers: number[] = [];
    const { code } = await user.iml(['connect', writeConnectApp(provider.issuer), 'account', ...OAUTH], {
      onErr: (text, interrupt) => {
        const back = /redirect to (\S+)\. /.exec(text)?.[1];
        if (back === undefined) return;
        void (async () => {
          for (const query of ['', '?code=x', '?code=x&state=guess'])
            answers.push((await fetch(back + query)).status);
          answers.push((await fetch(new URL('/other', back))).status);
          answers.push((await fetch(back, { method: 'POST' })).status);
          interrupt();
        })();
      },
    });
    expect({ code, answers }).toEqual({ code: 130, answers: [400, 400, 400, 404, 404] });
  });

  it('ends if there is no callback in time', async () => {
    const { code, err } = await newUser().iml([
      ...['connect', writeConnectApp(provider.issuer), 'account', ...OAUTH],
      ...['--wait', '0'],
    ]);
    expect(code).toBe(1);
    expect(err).toContain('No redirect arrived within 0 seconds.');
  });

  it('reports a port that is in use', async () => {
    const url = new URL(await startKeyService(() => ({ status: 200, body: {} })));
    const { code, err } = await newUser().iml([
      ...['connect', writeConnectApp(provider.issuer), 'account', '--allow-local', '--port', url.port],
    ]);
    expect(code).toBe(2);
    expect(err).toContain(`The port ${url.port} is in use.`);
  });
});

describe('iml connect with a key', () => {
  const answering = (answers: Readonly<Record<string, string>>, asked: [string, boolean][] = []) => ({
    ask: async (question: string, isHidden: boolean) => {
      asked.push([question, isHidden]);
      return Object.entries(answers).find(([name]) => question.includes(name))?.[1] ?? '';
    },
  });

  it('prompts for the fields of the form: hidden secrets, nested fields of the chosen option, no advanced fields', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const asked: [string, boolean][] = [];
    const user = newUser();
    const app = writeConnectApp(url, {
      url: `${url}/{{parameters.host}}`,
      response: { uid: '{{parameters.limit}}' },
    });
    const { code } = await user.iml(
      ['connect', app, 'key', '--name', 'k', '--allow-local'],
      answering({ apiKey: 'key-12345', region: 'own', host: 'h1', limit: '7' }, asked),
    );
    expect(code).toBe(0);
    expect(asked).toEqual([
      ['Key (apiKey) (not shown): ', true],
      ['Region (region) {eu, own} [eu]: ', false],
      ['host: ', false],
      ['limit: ', false],
    ]);
  });

  it('skips fields with a false condition, and repeats the prompt of a required field', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const asked: string[] = [];
    const replies = ['', 'key-12345', 'own', 'small'];
    const ask = async (question: string): Promise<string | undefined> => {
      asked.push(question.split(' ', 1)[0] ?? '');
      return replies.shift();
    };
    const args = ['connect', writeConnectApp(url), 'key', '--allow-local'];
    const { code, err } = await newUser().iml(args, { ask });
    expect({ code, asked }).toEqual({ code: 0, asked: ['Key', 'Key', 'Region', 'host:'] });
    expect(err).toContain('A value is required.');
  });

  it('ends at the end of input and sends nothing', async () => {
    const args = ['connect', writeConnectApp('http://127.0.0.1:1'), 'key', '--allow-local'];
    const { code, err } = await newUser().iml(args, { ask: async () => undefined });
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringContaining('No value was entered for the parameter "apiKey"'),
    });
  });

  it('prompts only for fields without -p, and applies defaults', async () => {
    const urls: string[] = [];
    const url = await startKeyService((path) => {
      urls.push(path);
      return { status: 200, body: {} };
    });
    const asked: [string, boolean][] = [];
    const { code } = await newUser().iml(
      [
        ...['connect', writeConnectApp(url, { url: `${url}/{{parameters.region}}` }), 'key'],
        ...['--allow-local', '-p', 'apiKey=key-12345', '-p', '{"limit":1}'],
      ],
      answering({}, asked),
    );
    expect({ code, urls }).toEqual({ code: 0, urls: ['/eu'] });
    expect(asked.map(([question]) => question)).toEqual(['Region (region) {eu, own} [eu]: ']);
  });

  it('reports missing fields without a terminal', async () => {
    const { code, err } = await newUser().iml(['connect', writeConnectApp('http://127.0.0.1:1'), 'key']);
    expect(code).toBe(1);
    expect(err).toContain("BundleValidationError: Missing value of required parameter 'apiKey'.");
    expect(err).toContain('Give values with -p NAME=VALUE');
  });

  it('suggests --allow-local for a server on this machine', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const args = ['connect', writeConnectApp(url), 'key', '-p', 'apiKey=key-12345'];
    const { code, err } = await newUser().iml(args);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('Allow requests to this machine with --allow-local'),
    });
  });

  it('shows the help of a field before its prompt', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const { err } = await newUser().iml(
      ['connect', writeConnectApp(url), 'key', '--allow-local'],
      answering({ apiKey: 'key-12345', region: 'eu' }),
    );
    expect(err).toContain('Settings, then API keys.\n');
  });

  it('uses the only connection of an app, and lists several', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const one = writeApp({
      'makecomapp.json': {
        fileVersion: 1,
        generalCodeFiles: {},
        components: {
          connection: { sole: { connectionType: 'basic', codeFiles: { communication: 'c.json' } } },
        },
      },
      'c.json': { url },
    });
    const user = newUser();
    expect(await user.iml(['connect', one, '--allow-local', '--name', 'x'])).toMatchObject({ code: 0 });
    expect(jsonLines((await user.iml(['connections', 'list'])).out)).toMatchObject([{ connection: 'sole' }]);
    const { code, err } = await user.iml(['connect', writeConnectApp(url)]);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('has account, key.') });
  });

  it('stores connections in encrypted files that only the user can read', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const user = newUser();
    const secret = canary('kept');
    const { code } = await user.iml([
      ...['connect', writeConnectApp(url), 'key', '--name', 'my key', '--allow-local'],
      ...['-p', JSON.stringify({ apiKey: secret })],
    ]);
    expect(code).toBe(0);
    const files = filesOf(user);
    expect(files.filter((file) => statSync(file).isFile()).length).toBe(2);
    for (const file of files) {
      expect([file, modeOf(file)]).toEqual([file, statSync(file).isFile() ? '600' : '700']);
      if (statSync(file).isFile())
        expectNoCanary(readFileSync(file, 'latin1') + readFileSync(file, 'utf8'), [secret]);
    }
    expect(modeOf(path.join(user.home, 'iml-runtime'))).toBe('700');
  });

  it('sends requests to the server of --map, and prints them with --trace without the key', async () => {
    const asked: string[] = [];
    const url = await startKeyService((path) => {
      asked.push(path);
      return { status: 200, body: {} };
    });
    const user = newUser();
    const app = writeConnectApp('https://api.example.com');
    const away = ['--map', `https://api.example.com=${url}`, '--trace'];
    const connected = await user.iml([
      ...['connect', app, 'key', '--name', 'k', '-p', 'apiKey=key-12345', ...away],
    ]);
    expect(connected).toMatchObject({ code: 0 });
    expect(connected.err).toMatch(/GET https:\/\/api\.example\.com\/key/);
    // Names of members in the response are not secret.
    expect(connected.err).toMatch(/^ +connection: (?!\[SANITIZED\])/m);
    const listed = await user.iml(['connections']);
    expect(listed).toEqual(await user.iml(['connections', 'list']));
    expect(listed.out).toContain('"name":"k"');
    const tested = await user.iml(['connections', 'test', 'k', ...away]);
    expect(tested).toMatchObject({ code: 0 });
    expect(tested.err).toMatch(/GET https:\/\/api\.example\.com\/key/);
    expect(asked).toEqual(['/key', '/key']);
    expect(user.shown()).not.toContain('key-12345');
    const env = { XDG_CONFIG_HOME: user.home, IML_APP_HOST: 'a/b' };
    expect(await user.iml(['connections', 'test', 'k'], { env })).toMatchObject({ code: 2 });
  });

  it('replaces a connection of the same name', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const user = newUser();
    const app = writeConnectApp(url);
    for (const apiKey of ['first-key', 'second-key']) {
      await user.iml(['connect', app, 'key', '--name', 'k', '--allow-local', '-p', `apiKey=${apiKey}`]);
    }
    expect(jsonLines((await user.iml(['connections', 'list'])).out)).toHaveLength(1);
  });

  it('refuses to replace a connection of another app, and sends no request', async () => {
    let calls = 0;
    const url = await startKeyService(() => {
      calls++;
      return { status: 200, body: {} };
    });
    const user = newUser();
    const args = (app: string) => [
      ...['connect', app, 'key', '--name', 'k', '--allow-local', '-p', 'apiKey=key-12345'],
    ];
    const first = writeConnectApp(url);
    expect(await user.iml(args(first))).toMatchObject({ code: 0 });
    const { code, err } = await user.iml(args(writeConnectApp(url)));
    expect({ code, calls }).toEqual({ code: 2, calls: 1 });
    expect(err).toContain(
      `"k" is already the name of a connection "key" of the app "${path.basename(first)}".`,
    );
  });

  it('replaces a connection that cannot be opened, which the list reports', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const user = newUser();
    const app = writeConnectApp(url);
    const args = ['connect', app, 'key', '--name', 'k', '--allow-local', '-p', 'apiKey=key-12345'];
    await user.iml(args);
    const [file = ''] = filesOf(user).filter((name) => name.endsWith('.sealed'));
    writeFileSync(file, '{}');
    const broken = await user.iml(['connections', 'list']);
    expect(broken).toMatchObject({ code: 0, out: '' });
    expect(broken.err).toContain('The connection "k" cannot be decrypted');
    expect(broken.err).toContain('iml connections remove NAME --local');
    expect(await user.iml(args)).toMatchObject({ code: 0 });
    expect(jsonLines((await user.iml(['connections', 'list'])).out)).toMatchObject([{ name: 'k' }]);
  });

  it('prints no secret of responses and messages', async () => {
    const secrets = [canary('key'), canary('ticket'), canary('common')];
    const [key = '', ticket = '', common = ''] = secrets;
    let status = 200;
    const url = await startKeyService(() => ({ status, body: { ticket, mail: `${key} of ${ticket}` } }));
    const app = writeConnectApp(url, {
      url: `${url}/{{encodeURL(parameters.apiKey)}}`,
      headers: { 'X-Common': '{{encodeURL(common.cs)}}' },
      response: {
        data: { ticket: '{{body.ticket}}' },
        metadata: { type: 'text', value: '{{body.mail}} {{common.cs}}' },
        error: 'Refused: {{parameters.apiKey}} {{common.cs}} {{base64(parameters.apiKey)}}',
      },
    });
    const user = newUser();
    const args = [
      ...['connect', app, 'key', '--name', 'k', '--allow-local', '-p', JSON.stringify({ apiKey: key })],
      ...['--common', JSON.stringify({ cs: common })],
    ];
    expect(await user.iml(args)).toMatchObject({ code: 0 });
    for (const action of ['list', 'test k', 'refresh k']) {
      const result = await user.iml(['connections', ...action.split(' '), '--allow-local']);
      expect(result).toMatchObject({ code: 0, err: '' });
    }
    await user.iml(['connections', 'list'], { terminal: true, env: { XDG_CONFIG_HOME: user.home } });
    status = 401;
    for (const more of [args, ['connections', 'test', 'k', '--allow-local']]) {
      const result = await user.iml(more, { env: { XDG_CONFIG_HOME: user.home, IML_DEBUG: '1' } });
      expect(result).toMatchObject({ code: 1, err: expect.stringContaining('Refused: [SANITIZED]') });
    }
    expect(user.shown()).toContain('[SANITIZED] of [SANITIZED]');
    expectNoCanary(user.shown(), secrets);
  });
});

describe('stored connections', () => {
  async function userWithKey(app: string): Promise<User> {
    const user = newUser();
    const made = await user.iml([
      'connect',
      app,
      'key',
      '--name',
      'k',
      '--allow-local',
      '-p',
      'apiKey=key-12345',
    ]);
    expect(made.code).toBe(0);
    return user;
  }

  it('cannot be used by another app', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const user = await userWithKey(writeConnectApp(url));
    const result = await user.iml([
      'run',
      writeConnectApp(url),
      'whoAmI',
      '--connection',
      'k',
      '--allow-local',
    ]);
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('Other apps cannot use it.') });
  });

  it.each(['test', 'refresh', 'remove'])('are not given to another app by %s --app', async (action) => {
    const asked: string[] = [];
    const other = writeConnectApp(
      await startKeyService((at) => {
        asked.push(at);
        return { status: 200, body: {} };
      }),
    );
    const app = writeConnectApp(await startKeyService(() => ({ status: 200, body: {} })));
    const user = await userWithKey(app);
    const sealed = (): string =>
      readFileSync(filesOf(user).find((file) => file.endsWith('.sealed')) ?? '', 'utf8');
    const before = sealed();
    const given = (folder: string): Promise<CliResult> =>
      user.iml(['connections', action, 'k', '--app', folder, '--allow-local']);
    const refused = await given(other);
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'Other apps cannot use it. If this is that app: iml connections move NAME --app',
      ),
    });
    expect([asked, sealed()]).toEqual([[], before]);
    expect(await given(app)).toMatchObject({ code: 0 });
  });

  // Line 13 of the findings.
  describe('belong to an app', () => {
    const HOST = ['--connection', 'k', '--allow-local'];

    /** The app in a folder of this base name, under these names of the platform. */
    function placeApp(url: string, parent: string, appIds: readonly string[]): string {
      const folder = path.join(parent, 'app');
      cpSync(writeConnectApp(url), folder, { recursive: true });
      nameApp(folder, appIds);
      return folder;
    }

    function nameApp(folder: string, appIds: readonly string[]): void {
      const file = path.join(folder, 'makecomapp.json');
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
      const origins = appIds.map((appId) => ({ label: 'origin', appId }));
      writeFileSync(file, JSON.stringify({ ...manifest, origins }));
    }

    const newParent = (): string => writeApp({ 'empty.txt': '' });
    const url = (): Promise<string> => startKeyService(() => ({ status: 200, body: {} }));

    it.each([[[]], [['crm']]])('identified by its folder, not by its name: %j', async (appIds) => {
      const service = await url();
      const user = await userWithKey(placeApp(service, newParent(), appIds));
      const other = placeApp(service, newParent(), appIds);
      const run = await user.iml(['run', other, 'whoAmI', ...HOST]);
      expect(run).toMatchObject({ code: 1, err: expect.stringContaining('Other apps cannot use it.') });
    });

    it('so that another app in its folder cannot use them', async () => {
      const service = await url();
      const folder = placeApp(service, newParent(), ['crm', 'crm-test']);
      const user = await userWithKey(folder);
      for (const appIds of [['other'], [], ['CRM']]) {
        nameApp(folder, appIds);
        const run = await user.iml(['run', folder, 'whoAmI', ...HOST]);
        expect(run).toMatchObject({ code: 1, err: expect.stringContaining('(crm, crm-test)') });
        for (const action of ['test', 'refresh', 'remove']) {
          const done = await user.iml(['connections', action, 'k', '--allow-local']);
          expect(done).toMatchObject({ code: 2, err: expect.stringContaining('Other apps cannot use it.') });
        }
      }
      nameApp(folder, ['crm-test', 'crm-next']);
      expect(await user.iml(['connections', 'test', 'k', '--allow-local'])).toMatchObject({ code: 0 });
    });

    it('identified by its ID once it exists in Make', async () => {
      const service = await url();
      const folder = placeApp(service, newParent(), []);
      const user = await userWithKey(folder);
      nameApp(folder, ['crm']);
      expect(await user.iml(['connections', 'test', 'k', '--allow-local'])).toMatchObject({ code: 0 });
      nameApp(folder, ['other']);
      expect(await user.iml(['connections', 'test', 'k', '--allow-local'])).toMatchObject({ code: 2 });
    });

    it('and move with it by iml connections move', async () => {
      const service = await url();
      const folder = placeApp(service, newParent(), ['crm']);
      const user = await userWithKey(folder);
      const moved = path.join(newParent(), 'moved');
      renameSync(folder, moved);
      const refused = await user.iml(['run', moved, 'whoAmI', ...HOST]);
      expect(refused.err).toContain('iml connections move NAME --app FOLDER');
      expect(await user.iml(['connections', 'move', 'k'])).toMatchObject({ code: 2 });
      const done = await user.iml(['connections', 'move', 'k', '--app', moved]);
      expect(done).toMatchObject({
        code: 0,
        out: `The connection "k" now belongs to the app "moved" in ${moved}.\n`,
      });
      expect(await user.iml(['connections', 'test', 'k', '--allow-local'])).toMatchObject({ code: 0 });
      const without = writeApp({ 'makecomapp.json': { fileVersion: 1, components: {} } });
      expect(await user.iml(['connections', 'move', 'k', '--app', without])).toMatchObject({ code: 2 });
    });
  });

  it('cannot be used by modules of another connection', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const app = writeConnectApp(url);
    const user = await userWithKey(app);
    const result = await user.iml(['run', app, 'whoAmI', '--connection', 'k', '--allow-local']);
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('expected "account"') });
  });

  it('a run without one explains so, and an unknown name exits with 2', async () => {
    const app = writeConnectApp('http://127.0.0.1:1');
    const without = await newUser().iml(['run', app, 'whoAmI', '--allow-local']);
    expect(without).toMatchObject({
      code: 1,
      err: expect.stringContaining('The module uses the connection "account", but --connection is missing'),
    });
    const unknown = await newUser().iml(['run', app, 'whoAmI', '--connection', 'absent']);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('There is no connection') });
  });

  it.each([
    ['test', 'absent'],
    ['refresh', 'absent'],
    ['remove', 'absent'],
  ])('%s of an unknown one exits with 2', async (action, name) => {
    const { code, err } = await newUser().iml(['connections', action, name]);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('There is no connection') });
  });

  it('are suggested for a similar name', async () => {
    const url = await startKeyService(() => ({ status: 200, body: {} }));
    const user = await userWithKey(writeConnectApp(url));
    await user.iml([
      'connect',
      writeConnectApp(url),
      'key',
      '--name',
      'office',
      '--allow-local',
      '-p',
      'apiKey=x12345',
    ]);
    expect((await user.iml(['connections', 'test', 'ofice'])).err).toContain('Did you mean "office"?');
  });

  it.each([
    [['connections', 'lst'], 'Did you mean "list"?'],
    [['connections', 'test'], 'Missing <name>'],
    [['connections', 'list', 'k'], 'Unexpected argument'],
  ])('%j: %s', async (args, message) => {
    const { code, err } = await newUser().iml(args);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it('are removed also without the API or the app', async () => {
    const user = newUser();
    const app = writeConnectApp(provider.issuer);
    await user.iml(['connect', app, 'account', '--name', 'a', ...OAUTH], { onErr: browser(provider.login) });
    const refused = await user.iml(['connections', 'remove', 'a']);
    expect(refused).toMatchObject({ code: 0, err: expect.stringContaining('the API was not notified') });
    await user.iml(['connect', app, 'account', '--name', 'b', ...OAUTH], { onErr: browser(provider.login) });
    rmSync(app, { recursive: true });
    const lost = await user.iml(['connections', 'remove', 'b']);
    expect(lost).toMatchObject({ code: 2, err: expect.stringContaining('iml connections move NAME --app') });
    expect(lost.err).toContain('--local');
    expect((await user.iml(['connections', 'remove', 'b', '--local'])).code).toBe(0);
    expect((await user.iml(['connections', 'list'])).out).toBe('');
  });
});

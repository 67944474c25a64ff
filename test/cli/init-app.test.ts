import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { cli, type FakeIoOptions } from './fake-io.js';

let folder: string;

beforeEach(() => {
  folder = makeTemporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

const iml = (line: string, options: FakeIoOptions = {}): ReturnType<typeof cli> =>
  cli(line.split(' '), { cwd: folder, ...options });

const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
const manifest = (app: string): { components: Record<string, Record<string, Record<string, unknown>>> } =>
  JSON.parse(read(`${app}/makecomapp.json`));

/** Every kind of component that `iml add` knows, with the components that it refers to. */
const ADDITIONS = [
  'module listContacts',
  'module searchOpenOrders',
  'module getContact',
  'module createAnOrder',
  'module updateContact',
  'module deletePerson',
  'module archiveOrder',
  'module runGraphql',
  'module respondToCall',
  'module fetchThing --template get --path /v2/things',
  'trigger watchContacts',
  'webhook events',
  'trigger watchEvents --webhook events',
  'webhook shared --shared',
  'rpc listUsers',
  'function fullName',
  'endpoint getContact',
];

describe('iml init app', () => {
  it.each(['none', 'api-key', 'basic', 'oauth2'])(
    'creates an app with authentication %s that passes check and test',
    async (auth) => {
      const made = await iml(`init app acme --base-url https://api.acme.example/v1 --auth ${auth}`);
      expect(made).toMatchObject({ code: 0, err: expect.stringContaining('iml add module') });
      const names = Object.keys(manifest('acme').components['connection'] ?? {});
      expect(names).toEqual(auth === 'none' ? [] : ['account']);
      expect(await iml('check acme --fail-on info')).toMatchObject({ code: 0 });
      expect(await iml('test acme')).toMatchObject({ code: 0, out: expect.not.stringContaining('todo') });
    },
  );

  it.each(['none', 'oauth2'])(
    'passes check and test with every component and authentication %s',
    async (auth) => {
      await iml(`init app acme --base-url https://api.acme.example/v1 --auth ${auth}`);
      for (const addition of ADDITIONS) {
        const [what, name, ...flags] = addition.split(' ');
        const added = await cli(['add', what ?? '', name ?? '', 'acme', ...flags], { cwd: folder });
        expect(added, addition).toMatchObject({ code: 0 });
        const isCallable = what === 'module' || (what === 'trigger' && !flags.includes('--webhook'));
        expect(added.err.includes(`iml run acme ${name} --connection NAME --defaults --record`)).toBe(
          isCallable,
        );
      }
      const checked = await iml('check acme --fail-on warning');
      expect(checked, checked.out).toMatchObject({ code: 0 });
      const tested = await iml('test acme');
      expect(tested, tested.out).toMatchObject({ code: 0, out: expect.not.stringContaining('todo') });
    },
  );

  it('uses .iml.jsonc with --extension, also in iml add, and such an app loads without its manifest', async () => {
    await iml('init app acme --base-url https://api.acme.example --auth api-key --extension .iml.jsonc');
    expect((await iml('add module listContacts acme')).code).toBe(0);
    const api = 'modules/list-contacts/list-contacts.communication.iml.jsonc';
    writeFileSync(path.join(folder, 'acme', api), `// A comment.\n${read(`acme/${api}`)}`);
    expect(await iml('check acme --fail-on info')).toMatchObject({ code: 0 });
    expect((await iml('test acme')).code).toBe(0);

    const stray = 'acme/modules/list-contacts/stray.iml.jsonc';
    writeFileSync(path.join(folder, stray), '{}');
    expect((await iml('check acme')).out).toContain(`${stray}: `);
    rmSync(path.join(folder, stray));

    rmSync(path.join(folder, 'acme/makecomapp.json'));
    const shown = await iml('info acme');
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('list-contacts  search') });
  });

  it('prompts for the address and the authentication until the input is valid', async () => {
    const answers = ['nonsense', 'https://api.acme.example', 'token', 'api-key'];
    const questions: string[] = [];
    const ask = async (question: string): Promise<string | undefined> => {
      questions.push(question);
      return answers.shift();
    };
    const made = await iml('init app acme', { ask, terminal: true });
    expect(made.code).toBe(0);
    expect(questions).toHaveLength(4);
    expect(made.err).toContain('expected an http or https address');
    expect(made.err).toContain('expected one of none, api-key, basic, oauth2');
    expect(JSON.parse(read('acme/general/base.iml.json'))).toMatchObject({
      baseUrl: 'https://api.acme.example',
      headers: { authorization: 'Bearer {{connection.apiKey}}' },
    });
  });

  it('sends the key in a header of its own with --key-header', async () => {
    await iml('init app acme --base-url https://api.acme.example --auth api-key --key-header X-Key');
    expect(JSON.parse(read('acme/general/base.iml.json'))).toMatchObject({
      headers: { 'x-key': '{{connection.apiKey}}' },
      log: { sanitize: ['request.headers.x-key'] },
    });
  });

  it.each([
    ['init app', 'Missing <name>'],
    ['init app Acme --base-url https://a.example', 'Invalid name "Acme" of the app'],
    ['init app acme', 'Missing --base-url'],
    ['init app acme --base-url ftp://a.example', '--base-url: expected an http or https address'],
    ['init app acme --base-url https://u:p@a.example', '--base-url: expected an http or https address'],
    ['init app acme --base-url https://a.example --auth magic', '--auth: expected one of'],
    ['init app acme --base-url https://a.example --key-header x', '--key-header is for --auth api-key'],
    ['init app acme --base-url https://a.example --account-path me', '--account-path: expected a path'],
  ])('refuses "%s" and writes nothing', async (line, message) => {
    expect(await iml(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a name that Make refuses, and names the rule in its help too', async () => {
    const { code, err } = await iml('init app ab --base-url https://api.acme.example --auth none');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('expected 3 to 30 lower-case letters, digits and dashes'),
    ]);
    expect((await iml('init --help')).out.replace(/\s+/g, ' ')).toContain(
      'name of the app, 3 to 30 lower-case letters, digits and dashes',
    );
  });

  it('refuses a folder that has an app', async () => {
    await iml('init app acme --base-url https://a.example');
    const before = read('acme/makecomapp.json');
    const second = await iml('init app acme --base-url https://b.example');
    expect(second).toMatchObject({
      code: 2,
      err: expect.stringContaining('The folder "acme" already contains an app'),
    });
    expect(read('acme/makecomapp.json')).toBe(before);
  });
});

describe('iml add', () => {
  beforeEach(async () => {
    await iml('init app acme --base-url https://api.acme.example/v1 --auth api-key');
  });

  it('writes the files that the editor would, and a row that names them', async () => {
    expect((await iml('add module listContacts acme')).code).toBe(0);
    expect(manifest('acme').components['module']?.['listContacts']).toEqual({
      label: 'List contacts',
      description: 'Returns contacts.',
      moduleType: 'search',
      connection: 'account',
      altConnection: null,
      codeFiles: {
        communication: 'modules/list-contacts/list-contacts.communication.iml.json',
        staticParams: 'modules/list-contacts/list-contacts.static-params.iml.json',
        mappableParams: 'modules/list-contacts/list-contacts.mappable-params.iml.json',
        interface: 'modules/list-contacts/list-contacts.interface.iml.json',
        samples: 'modules/list-contacts/list-contacts.samples.iml.json',
        scope: 'modules/list-contacts/list-contacts.scope.iml.json',
      },
    });
    expect(readdirSync(path.join(folder, 'acme/tests'))).toContain('listContacts');
  });

  it.each([
    ['getAnInvoice', 'Get an invoice', 'Returns the details of an invoice.'],
    ['createUser', 'Create a user', 'Creates a user.'],
    ['listPeople', 'List people', 'Returns people.'],
    ['searchOpenCategories', 'Search open categories', 'Returns open categories.'],
  ])('derives label and description of %s', async (name, label, description) => {
    await iml(`add module ${name} acme`);
    expect(manifest('acme').components['module']?.[name]).toMatchObject({ label, description });
  });

  it('keeps the comments and the layout of the manifest', async () => {
    const file = path.join(folder, 'acme/makecomapp.json');
    writeFileSync(file, `// Ours.\r\n${read('acme/makecomapp.json').replaceAll('\n', '\r\n')}`);
    await iml('add rpc listUsers acme');
    const text = read('acme/makecomapp.json');
    expect(text).toMatch(/^\/\/ Ours\.\r\n/);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(text).toContain('"listUsers"');
  });

  it.each([
    ['add modul listContacts acme', '"modul" cannot be added. Did you mean "module"?'],
    ['add module x acme', 'Invalid name "x" of the module'],
    ['add module makeApiCall acme', 'already has a module "makeApiCall"'],
    [
      'add module listContacts acme --app-connection acount',
      'There is no connection "acount". Did you mean "account"?',
    ],
    ['add trigger watchEvents acme --webhook events', 'There is no webhook "events"'],
    ['add rpc listUsers acme --auth basic', '--auth is for connection, not for rpc'],
    ['add module listContacts acme --template magic', '--template: Expected one of'],
    ['add module listContacts nowhere', 'There is no folder "'],
  ])('refuses "%s" and changes nothing', async (line, message) => {
    const before = read('acme/makecomapp.json');
    expect(await iml(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(read('acme/makecomapp.json')).toBe(before);
  });

  it('requires the name of a connection if there are several', async () => {
    await iml('add connection second acme --auth basic');
    expect(await iml('add rpc listUsers acme')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--app-connection: account, second, none'),
    });
    expect((await iml('add rpc listUsers acme --app-connection second')).code).toBe(0);
    expect((await iml('add rpc listTeams acme --app-connection none')).code).toBe(0);
    expect(manifest('acme').components['rpc']).toMatchObject({
      listUsers: { connection: 'second' },
      listTeams: { connection: null },
    });
  });

  it.each(['get', 'list', 'create'])(
    'writes a %s module that iml infer runs with a response',
    async (verb) => {
      await iml(`add module ${verb}Contacts acme`);
      const contact = { id: 7, email: 'ann@example.com' };
      const answer = verb === 'list' ? { contacts: [contact] } : contact;
      writeFileSync(path.join(folder, 'answer.json'), JSON.stringify(answer));
      const inferred = await iml(`infer interface ${verb}Contacts acme --from-json answer.json`);
      expect(inferred).toMatchObject({ code: 0, out: expect.stringContaining('added email') });
    },
  );

  it('never overwrites a file, and completes an interrupted addition', async () => {
    const before = read('acme/makecomapp.json');
    await iml('add rpc listUsers acme');
    const after = read('acme/makecomapp.json');
    const file = path.join(folder, 'acme/makecomapp.json');
    writeFileSync(file, before);
    expect((await iml('add rpc listUsers acme')).code).toBe(0);
    expect(read('acme/makecomapp.json')).toBe(after);

    writeFileSync(file, before);
    writeFileSync(path.join(folder, 'acme/rpcs/list-users/list-users.params.iml.json'), '[ ]');
    expect(await iml('add rpc listUsers acme')).toMatchObject({
      code: 2,
      err: expect.stringContaining('already exists. Nothing was written.'),
    });
    expect(read('acme/makecomapp.json')).toBe(before);
  });
});

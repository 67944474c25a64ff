import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Make } from '@makehq/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../rest/test-server.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { builtCli } from './build-cli.js';
import { type CliResult, cli, type FakeIoOptions } from './fake-io.js';

const BOOKSHOP = path.join(import.meta.dirname, '../../spec-fixtures/bookshop');

const startBuilt = builtCli();

let stage: TestServer;
let make: Make;
let folder: string;
let id = '';
let number = 0;

const { fetch } = globalThis;

beforeAll(async () => {
  stage = await startTestServer();
  make = new Make(stage.token, stage.zone);
  make.protocol = 'http';
});
afterAll(() => stage.close());
beforeEach(() => {
  folder = makeTemporaryFolder();
  id = `app-${++number}`;
});
afterEach(() => rmSync(folder, { recursive: true }));

const iml = (line: string, options: FakeIoOptions = {}): Promise<CliResult> => {
  const env = { HOME: path.join(folder, 'home'), ...(options.env ?? { MAKE_API_KEY: stage.token }) };
  return cli(line.split(' '), { cwd: folder, ...options, env });
};

const there = (): string => `--api-url http://${stage.zone}/api --app-id ${id}`;

/** Runs work with another `fetch`. */
async function withFetch<T>(replaced: typeof fetch, work: () => Promise<T>): Promise<T> {
  globalThis.fetch = replaced;
  return work().finally(() => {
    globalThis.fetch = fetch;
  });
}

/** Pushes a copy of an app to an empty server. */
async function start(source: string): Promise<string> {
  cpSync(source, path.join(folder, 'app'), { recursive: true });
  const pushed = await iml(`push app ${there()} --create --yes --skip-check --skip-tests`);
  expect(pushed, pushed.out + pushed.err).toMatchObject({ code: 0 });
  id = manifestOf(path.join(folder, 'app')).origins.at(-1)?.appId ?? '';
  return path.join(folder, 'app');
}

interface ManifestFile {
  readonly generalCodeFiles: Record<string, string | null>;
  readonly components: Record<string, Record<string, { codeFiles: Record<string, string | null> }>>;
  readonly origins: {
    appId: string;
    idMapping: Record<string, { local: string | null; remote: string | null }[]>;
  }[];
}

const manifestOf = (app: string): ManifestFile =>
  JSON.parse(readFileSync(path.join(app, 'makecomapp.json'), 'utf8').replace(/^\uFEFF/, ''));

/** The files that a manifest names, by component and code type, as bytes. */
function filesOf(
  app: string,
  name: (kind: string, local: string) => string = (_, local) => local,
): Map<string, Buffer> {
  const { generalCodeFiles, components } = manifestOf(app);
  const found = new Map<string, Buffer>();
  const add = (key: string, file: string | null): void => {
    const target = file === null ? '' : path.join(app, file);
    if (file === null || file.startsWith('..') || !existsSync(target) || !statSync(target).isFile()) return;
    found.set(key, readFileSync(target));
  };
  for (const [code, file] of Object.entries(generalCodeFiles ?? {})) add(`app ${code}`, file);
  for (const [kind, records] of Object.entries(components)) {
    for (const [local, record] of Object.entries(records)) {
      if (record === null) continue;
      for (const [code, file] of Object.entries(record.codeFiles))
        add(`${kind} ${name(kind, local)} ${code}`, file);
    }
  }
  return found;
}

/** The name of a component on the server. */
function remoteName(app: string): (kind: string, local: string) => string {
  const origin = manifestOf(app).origins.find(({ appId }) => appId === id);
  return (kind, local) =>
    origin?.idMapping[kind]?.find((row) => row.local === local)?.remote ?? `no ${local}`;
}

// test/life/sync-corpus.test.ts does the same with published apps.
it('an app that was pushed is identical after a pull, and a second push writes nothing', async () => {
  const app = await start(BOOKSHOP);
  const pushed = filesOf(app);
  expect(await iml(`status app --origin ${id}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('no differences'),
  });
  const again = await iml(`push app ${there()} --yes --skip-check --skip-tests`);
  expect(again).toMatchObject({ code: 0, err: 'There is nothing to write.\n' });

  for (const records of Object.values(manifestOf(app).components)) {
    for (const { codeFiles } of Object.values(records)) {
      for (const file of Object.values(codeFiles))
        if (file !== null) rmSync(path.join(app, file), { force: true });
    }
  }
  const restored = await iml(`pull app ${there()} --yes`);
  expect(restored, restored.err).toMatchObject({ code: 0 });
  expect(filesOf(app)).toEqual(pushed);

  const cloned = await iml(`pull clone ${there()} --yes`);
  expect(cloned, cloned.err).toMatchObject({ code: 0 });
  const clone = filesOf(path.join(folder, 'clone'), remoteName(path.join(folder, 'clone')));
  for (const [key, bytes] of filesOf(app, remoteName(app))) {
    if (!/ common$/.test(key)) expect([key, clone.get(key)?.toString()]).toEqual([key, bytes.toString()]);
  }
  expect(await iml('status clone')).toMatchObject({ out: expect.stringContaining('no differences') });
});

describe('iml push, pull and status', { timeout: 60_000 }, () => {
  const MODULE = 'modules/get-book/get-book.communication.iml.json';
  const edit = (file: string, text: string): void => {
    const target = path.join(folder, 'app', file);
    writeFileSync(target, `${readFileSync(target, 'utf8')}${text}`);
  };

  it('show a plan and write nothing without --yes', async () => {
    cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
    const before = readFileSync(path.join(folder, 'app/makecomapp.json'), 'utf8');
    ({ name: id } = await make.sdk.apps.create({ name: id, label: 'X', audience: 'global' }));
    const shown = await iml(`push app ${there()}`);
    expect(shown).toMatchObject({ code: 1, err: expect.stringContaining('Add --yes') });
    expect(shown.out).toContain('new here       module getBook');
    expect(await make.sdk.modules.list(id, 1)).toEqual([]);
    expect(readFileSync(path.join(folder, 'app/makecomapp.json'), 'utf8')).toBe(before);
    const asked = await iml(`push app ${there()}`, { ask: async () => 'n', terminal: true });
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was written.') });
    expect(await make.sdk.modules.list(id, 1)).toEqual([]);
  });

  it('report which side changed, and exchange the changes', async () => {
    const app = await start(BOOKSHOP);
    edit(MODULE, '// Here.\n');
    await make.sdk.modules.setSection(id, 1, 'listBooks', 'samples', '{"title":"There"}');
    await make.sdk.modules.update(id, 1, 'listBooks', { label: 'Books there' });
    const { out } = await iml('status app');
    expect(out).toContain('changed here   module getBook api');
    expect(out).toContain('changed there  module listBooks samples');
    expect(out).toContain('changed there  module listBooks label');
    expect((await iml('push app --yes')).code).toBe(0);
    expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).toContain('// Here.');
    expect(await make.sdk.modules.getSection(id, 1, 'listBooks', 'samples')).toBe('{"title":"There"}');
    expect((await iml('pull app --yes')).code).toBe(0);
    expect(readFileSync(path.join(app, 'modules/list-books/list-books.samples.iml.json'), 'utf8')).toBe(
      '{"title":"There"}',
    );
    expect(manifestOf(app).components['module']?.['listBooks']).toMatchObject({ label: 'Books there' });
    expect((await iml('status app')).out).toContain('no differences');
  });

  it('stop at a section that changed on both sides, unless --force names the winner', async () => {
    const app = await start(BOOKSHOP);
    edit(MODULE, '// Here.\n');
    await make.sdk.modules.setSection(id, 1, 'getBook', 'api', '{"url":"/there"}');
    edit('modules/list-books/list-books.interface.iml.json', '// Here.\n');
    for (const command of ['push', 'pull']) {
      const stopped = await iml(`${command} app --yes`);
      expect(stopped).toMatchObject({
        code: 1,
        err: expect.stringContaining('module getBook api differs on both sides'),
      });
    }
    expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).toBe('{"url":"/there"}');
    expect(await make.sdk.modules.getSection(id, 1, 'listBooks', 'interface')).not.toContain('// Here.');
    expect((await iml('pull app --yes --force')).code).toBe(0);
    expect(readFileSync(path.join(app, MODULE), 'utf8')).toBe('{"url":"/there"}');

    edit(MODULE, ' // Here.');
    await make.sdk.modules.setSection(id, 1, 'getBook', 'api', '{"url":"/again"}');
    expect((await iml('push app --yes --force --skip-check --skip-tests')).code).toBe(0);
    expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).toBe('{"url":"/there"} // Here.');
  });

  it('stop a push at errors of check and at failing tests', async () => {
    await start(BOOKSHOP);
    edit(MODULE, '// Here.\n');
    edit('modules/list-books/list-books.communication.iml.json', 'not JSON');
    expect(await iml('push app --yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /iml check reports \d errors?, first modules\/list-books\/list-books\.communication\.iml\.json:\d+: \w/,
      ),
    });
    const api = await make.sdk.modules.getSection(id, 1, 'listBooks', 'api');
    writeFileSync(path.join(folder, 'app/modules/list-books/list-books.communication.iml.json'), api);
    expect((await iml('init tests app')).code).toBe(0);
    const test = path.join(folder, 'app/tests/getBook/getBook.test.json');
    writeFileSync(test, readFileSync(test, 'utf8').replace('"status": 200', '"status": 404'));
    const failed = await iml('push app --yes');
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('A test fails') });
    expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).not.toContain('// Here.');
    expect((await iml('push app --yes --skip-tests')).code).toBe(0);
    expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).toContain('// Here.');
  });

  it('push one new module with its connection by the name that the server made', async () => {
    await iml('init app acme --base-url https://api.acme.example/v1 --auth api-key');
    const pushed = await iml(`push acme ${there()} --create --yes`);
    expect(pushed, pushed.err).toMatchObject({ code: 0 });
    id = manifestOf(path.join(folder, 'acme')).origins[0]?.appId ?? '';
    await iml('add module listContacts acme');
    expect((await iml('push acme --yes')).code).toBe(0);
    expect(await make.sdk.modules.get(id, 1, 'listContacts')).toMatchObject({ connection: id, typeId: 9 });
    expect(await make.sdk.modules.get(id, 1, 'makeApiCall')).toMatchObject({ connection: id });
    const { idMapping } = manifestOf(path.join(folder, 'acme')).origins[0] ?? {};
    expect(idMapping?.['connection']).toEqual([{ local: 'account', remote: id }]);
  });

  it('take the name of a created app from the answer, and create no second one', async () => {
    await iml('init app acme --base-url https://api.acme.example/v1 --auth api-key');
    const line = `push acme ${there()} --create --yes`;
    // The server creates the app, but its answer is lost.
    const cut = await withFetch(
      async (input, init) => {
        const response = await fetch(input, init);
        if (init?.method === 'POST') throw new TypeError('fetch failed');
        return response;
      },
      () => iml(line),
    );
    expect(cut).toMatchObject({ code: 2, err: expect.stringContaining('cannot be reached') });
    for (const repeated of [line, line, 'push acme --yes'])
      expect(await iml(repeated)).toMatchObject({ code: 0 });
    const apps = (await make.sdk.apps.list()).filter(({ name }) => name.startsWith(`${id}-`));
    expect(apps.map(({ name }) => name)).toEqual([expect.stringMatching(/^app-\d+-[0-9a-z]{6}$/)]);
    const { origins } = manifestOf(path.join(folder, 'acme'));
    expect(origins.map(({ appId }) => appId)).toEqual(apps.map(({ name }) => name));
    expect(await make.sdk.modules.list(String(apps[0]?.name), 1)).not.toHaveLength(0);
    expect((await iml('status acme')).out).toContain('no differences');
  });

  it('create no app before it is confirmed, checked and tested', async () => {
    await iml('init app acme --base-url https://api.acme.example/v1 --auth api-key');
    const app = path.join(folder, 'acme');
    const before = readFileSync(path.join(app, 'makecomapp.json'), 'utf8');
    const line = `push acme ${there()} --create`;
    expect(await iml(line)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was written. Add --yes'),
    });
    writeFileSync(path.join(app, 'general/base.iml.json'), '{');
    expect(await iml(`${line} --yes`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('iml check reports'),
    });
    expect((await make.sdk.apps.list()).filter(({ name }) => name.startsWith(`${id}-`))).toEqual([]);
    expect(readFileSync(path.join(app, 'makecomapp.json'), 'utf8')).toBe(before);
  });

  it.each([1, 4, 9, 40])('complete a push that ended after %i requests', async (limit) => {
    cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
    ({ name: id } = await make.sdk.apps.create({ name: id, label: 'X', audience: 'global' }));
    let left = limit;
    const loses: typeof fetch = async (input, init) => {
      const isWrite = init?.method !== undefined && init.method !== 'GET';
      if (!isWrite) return fetch(input, init);
      // The server performs the last request, but its response never arrives.
      const response = left-- >= 0 ? await fetch(input, init) : undefined;
      if (left < 0 || response === undefined) throw new TypeError('fetch failed');
      return response;
    };
    const line = `push app ${there()} --yes --skip-check --skip-tests`;
    const cut = await withFetch(loses, () => iml(line));
    const completed = await iml(line);
    expect(completed, cut.err + completed.out + completed.err).toMatchObject({ code: 0 });
    expect((await iml('status app')).out).toContain('no differences');
    expect(await make.sdk.connections.list(id)).toHaveLength(1);
  });

  it.each([1, 12])('complete a push whose process was killed after it wrote %i parts', async (parts) => {
    cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
    ({ name: id } = await make.sdk.apps.create({ name: id, label: 'X', audience: 'global' }));
    const options = `${there()} --yes --skip-check --skip-tests`.split(' ');
    process.env['MAKE_API_KEY'] = stage.token;
    process.env['XDG_CONFIG_HOME'] = path.join(folder, 'home/.config');
    const { child, written, result } = startBuilt(['push', path.join(folder, 'app'), ...options]);
    delete process.env['MAKE_API_KEY'];
    delete process.env['XDG_CONFIG_HOME'];
    child.stdout?.on('data', () => {
      if (written.out.split('  wrote ').length > parts) child.kill('SIGKILL');
    });
    expect(await result).toMatchObject({ signal: 'SIGKILL' });
    expect((await iml('status app')).out).toMatch(/new here|changed here/);
    const completed = await iml(`push app ${options.join(' ')}`);
    expect(completed, completed.err).toMatchObject({ code: 0 });
    expect((await iml('status app')).out).toContain('no differences');
    expect(await make.sdk.connections.list(id)).toHaveLength(1);
    expect(await make.sdk.modules.list(id, 1)).toHaveLength(
      Object.keys(manifestOf(path.join(folder, 'app')).components['module'] ?? {}).length,
    );
  });

  it('leave ignored components and those of others alone', async () => {
    const app = await start(BOOKSHOP);
    const file = path.join(app, 'makecomapp.json');
    const manifest = manifestOf(app);
    for (const row of manifest.origins[0]?.idMapping['module'] ?? []) {
      if (row.local === 'getBook') row.remote = null;
    }
    manifest.origins[0]?.idMapping['module']?.push({ local: null, remote: 'getBook' });
    writeFileSync(file, JSON.stringify(manifest));
    edit(MODULE, '// Here.\n');
    const { out } = await iml('status app');
    expect(out).toContain('ignored        module getBook');
    expect(out).not.toContain('module getBook api');
    expect(await iml('push app --yes')).toMatchObject({ err: 'There is nothing to write.\n' });
  });

  it('stop at a component that was deleted in Make', async () => {
    await start(BOOKSHOP);
    await make.sdk.modules.delete(id, 1, 'getBook');
    edit(MODULE, '// Here.\n');
    expect(await iml('push app --yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('module getBook was deleted in Make'),
    });
  });

  it('repeat a push whose answer got lost when an endpoint was created, without a conflict', async () => {
    await iml('init app app --base-url https://api.acme.example/v1 --auth api-key');
    await iml('add endpoint fetchContact app');
    ({ name: id } = await make.sdk.apps.create({ name: id, label: 'X', audience: 'global' }));
    const line = `push app ${there()} --yes --skip-check --skip-tests`;
    const sent: string[] = [];
    const cut = await withFetch(
      async (input, init) => {
        const response = await fetch(input, init);
        const { pathname } = new URL(String(input));
        if (init?.method !== undefined && init.method !== 'GET') sent.push(pathname);
        if (init?.method === 'POST' && pathname.endsWith('/endpoints')) throw new TypeError('fetch failed');
        return response;
      },
      () => iml(line),
    );
    expect(cut).toMatchObject({
      code: 1,
      err: expect.stringMatching(/failed: endpoint \w+: .* cannot be reached\.\nThe rest was left\./),
    });
    // The first lost connection ends the push.
    expect(sent.at(-1)).toMatch(/endpoints$/);
    expect((await iml('status app')).out).not.toContain('conflict');
    expect((await iml(line)).code).toBe(0);
    expect((await iml('status app')).out).toContain('no differences');
  });

  it('leave out a component that was deleted here', async () => {
    const app = await start(BOOKSHOP);
    const file = path.join(app, 'makecomapp.json');
    const manifest = manifestOf(app);
    delete manifest.components['module']?.['getBook'];
    writeFileSync(file, JSON.stringify(manifest));
    rmSync(path.join(app, 'modules/get-book'), { recursive: true });
    expect((await iml('status app')).out).toContain('deleted here   module getBook');
    expect(await iml('pull app --yes')).toMatchObject({ code: 0, err: 'There is nothing to write.\n' });
    expect(await iml('push app --yes')).toMatchObject({ code: 0, err: 'There is nothing to write.\n' });
    expect(existsSync(path.join(app, 'modules/get-book'))).toBe(false);
    expect((await iml('diff remote app')).out).toContain('getBook');
    // Without its row in idMapping it is new.
    const mapping = manifest.origins[0]?.idMapping ?? {};
    mapping['module'] = mapping['module']?.filter(({ local }) => local !== 'getBook') ?? [];
    writeFileSync(file, JSON.stringify(manifest));
    expect((await iml('pull app --yes')).out).toContain('new there      module getBook');
    expect(existsSync(path.join(app, 'modules/get-book'))).toBe(true);
  });

  it('stop at a component that was renamed here, until its row in idMapping says what is meant', async () => {
    const app = await start(BOOKSHOP);
    const file = path.join(app, 'makecomapp.json');
    const rename = (): ManifestFile => {
      const manifest = manifestOf(app);
      const { getBook, ...others } = manifest.components['module'] ?? {};
      manifest.components['module'] = { ...others, ...(getBook && { readBook: getBook }) };
      return manifest;
    };
    const manifest = rename();
    const row = manifest.origins[0]?.idMapping['module']?.find(({ local }) => local === 'getBook');
    writeFileSync(file, JSON.stringify(manifest));
    const { out } = await iml('status app');
    expect(out).toContain('renamed        module readBook  (was getBook)');
    expect(out).not.toMatch(/new here|new there|deleted/);
    expect(await iml('pull app --yes')).toMatchObject({ code: 0, err: 'There is nothing to write.\n' });
    expect(await iml('push app --yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('set local to "readBook" to keep the module in Make, or to null'),
    });
    Object.assign(row ?? {}, { local: 'readBook' });
    writeFileSync(file, JSON.stringify(manifest));
    expect((await iml('status app')).out).toContain('no differences');
    Object.assign(row ?? {}, { local: null });
    writeFileSync(file, JSON.stringify(manifest));
    expect((await iml('push app --yes --skip-check --skip-tests')).code).toBe(0);
    expect(await make.sdk.modules.get(id, 1, 'readBook')).toMatchObject({ name: 'readBook' });
  });

  it('show a conflict with file, difference and ways out, and merge both sides on request', async () => {
    const app = await start(BOOKSHOP);
    edit(MODULE, '// Here.\n');
    const text = await make.sdk.modules.getSection(id, 1, 'getBook', 'api');
    await make.sdk.modules.setSection(id, 1, 'getBook', 'api', `${text}// There.\n`);
    const manifest = manifestOf(app);
    Object.assign(manifest.components['module']?.['getBook'] ?? {}, { label: 'Label here' });
    writeFileSync(path.join(app, 'makecomapp.json'), JSON.stringify(manifest));
    await make.sdk.modules.update(id, 1, 'getBook', { label: 'Label there' });
    for (const command of ['push', 'pull']) {
      const { code, err } = await iml(`${command} app --yes`);
      expect(code).toBe(1);
      for (const shown of [
        `module getBook api differs on both sides (${MODULE}; - in Make, + here):`,
        '    - // There.\n    + // Here.\n',
        'module getBook label differs on both sides (makecomapp.json; - in Make, + here):',
        '    - "Label there"\n    + "Label here"\n',
        'iml push app --force',
        'iml pull app --force',
        'iml pull app --merge',
      ])
        expect(err).toContain(shown);
    }
    expect((await iml('pull app --yes --merge')).code).toBe(0);
    const file = path.join(app, MODULE);
    const both = '<<<<<<< here\n// Here.\n=======\n// There.\n>>>>>>> there\n';
    expect(readFileSync(file, 'utf8')).toBe(text + both);
    const { out } = await iml('status app');
    expect(out).toContain('changed here   module getBook api');
    expect(out).toContain('changed here   module getBook label');
    expect(await iml('push app --yes --skip-check --skip-tests')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${MODULE} has conflict markers`),
    });
    writeFileSync(file, `${text}// Here.\n// There.\n`);
    expect((await iml('push app --yes --skip-tests')).code).toBe(0);
    expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).toBe(`${text}// Here.\n// There.\n`);
    expect(await make.sdk.modules.get(id, 1, 'getBook')).toMatchObject({ label: 'Label here' });
    expect((await iml('status app')).out).toContain('no differences');
  });

  it('know what changed in a fresh clone by its committed record, and say that it lacks one', async () => {
    const app = await start(BOOKSHOP);
    const clone = path.join(folder, 'clone');
    const record = path.join(clone, '.iml/remote');
    for (const text of ['// First.\n', '// Second.\n']) {
      edit(MODULE, text);
      rmSync(clone, { recursive: true, force: true });
      cpSync(app, clone, { recursive: true });
      rmSync(record, { recursive: true });
      const stopped = await iml('push clone --yes --trust');
      expect(stopped.code).toBe(1);
      expect(stopped.err).toContain(`no record of an exchange with ${id}`);
      cpSync(path.join(app, '.iml/remote'), record, { recursive: true });
      expect((await iml('push clone --yes --trust')).code).toBe(0);
      cpSync(clone, app, { recursive: true });
    }
    expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).toContain('// First.\n// Second.\n');
  });

  it('name the record that Git could not merge, and work with either side of it', async () => {
    const app = await start(BOOKSHOP);
    const before = path.join(folder, 'before');
    cpSync(path.join(app, '.iml/remote'), before, { recursive: true });
    edit(MODULE, '// Here.\n');
    expect((await iml('push app --yes')).code).toBe(0);
    const [name = ''] = readdirSync(before);
    const record = path.join(app, '.iml/remote', name);
    const [old, now] = [path.join(before, name), record].map((file) => readFileSync(file, 'utf8'));
    writeFileSync(record, `{\n<<<<<<< HEAD\n${old}=======\n${now}>>>>>>> other\n`);
    expect(await iml('status app')).toMatchObject({
      code: 2,
      err: expect.stringContaining(`.iml/remote/${name} has conflict markers of Git. Take either side`),
    });
    for (const side of [now, old]) {
      writeFileSync(record, side ?? '');
      expect((await iml('status app')).out).toContain('no differences');
    }
    expect((await iml('push app --yes')).err).toBe('There is nothing to write.\n');
    edit(MODULE, '// Again.\n');
    edit('modules/list-books/list-books.interface.iml.json', '// Here.\n');
    expect((await iml('push app --yes')).code).toBe(0);
  });

  it.each(['with', 'without'])(
    'leave what another client changed after the plan, %s an open checksum',
    async (checksum) => {
      const app = await start(BOOKSHOP);
      edit(MODULE, '// Here.\n');
      const manifest = manifestOf(app);
      Object.assign(manifest.components['module']?.['listBooks'] ?? {}, { label: 'Label here' });
      writeFileSync(path.join(app, 'makecomapp.json'), JSON.stringify(manifest));
      const readme = path.join(app, 'README.md');
      const answer = async (): Promise<string> => {
        await make.sdk.modules.setSection(id, 1, 'getBook', 'api', '{"url":"/there"}');
        await make.sdk.modules.update(id, 1, 'listBooks', { label: 'Label there' });
        return 'y';
      };
      const closed: typeof fetch = async (input, init) =>
        String(input).endsWith('/checksum') && checksum === 'without'
          ? new Response('{"message":"Access denied"}', { status: 403 })
          : fetch(input, init);
      const pushed = await withFetch(closed, () =>
        iml('push app --skip-tests', { ask: answer, terminal: true }),
      );
      expect(pushed.code).toBe(1);
      expect(pushed.err).toContain('failed: module getBook api: It changed after the plan was made');
      expect(pushed.err).toContain('failed: module listBooks label: It changed after the plan was made');
      expect(await make.sdk.modules.getSection(id, 1, 'getBook', 'api')).toBe('{"url":"/there"}');
      expect(await make.sdk.modules.get(id, 1, 'listBooks')).toMatchObject({ label: 'Label there' });

      const headers = { authorization: `Token ${stage.token}`, 'content-type': 'text/markdown' };
      const address = `http://${stage.zone}/api/v2/sdk/apps/${id}/1/readme`;
      await fetch(address, { method: 'PUT', headers, body: 'There.\n' });
      const write = async (): Promise<string> => {
        writeFileSync(readme, 'Here.\n');
        return 'y';
      };
      const pulled = await iml('pull app --force', { ask: write, terminal: true });
      expect(pulled.err).toContain('failed: README.md: It changed after the plan was made');
      expect(readFileSync(readme, 'utf8')).toBe('Here.\n');
    },
  );

  it('give connections and webhooks of a clone the names that iml init app and iml add give', async () => {
    await iml('init app acme --base-url https://api.acme.example/v1 --auth api-key');
    await iml('add webhook contactChanged acme');
    await iml('add connection partner acme');
    expect((await iml(`push acme ${there()} --create --yes --skip-tests`)).code).toBe(0);
    id = manifestOf(path.join(folder, 'acme')).origins[0]?.appId ?? '';
    expect((await iml(`pull clone ${there()} --yes`)).code).toBe(0);
    const { components } = manifestOf(path.join(folder, 'clone'));
    expect(Object.keys(components['webhook'] ?? {})).toEqual(['contactChanged']);
    expect(Object.keys(components['connection'] ?? {})).toEqual(['account', 'account2']);
  });

  it.each([
    ['push app', 'The manifest has no origin'],
    ['push app --api-url https://eu1.make.com/api', '--api-url and --app-id go together'],
    ['push app --api-url http://eu1.make.com/api --app-id acme', 'Invalid address of the API'],
    ['push app --api-url https://eu1.make.com --app-id acme', 'Invalid address of the API'],
    ['status app --origin prod', 'The manifest has no origin'],
    ['pull app --api-url http://127.0.0.1:1/api --app-id acme', '127.0.0.1:1 cannot be reached'],
  ])('refuse "%s"', async (line, message) => {
    cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
    expect(await iml(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it('need a token and never write it', async () => {
    const app = await start(BOOKSHOP);
    const without = await iml('status app', { env: {} });
    expect(without).toMatchObject({ code: 2, err: expect.stringContaining('Set MAKE_API_KEY') });
    const wrong = await iml('status app', { env: { MAKE_API_KEY: '00000000-0000-4000-8000-000000000000' } });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('no access') });
    const texts = readdirSync(app, { recursive: true, encoding: 'utf8' })
      .map((file) => path.join(app, file))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'utf8'));
    expect(texts.join('\n')).not.toContain(stage.token);
  });
});

describe('iml diff remote', () => {
  const API = 'modules/get-book/get-book.communication.iml.json';

  it('compares the app in Make with a folder, by the names of the folder, and writes nothing', async () => {
    const app = await start(BOOKSHOP);
    expect(await iml('diff remote app')).toMatchObject({ code: 0, out: 'no changes\n' });
    const file = path.join(app, API);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"url": "', '"url": "/v2'));
    const before = readFileSync(path.join(app, 'makecomapp.json'), 'utf8');
    const changed = await iml('diff remote app --json --fail-on risky');
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.out)).toMatchObject({
      old: 'remote',
      changes: [{ rule: 'url-changed', component: { kind: 'module', name: 'getBook' } }],
    });
    expect(readFileSync(path.join(app, 'makecomapp.json'), 'utf8')).toBe(before);

    await make.sdk.modules.delete(id, 1, 'listBooks');
    await make.sdk.modules.create(id, 1, {
      ...{ name: 'newThere', label: 'New', description: '', typeId: 4, moduleInitMode: 'blank' },
    });
    const { out } = await iml('diff app remote --format markdown');
    expect(out).toContain('listBooks');
    expect(out).toContain('newThere');
    // A pull writes no file for an empty section of the blank module.
    expect((await iml(`pull clone ${there()} --yes`)).code).toBe(0);
    const same = await iml('diff remote clone');
    expect(same, same.err).toMatchObject({ code: 0 });
    expect(same.out).not.toContain('breaking  ');
  });

  it.each([
    ['diff remote remote', 'Only one of the versions can be remote.'],
    ['diff app app --origin x', '--origin requires the version "remote".'],
    ['diff remote app', 'The manifest has no origin.'],
    ['diff remote app --api-url http://127.0.0.1:1/api --app-id acme', '127.0.0.1:1 cannot be reached'],
  ])('is refused: "%s"', async (line, message) => {
    cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
    expect(await iml(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

it('sends no file that a link of the app leads out to', async () => {
  writeFileSync(path.join(folder, 'secret.md'), 'outside of the app');
  cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
  rmSync(path.join(folder, 'app/README.md'), { force: true });
  symlinkSync(path.join(folder, 'secret.md'), path.join(folder, 'app/README.md'));
  const pushed = await iml(`push app ${there()} --create --yes --skip-check --skip-tests`);
  expect(pushed.out + pushed.err).toMatch(/left alone +README\.md: it leads through a link \(README\.md\)/);
  id = manifestOf(path.join(folder, 'app')).origins[0]?.appId ?? '';
  const readme = await fetch(`http://${stage.zone}/api/v2/sdk/apps/${id}/1/readme`, {
    headers: { authorization: `Token ${stage.token}` },
  });
  expect(readme.status).toBe(200);
  expect(await readme.text()).not.toContain('outside of the app');
});

describe('paths of a manifest by another author', () => {
  const PATHS = [
    '.git/commondir',
    '.GIT/commondir',
    'git~1/commondir',
    '.env',
    'docs/../.git/commondir',
    'docs\\..\\.git\\commondir',
    'node_modules/iml-runtime/index.js',
    'node_modules::$INDEX_ALLOCATION/iml-runtime/index.js',
    'NODE_M~1/iml-runtime/index.js',
    'linked/commondir',
    '../elsewhere.md',
    '/tmp/elsewhere.md',
  ];

  it.each(PATHS)('as %s are neither read nor written', async (readme) => {
    const app = await start(BOOKSHOP);
    const headers = { authorization: `Token ${stage.token}`, 'content-type': 'text/markdown' };
    const address = `http://${stage.zone}/api/v2/sdk/apps/${id}/1/readme`;
    await fetch(address, { method: 'PUT', headers, body: './.git/planted\n' });
    mkdirSync(path.join(app, '.git'));
    symlinkSync('.git', path.join(app, 'linked'));
    const manifest = manifestOf(app);
    const changed = { ...manifest, generalCodeFiles: { ...manifest.generalCodeFiles, readme } };
    writeFileSync(path.join(app, 'makecomapp.json'), JSON.stringify(changed));
    const before = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

    const pulled = await iml('pull app --yes --force');
    expect(pulled.out).toContain('left alone');
    expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()).toEqual(before);

    const target = path.join(app, readme.replaceAll('\\', '/'));
    if (path.relative(folder, target).startsWith('..')) return;
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, 'TOKEN=s3cr3t');
    await iml('push app --yes --force --skip-check --skip-tests');
    expect(await (await fetch(address, { headers })).text()).toBe('./.git/planted\n');
  });

  it('are in the plan of a pull', async () => {
    const app = await start(BOOKSHOP);
    rmSync(path.join(app, 'README.md'));
    expect((await iml('pull app')).out).toContain('changed there  app readme  (README.md)');
  });
});

describe('the token of iml status', () => {
  /** The bookshop with an origin that its author chose, and an API key file that leads out of it. */
  const writeOrigin = (origin: object): void => {
    const app = path.join(folder, 'app');
    cpSync(BOOKSHOP, app, { recursive: true });
    const manifest = {
      ...manifestOf(app),
      origins: [{ appId: id, appVersion: 1, idMapping: {}, ...origin }],
    };
    writeFileSync(path.join(app, 'makecomapp.json'), JSON.stringify(manifest));
  };

  it('is not sent to a server that only the manifest names, until the user confirms it', async () => {
    const baseUrl = 'https://api.evil.test/api';
    writeOrigin({ baseUrl });
    const sent: unknown[] = [];
    globalThis.fetch = async (input) => {
      sent.push(input);
      throw new TypeError('fetch failed');
    };
    try {
      const wanted = `exchange the app "${id}" with ${baseUrl}, which gets your token`;
      expect(await iml('status app')).toMatchObject({ code: 2, err: expect.stringContaining(wanted) });
      const ask = async (): Promise<string> => 'no';
      const declined = await iml('status app', { ask, env: { MAKE_API_KEY: 'key' } });
      expect(declined).toMatchObject({ code: 2, err: expect.stringContaining(wanted) });
      expect(sent).toEqual([]);
      const confirmed = await iml('status app --trust');
      expect(confirmed).toMatchObject({ code: 2, err: expect.stringContaining('cannot be reached') });
      expect(sent).not.toEqual([]);
      // Once for this folder.
      expect(await iml('status app')).toMatchObject({ err: expect.stringContaining('cannot be reached') });
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('is the one that iml login stored for the host, encrypted, unless the environment has one', async () => {
    ({ name: id } = await make.sdk.apps.create({ name: id, label: 'X', audience: 'global' }));
    writeOrigin({ baseUrl: `http://${stage.zone}/api` });
    const login = `login http://${stage.zone}/api`;
    const asked: boolean[] = [];
    const ask = async (_question: string, isHidden: boolean): Promise<string> => {
      asked.push(isHidden);
      return stage.token;
    };
    const stored = await iml(login, { env: {}, ask, terminal: true });
    expect(stored).toMatchObject({ code: 0, out: `The token of Ada for ${stage.zone} is stored.\n` });
    expect(asked).toEqual([true]);
    expect(stored.out + stored.err).not.toContain(stage.token);
    const files = readdirSync(path.join(folder, 'home'), { recursive: true, encoding: 'utf8' });
    const [file = ''] = files.filter((one) => one.endsWith('.sealed'));
    expect(readFileSync(path.join(folder, 'home', file), 'utf8')).not.toContain(stage.token);
    expect(await iml('status app --trust', { env: {} })).toMatchObject({ code: 0 });
    const wrong = { MAKE_API_KEY: '00000000-0000-4000-8000-000000000000' };
    expect(await iml('status app', { env: wrong })).toMatchObject({ code: 2 });

    const other = path.join(
      folder,
      'home',
      path.dirname(file),
      `${Buffer.from('eu1.make.com').toString('hex')}.sealed`,
    );
    cpSync(path.join(folder, 'home', file), other);
    writeOrigin({ baseUrl: 'https://eu1.make.com/api' });
    const swapped = await iml('status app --trust', { env: {} });
    expect(swapped).toMatchObject({ code: 1, err: expect.stringContaining('cannot be decrypted') });

    writeOrigin({ baseUrl: `http://${stage.zone}/api` });
    expect((await iml(`logout http://${stage.zone}/api`, { env: {} })).code).toBe(0);
    expect(await iml('status app', { env: {} })).toMatchObject({
      code: 2,
      err: expect.stringContaining(`store one: iml login http://${stage.zone}/api`),
    });
    expect(await iml(`logout http://${stage.zone}/api`, { env: {} })).toMatchObject({ code: 2 });
  });

  it('is not stored by iml login if the API refuses it', async () => {
    const login = `login http://${stage.zone}/api`;
    const refused = await iml(login, { env: {}, stdin: '00000000-0000-4000-8000-000000000000\n' });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('no access') });
    expect(await iml(login, { env: {}, stdin: ' ' })).toMatchObject({ code: 2 });
    expect(await iml('login http://eu1.make.com/api', { env: {}, stdin: 'x' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('Invalid address of the API'),
    });
    expect(existsSync(path.join(folder, 'home'))).toBe(false);
  });

  it('is read from a file of the app or of .secrets, never from another hidden file or through a link', async () => {
    const baseUrl = `http://${stage.zone}/api`;
    ({ name: id } = await make.sdk.apps.create({ name: id, label: 'X', audience: 'global' }));
    const key = (file: string): void => {
      mkdirSync(path.join(folder, 'app', path.dirname(file)), { recursive: true });
      writeFileSync(path.join(folder, 'app', file), stage.token);
    };
    for (const [file, refusal] of [
      ['.env', 'is hidden (.env)'],
      ['.secrets/../.env', "is outside the app's folder"],
      ['.git/config', 'is hidden (.git)'],
      ['../key', "is outside the app's folder"],
      ['../.secrets/../../.env', "is outside the app's folder"],
    ] as const) {
      writeOrigin({ baseUrl, apikeyFile: file });
      if (!file.startsWith('..')) key(file);
      const refused = await iml('status app --trust', { env: {} });
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(refusal) });
    }
    for (const file of ['.secrets/apikey', '../.secrets/apikey', 'key']) {
      writeOrigin({ baseUrl, apikeyFile: file });
      key(file);
      expect(await iml('status app --trust', { env: {} })).toMatchObject({ code: 0 });
    }
    writeFileSync(path.join(folder, 'secret'), stage.token);
    symlinkSync(path.join(folder, 'secret'), path.join(folder, 'app/linked'));
    writeOrigin({ baseUrl, apikeyFile: 'linked' });
    const linked = await iml('status app --trust', { env: {} });
    expect(linked).toMatchObject({ code: 2, err: expect.stringContaining('leads through a link (linked)') });
  });

  it('is not shown if no header can carry it', async () => {
    writeOrigin({ baseUrl: `http://${stage.zone}/api` });
    const refused = await iml('status app --trust', { env: { MAKE_API_KEY: 'secret-1\nsecret-2' } });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Invalid token') });
    expect(refused.out + refused.err).not.toContain('secret-1');
  });
});

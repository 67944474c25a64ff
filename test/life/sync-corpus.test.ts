import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  bootstrap,
  createRest,
  createStoreBackend,
  openRestSqlite,
  type Rest,
} from '../../src/rest/index.js';
import { addComponent, readManifestText, withMember } from '../../src/tools/life/new-files.js';
import { type MakeApi, openMakeApi } from '../../src/tools/life/remote/make-api.js';
import { planSync, pull, push, type SyncPlan } from '../../src/tools/life/remote/sync.js';
import { moduleTemplate } from '../../src/tools/life/templates.js';
import { CORPUS, CORPUS_APPS } from '../corpus.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const BASE_URL = 'http://127.0.0.1/api';
const SILENT = { force: false, onConflict: 'keep', onWritten: async () => {} } as const;

const { fetch } = globalThis;
let rest: Rest;
let token = '';
let folder: string;
let id = '';
let number = 0;

// `iml rest` in this process. test/cli/sync.test.ts uses sockets.
beforeAll(async () => {
  const store = await openRestSqlite(':memory:');
  const backend = await createStoreBackend({ store, encryptionKey: new Uint8Array(32) });
  rest = await createRest({ backend });
  token = (await bootstrap(backend.services, { name: 'Ada', email: 'ada@example.com' })) ?? '';
  globalThis.fetch = async (input, init) => {
    const response = await rest.fetch(new Request(input, init));
    return Object.defineProperty(response, 'url', { value: String(input) });
  };
});
afterAll(async () => {
  globalThis.fetch = fetch;
  await rest.close();
});
beforeEach(() => {
  folder = makeTemporaryFolder();
  id = `app-${++number}`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openApi = (): Promise<MakeApi> => openMakeApi({ baseUrl: BASE_URL, appId: id, appVersion: 1 }, token);

async function plan(root: string): Promise<SyncPlan> {
  const file = path.join(root, 'makecomapp.json');
  const manifest = readManifestText(
    existsSync(file) ? readFileSync(file, 'utf8') : '{"generalCodeFiles": {}, "components": {}}',
  );
  const origins = (manifest.value['origins'] ?? []) as readonly { readonly appId?: unknown }[];
  const known = origins.findIndex(({ appId }) => appId === id);
  const origin = { baseUrl: BASE_URL, appId: id, appVersion: 1, idMapping: {} };
  return planSync({
    root,
    manifest: known < 0 ? withMember(manifest, ['origins'], [...origins, origin]) : manifest,
    index: known < 0 ? origins.length : known,
    api: await openApi(),
  });
}

const showDifferences = ({ comparison }: SyncPlan): readonly string[] =>
  comparison.all.map(({ status, kind, name, what }) => [status, kind, name, what].join(' ').trim());

interface ManifestFile {
  readonly components: Record<string, Record<string, { codeFiles: Record<string, string | null> } | null>>;
  readonly origins: readonly {
    appId: string;
    idMapping: Record<string, { local: string | null; remote: string | null }[]>;
  }[];
}

/** The files of components by remote name and code type, without common data, which a clone leaves out. */
function filesOf(root: string): Map<string, string> {
  const text = readFileSync(path.join(root, 'makecomapp.json'), 'utf8').replace(/^\uFEFF/, '');
  const { components, origins } = JSON.parse(text) as ManifestFile;
  const mapping = origins.find(({ appId }) => appId === id)?.idMapping;
  const found = new Map<string, string>();
  for (const [kind, records] of Object.entries(components)) {
    for (const [local, record] of Object.entries(records)) {
      const remote = mapping?.[kind]?.find((row) => row.local === local)?.remote;
      for (const [code, file] of Object.entries(record?.codeFiles ?? {})) {
        const target = path.join(root, file ?? '');
        if (file === null || code === 'common' || !existsSync(target) || !statSync(target).isFile()) continue;
        found.set(`${kind} ${remote} ${code}`, readFileSync(target, 'latin1'));
      }
    }
  }
  return found;
}

describe.each(CORPUS_APPS)('the app %s', (source) => {
  it('is pushed to an empty API, comes back byte by byte, and shows edits of both sides', async () => {
    const root = path.join(folder, 'app');
    cpSync(path.join(CORPUS, source), root, { recursive: true });
    id = await (await openApi()).createApp({ name: id, label: 'X', audience: 'global', private: true });
    const api = await openApi();
    expect((await push(await plan(root), SILENT)).failures).toEqual([]);
    const pushed = await plan(root);
    expect(showDifferences(pushed)).toEqual([]);

    const clone = path.join(folder, 'clone');
    mkdirSync(clone);
    expect((await pull(await plan(clone), SILENT)).failures).toEqual([]);
    const cloned = filesOf(clone);
    for (const [key, bytes] of filesOf(root)) expect([key, cloned.get(key)]).toEqual([key, bytes]);

    const component = {
      kind: 'module',
      name: 'listNewThings',
      component: moduleTemplate(
        'search',
        { name: 'listNewThings', label: undefined, path: undefined, connection: undefined },
        '',
      ),
    } as const;
    const added = addComponent(pushed.manifest, component);
    for (const file of added.files) {
      mkdirSync(path.dirname(path.join(root, file.path)), { recursive: true });
      writeFileSync(path.join(root, file.path), file.content);
    }
    writeFileSync(path.join(root, 'makecomapp.json'), added.manifest.text);
    const withNew = await plan(root);
    expect(showDifferences(withNew)).toEqual(['new here module listNewThings']);
    expect((await push(withNew, SILENT)).failures).toEqual([]);

    const target = { kind: 'module', name: 'listNewThings' } as const;
    const file = path.join(root, added.files.find(({ path: one }) => one.includes('interface'))?.path ?? '');
    writeFileSync(file, '["here"]');
    await api.writeText(target, 'interface', '["there"]');
    expect(showDifferences(await plan(root))).toEqual(['conflict module listNewThings interface']);
  });
});

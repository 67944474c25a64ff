import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type App, loadApp } from '../../src/index.js';
import { CORPUS, CORPUS_APPS, isInCorpus } from '../corpus.js';
import { specErrorOf, warningsOf } from './temp-app.js';

type Counts = readonly [
  modules: number,
  connections: number,
  rpcs: number,
  webhooks: number,
  functions: number,
];

/** Components by kind, counted in the manifests. */
const APPS: readonly (readonly [folder: string, name: string, counts: Counts])[] = [
  ['fonts', 'fonts', [4, 1, 0, 0, 0]],
  ['postbox', 'postbox', [6, 1, 1, 1, 0]],
  ['warehouse', 'warehouse', [5, 1, 1, 0, 1]],
  ['HedyAI__make-app-hedy', 'HedyAI__make-app-hedy', [9, 1, 2, 1, 0]],
  ['Linked-API__linkedapi-make', 'Linked-API__linkedapi-make', [27, 1, 0, 0, 0]],
  ['letmepost__make-app-letmepost', 'letmepost__make-app-letmepost', [5, 1, 1, 0, 0]],
  ['sudomock__sudomock-make-app', 'sudomock', [33, 1, 2, 0, 0]],
  ['Ichy77__Open-Source-Make-Apps/src/bland-ai', 'bland-ai', [12, 1, 2, 1, 2]],
  ['Ichy77__Open-Source-Make-Apps/src/chat-pdf', 'chat-pdf', [4, 1, 0, 0, 0]],
  ['Ichy77__Open-Source-Make-Apps/src/freepik', 'freepik', [3, 1, 0, 0, 0]],
  ['Ichy77__Open-Source-Make-Apps/src/heygen', 'heygen', [10, 1, 5, 1, 1]],
  ['Ichy77__Open-Source-Make-Apps/src/mistral-ai', 'mistral-ai', [4, 1, 2, 0, 0]],
  ['Ichy77__Open-Source-Make-Apps/src/openrouter', 'openrouter', [4, 2, 1, 0, 0]],
  ['Ichy77__Open-Source-Make-Apps/src/supabase', 'supabase', [12, 1, 6, 1, 4]],
];

/** Apps whose files lie in one folder, without a manifest. */
const FLAT: readonly (readonly [folder: string, counts: Counts, warnings: readonly string[]])[] = [
  ['doorbell', [2, 1, 0, 1, 0], ['undeclared-component connection.api.imljson']],
  [
    'TomPhillipsLabs__make-loopquest',
    [4, 1, 0, 1, 0],
    // A connection inherits no baseUrl.
    ['undeclared-component connection.api.imljson', 'unusable-url connection.api.imljson#/url:2:10'],
  ],
];

const isThere = ([folder]: readonly [string, ...unknown[]]): boolean => isInCorpus(folder);

const LEFT_OUT = /^missing-file makecomapp\.json#\/.*\/(?:readme|common|code|test):/;

/** Their defects, besides readmes, common data and function code that the corpus omits. */
const DEFECTS: Readonly<Record<string, readonly string[]>> = {
  sudomock: [
    'unknown-key modules/download-render/download-render.communication.iml.json#/followRedirect:5:3',
  ],
  'chat-pdf': ['syntax modules/chat-with-pdf/chat-with-pdf.communication.iml.json#/body/sourceId:4:24'],
  'Linked-API__linkedapi-make': [
    'syntax modules/fetch-person/api.iml.json#/0/body/data/postsRetrievalConfig:16:65',
    'syntax modules/fetch-person/api.iml.json#/0/body/data/commentRetrievalConfig:17:70',
    'syntax modules/fetch-person/api.iml.json#/0/body/data/reactionRetrievalConfig:18:72',
    'syntax modules/fetch-company/api.iml.json#/0/body/data/employeeRetrievalConfig:12:72',
    'syntax modules/fetch-company/api.iml.json#/0/body/data/dmRetrievalConfig:13:60',
    'syntax modules/fetch-company/api.iml.json#/0/body/data/postRetrievalConfig:14:64',
    'syntax modules/nv-fetch-company/api.iml.json#/0/body/data/employeeRetrievalConfig:11:72',
    'syntax modules/nv-fetch-company/api.iml.json#/0/body/data/dmRetrievalConfig:12:60',
  ],
};

function countsOf(app: App): Counts {
  return [app.modules.size, app.connections.size, app.rpcs.size, app.webhooks.size, app.functions.size];
}

describe('apps of the corpus', () => {
  it.each(APPS.filter(isThere))('loads the components of %s', async (folder, name, counts) => {
    const app = await loadApp(path.join(CORPUS, folder));
    expect(app.name).toBe(name);
    expect(countsOf(app)).toEqual(counts);
    expect(app.base?.value).toMatchObject({ baseUrl: expect.any(String) });
    const left = warningsOf(app).filter((warning) => !LEFT_OUT.test(warning));
    expect(left).toEqual(DEFECTS[name] ?? []);
    for (const module of app.modules.values()) {
      const hasFile = module.communication?.file !== undefined || module.type === 'instant_trigger';
      expect(hasFile, module.name).toBe(true);
    }
  });

  it.each(FLAT.filter(isThere))(
    'loads files in one folder, and reports this: %s',
    async (folder, counts, warnings) => {
      const app = await loadApp(path.join(CORPUS, folder));
      expect(countsOf(app)).toEqual(counts);
      expect(warningsOf(app)).toEqual(warnings);
      const [webhook] = app.webhooks.values();
      expect([...app.modules.values()].find(({ type }) => type === 'instant_trigger')).toMatchObject({
        connection: 'connection',
        webhook: webhook?.name,
      });
      expect(webhook?.attach?.value).toMatchObject({ method: 'POST' });
    },
  );

  it('lists the apps of a repository with several apps', async () => {
    const error = await specErrorOf(() => loadApp(CORPUS));
    expect(error.message).toMatch(/\d+ apps/);
    for (const name of CORPUS_APPS) expect(error.message).toContain(name);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AppDefinition, ModuleDefinition } from '../../src/app/assembling/app-definition.js';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { loadApp } from '../../src/app/loading/load-app.js';
import type { App } from '../../src/document/app.js';
import { readDocument } from '../../src/document/reading/jsonc.js';
import { specErrorOf, warningsOf } from './temp-app.js';

/** Real apps, kept beside the repository and not in it. */
const CORPUS = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const HERE = existsSync(CORPUS);
const title = HERE ? 'real apps' : 'real apps (skipped: there is no ../shared/corpus beside the repository)';

type Counts = readonly [
  modules: number,
  connections: number,
  rpcs: number,
  webhooks: number,
  functions: number,
];

/** Source: README.md of the corpus; connections are counted in the manifests. */
const APPS: readonly (readonly [folder: string, name: string, counts: Counts])[] = [
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

const LEFT_OUT = /^missing-file makecomapp\.json#\/.*\/(?:readme|common|code|test):/;

/** What is wrong with them, besides the readmes, common data and function code that the corpus leaves out. */
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

describe.skipIf(!HERE)(title, () => {
  it.each(APPS)('%s', async (folder, name, counts) => {
    const app = await loadApp(path.join(CORPUS, folder));
    expect(app.name).toBe(name);
    expect(countsOf(app)).toEqual(counts);
    expect(app.base?.value).toMatchObject({ baseUrl: expect.any(String) });
    const left = warningsOf(app).filter((warning) => !LEFT_OUT.test(warning));
    expect(left).toEqual(DEFECTS[name] ?? []);
    for (const module of app.modules.values()) {
      expect(module.communication?.file, module.name).toBeDefined();
    }
  });

  it('names the apps of a repository that holds several', async () => {
    const error = await specErrorOf(() => loadApp(path.join(CORPUS, 'Ichy77__Open-Source-Make-Apps')));
    expect(error.message).toContain('7 apps');
    expect(error.message).toContain(path.join('src', 'supabase'));
  });

  it('does not load by names what follows no convention, but takes it as an object', async () => {
    const folder = path.join(CORPUS, 'TomPhillipsLabs__make-loopquest/app');
    expect((await specErrorOf(() => loadApp(folder))).code).toBe('SPEC_MISSING');
    const app = defineApp(defineLoopquest(folder));
    expect(countsOf(app)).toEqual([4, 1, 0, 1, 0]);
    // A connection inherits no baseUrl.
    expect(warningsOf(app)).toEqual(['unusable-url #/connections/connection/communication/url']);
    expect(app.modules.get('watchVerdicts')).toMatchObject({
      type: 'instant_trigger',
      webhook: 'verdictWebhook',
    });
    expect(app.webhooks.get('verdictWebhook')?.attach?.value).toMatchObject({ method: 'POST' });
  });
});

/** An app whose files lie flat: `module.<name>.<section>.imljson`. What no file says (types) stands here. */
function defineLoopquest(folder: string): AppDefinition {
  const read = (name: string): unknown => {
    const file = path.join(folder, `${name}.imljson`);
    return existsSync(file) ? readDocument(readFileSync(file, 'utf8'), name).value : undefined;
  };
  const names = readdirSync(folder).flatMap((file) => /^module\.(\w+)\./.exec(file)?.[1] ?? []);
  const modules = [...new Set(names)].map((name): [string, ModuleDefinition] => {
    const instant = name === 'watchVerdicts';
    return [
      name,
      {
        type: instant ? 'instant_trigger' : name === 'makeApiCall' ? 'universal' : 'action',
        connection: 'connection',
        webhook: instant ? 'verdictWebhook' : null,
        communication: read(`module.${name}.api`),
        mappableParams: read(`module.${name}.parameters`),
        interface: read(`module.${name}.interface`),
      },
    ];
  });
  return {
    name: 'loopquest',
    base: read('base'),
    modules: Object.fromEntries(modules),
    connections: {
      connection: { communication: read('connection.api'), params: read('connection.parameters') },
    },
    webhooks: {
      verdictWebhook: {
        connection: 'connection',
        communication: read('webhook.verdictWebhook.api'),
        attach: read('webhook.verdictWebhook.attach'),
        detach: read('webhook.verdictWebhook.detach'),
      },
    },
  };
}

import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moduleForm } from '../../src/engine/parameters/form.js';
import { type App, createEngine, loadApp } from '../../src/index.js';
import {
  createDigestLog,
  createVirtualClock,
  type Recording,
  recordCase,
  recordTransport,
} from '../../src/tools/testing/index.js';
import { expectNoCanary } from '../connection/canary.js';
import { CORPUS, isInCorpus } from '../corpus.js';
import { httpServer, type Loopback, readBody } from '../http/loopback.js';

type RunToRecord = Parameters<typeof recordCase>[0];
type ModuleComponent = Parameters<typeof moduleForm>[0];

const APPS = [
  'fonts',
  'postbox',
  'warehouse',
  'HedyAI__make-app-hedy',
  'Linked-API__linkedapi-make/src',
  'letmepost__make-app-letmepost',
  'sudomock__sudomock-make-app/src/sudomock',
  'Ichy77__Open-Source-Make-Apps/src/mistral-ai',
  'Ichy77__Open-Source-Make-Apps/src/openrouter',
].filter(isInCorpus);

/** Nothing that an encoding writes in the same way. */
const KEY = 'sk-canary/+7f3a9c&b 1';

/** Responses of the API of each app, by the names of its lists. The third page is the last. */
const LISTS = [
  'data',
  'items',
  'letters',
  'folders',
  'results',
  'result',
  'models',
  'sessions',
  'fonts',
  'accounts',
  'mockups',
];

function answer(url: URL, authorization: string): unknown {
  const page = Number(url.searchParams.get('page') ?? url.searchParams.get('offset') ?? 1);
  const item = (id: number): unknown => ({
    id: `i${id}`,
    uuid: `u${id}`,
    name: `Item ${id}`,
    title: 'A title',
    status: 'completed',
    createdAt: '2026-01-02T03:04:05Z',
    echo: authorization,
    token: `t-canary-${id}-0123456789`,
  });
  const items = page > 2 ? [] : [item(page * 2), item(page * 2 + 1)];
  return {
    success: true,
    ok: true,
    status: 'completed',
    workflowStatus: 'completed',
    id: 'x1',
    error: null,
    ...Object.fromEntries(LISTS.map((name) => [name, items])),
    pagination: { hasMore: false, has_more: false, next: null },
    choices: [{ message: { content: 'Hello' } }],
    usage: { total_tokens: 3 },
    echo: authorization,
  };
}

let service: Loopback;
beforeAll(async () => {
  service = await httpServer((request, response) => {
    void readBody(request).then(() => {
      const url = new URL(request.url ?? '', 'http://service');
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(answer(url, JSON.stringify(request.headers))));
    });
  });
});
afterAll(() => service.close());

const VALUES: Readonly<Record<string, unknown>> = {
  text: 'some text',
  number: 3,
  integer: 3,
  uinteger: 3,
  boolean: true,
  date: '2026-01-02T03:04:05Z',
  email: 'ann@example.com',
  url: 'https://example.com/a.png',
  password: 'p-canary-12345678',
  array: [],
};

/** A value for each field of a form that has one by its type. */
function fillIn(module: ModuleComponent): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const element of moduleForm(module).elements) {
    if (element.kind !== 'reference' && element.name !== undefined && element.type in VALUES)
      filled[element.name] = VALUES[element.type];
  }
  return filled;
}

async function record(app: App, module: ModuleComponent): Promise<string> {
  const recordings: Recording[] = [];
  const { digest, results } = createDigestLog();
  const engine = createEngine({
    app,
    digest,
    checkParameters: false,
    http: {
      rewrite: { '*': service.origin },
      wrap: (transport) => {
        const recording = recordTransport(transport);
        recordings.push(recording);
        return recording.transport;
      },
    },
    // Polling apps do not wait in real time.
    clock: createVirtualClock(),
  });
  const connection = {
    ...{ apiKey: KEY, linkedApiToken: KEY, accessToken: KEY, identificationToken: `${KEY}-2` },
    ...{ projectId: 'acme', expires: '2030-01-01T00:00:00Z' },
  };
  const input = { parameters: fillIn(module), connection };
  const { error, bundles } = await engine.module(module.name).run(input);
  await engine.close();
  const run: RunToRecord = {
    app,
    component: { type: 'module', name: module.name },
    kind: module.type === 'universal' ? 'action' : module.type,
    input: { ...input, checkParameters: false, now: '2026-11-21T10:00:00.000Z' },
    calls: recordings.flatMap((recording) => recording.calls()),
    digests: results(),
    ended: { error: error && { type: error.type, message: error.message }, bundleCount: bundles?.length },
  };
  const { text, bodies } = await recordCase(run, { runtime: '0.0.0', recordedAtMs: 0 });
  return [text, ...[...bodies.values()].map((bytes) => Buffer.from(bytes).toString('utf8'))].join('\n');
}

describe('every module', () => {
  it.each(APPS)(
    'of %s is recorded as a passing case without the key',
    { timeout: 300_000 },
    async (folder) => {
      const app = await loadApp(path.join(CORPUS, folder));
      const modules = [...app.modules.values()].filter(
        ({ type }) => type !== 'responder' && type !== 'trigger',
      );
      expect(modules.length).toBeGreaterThan(3);
      let failed = 0;
      for (const module of modules) {
        // recordCase replays a case before it returns it.
        const text = await record(app, module);
        expectNoCanary(text, [KEY, `${KEY}-2`, VALUES['password'] as string]);
        expect(text).not.toContain('canary');
        if (/"expect": \{ "error"/.test(text)) failed++;
      }
      expect(failed, 'modules that ended with an error').toBeLessThan(modules.length / 2);
    },
  );
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AppDefinition,
  createEngine,
  createEnginePool,
  defineApp,
  type EngineError,
  type EnginePool,
  type EnginePoolOptions,
} from '../../src/index.js';
import { engineModule } from '../../src/scenario/index.js';
import { buildWorkers, WORKER_MODULES } from './build-workers.js';

let worker: URL;
let own: URL;
const folder = mkdtempSync(path.join(import.meta.dirname, '../../node_modules/.pool-isolation-'));
const setup = path.join(folder, 'setup.mjs');
const pools: EnginePool[] = [];

beforeAll(async () => {
  const urlOf = await buildWorkers({ ...WORKER_MODULES, own: 'test/pool/own-worker.ts' });
  worker = urlOf('pool-worker');
  own = urlOf('own');
  // The path of an address says after how many milliseconds it responds.
  writeFileSync(
    setup,
    `import { setTimeout } from 'node:timers/promises';
    const transport = async ({ url, signal }) => {
      await setTimeout(Number(new URL(url).pathname.slice(1)), undefined, { signal });
      const items = Array.from({ length: 3000 }, (_, id) => ({ id }));
      const body = new TextEncoder().encode(JSON.stringify({ items, text: 'x'.repeat(100_000) }));
      return { status: 200, headers: { 'content-type': 'application/json' }, body, url };
    };
    export default async ({ data }) => {
      await setTimeout(data?.setupMs ?? 0);
      return { http: { transport } };
    };`,
  );
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  rmSync(folder, { recursive: true, force: true });
});

function createPool(options: EnginePoolOptions = {}): EnginePool {
  const pool = createEnginePool({ worker, setup, ...options });
  pools.push(pool);
  return pool;
}

const request = (url: string) => ({ communication: { url, response: { output: { n: 1 } } } });

/** An app that waits for an API, computes, or does not end. */
function appOf(name: string): AppDefinition {
  return {
    name,
    base: { baseUrl: 'https://api.example.com' },
    modules: {
      quick: request('/1'),
      wait: request('/400'),
      slow: request('/20000'),
      block: { communication: { response: { output: '{{native()}}' } } },
      text: {
        communication: { url: '/1', response: { iterate: '{{body.items}}', output: { s: '{{body.text}}' } } },
      },
    },
    functions: {
      native: { code: 'function native() { return [].indexOf.call({ length: 2 ** 53 - 1 }, 1) }' },
    },
  };
}

const failureOf = (work: PromiseLike<unknown>): Promise<EngineError & { readonly causedBy?: string }> =>
  Promise.resolve(work).then(
    () => expect.fail('It did not fail.'),
    (error: unknown) => error as EngineError,
  );

const openFiles = (): number => readdirSync('/proc/self/fd').length;

describe('the deadline of a run', () => {
  it('ends a run that waits for an API, and no other run of its worker', async () => {
    const pool = createPool({ threads: 1, runTimeoutMs: 5000 });
    const app = pool.app(appOf('waits'));
    const thread = await pool.run({
      module: own,
      name: 'whereAmI',
      app: JSON.stringify(appOf('waits')),
      input: 1,
    });
    await app.module('quick').run();
    const slow = failureOf(app.module('slow').run());
    await sleep(4000);
    const others = Promise.all(Array.from({ length: 10 }, () => app.module('wait').run().orThrow()));
    const error = await slow;
    expect([error.code, error.causedBy]).toEqual(['WORKER_TERMINATED', 'run']);
    expect((await others).length).toBe(10);
    expect(
      await pool.run({ module: own, name: 'whereAmI', app: JSON.stringify(appOf('waits')), input: 1 }),
    ).toBe(thread);
  });

  it('rejects a run at once that blocks its worker', async () => {
    const pool = createPool({ threads: 1, runTimeoutMs: 4000 });
    const app = pool.app(appOf('blocks'));
    await app.module('quick').run();
    const startMs = performance.now();
    const blocking = failureOf(app.module('block').run());
    expect(await blocking).toMatchObject({ code: 'WORKER_TERMINATED', causedBy: 'run' });
    expect(performance.now() - startMs).toBeLessThan(6500);
    expect((await app.module('quick').run()).ok).toBe(true);
  });

  it('ends the other runs of a worker that stays blocked with causedBy other-run', async () => {
    const pool = createPool({ threads: 1 });
    const app = pool.app(appOf('beside'));
    await app.module('quick').run();
    const slow = failureOf(app.module('slow').run());
    await sleep(200);
    const task = { module: own, name: 'loop', app: JSON.stringify(appOf('beside')), input: 1 };
    expect(await failureOf(pool.run({ ...task, timeoutMs: 500 }))).toMatchObject({ causedBy: 'run' });
    expect(await slow).toMatchObject({ code: 'WORKER_TERMINATED', causedBy: 'other-run' });
  });

  it('does not count the time of loading', async () => {
    const pool = createPool({ runTimeoutMs: 1500, setupData: { setupMs: 2000 } });
    expect((await pool.app(appOf('loads')).module('quick').run()).ok).toBe(true);
  });

  it('is separate for loading an app', async () => {
    const pool = createPool({ threads: 1, loadTimeoutMs: 500, setupData: { setupMs: 60_000 } });
    const { message } = await failureOf(pool.app(appOf('hangs')).module('quick').run());
    expect(message).toBe('Loading the app "hangs" took longer than 500 ms.');
  });

  it('is longer by default than an app can ask for, and a setup module that allows more is refused', async () => {
    const longer = path.join(folder, 'longer.mjs');
    writeFileSync(longer, 'export default { limits: { maxTimeoutMs: 600_000 } };');
    const pool = createPool({ setup: longer });
    const error = await failureOf(pool.app(appOf('longer')).module('quick').run());
    expect([error.code, error.message]).toEqual(['USAGE', expect.stringContaining('"runTimeoutMs"')]);
  });

  it.skipIf(process.platform !== 'linux')('leaves no file open, however short it is', async () => {
    const before = openFiles();
    const pool = createPool({ threads: 2, runTimeoutMs: 5 });
    const app = pool.app(appOf('short'));
    for (let runs = 0; runs < 10; runs++) await failureOf(app.module('wait').run());
    await pool.close();
    expect(openFiles()).toBeLessThanOrEqual(before + 1);
  });
});

describe('apps that do not end', () => {
  it('wait for a worker, so that runs of another app do not wait for them', async () => {
    const pool = createPool({ threads: 3, runTimeoutMs: 8000 });
    const good = pool.app(appOf('good'));
    await good.module('quick').run();
    const hostile = Array.from({ length: 8 }, (_, index) => pool.app(appOf(`hostile ${index}`)));
    const ends = hostile.map((app) => failureOf(app.module('block').run()));
    let longestMs = 0;
    for (let runs = 0; runs < 10; runs++) {
      const startMs = performance.now();
      expect((await good.module('quick').run()).ok).toBe(true);
      longestMs = Math.max(longestMs, performance.now() - startMs);
      await sleep(100);
    }
    // On a busy machine; they waited for several deadlines of 8 s before.
    expect(longestMs).toBeLessThan(4000);
    expect((await ends[0])?.code).toBe('WORKER_TERMINATED');
    for (const end of ends.slice(1)) end.catch(() => {});
  });

  it('run again after a pause once they end', async () => {
    const pool = createPool({ threads: 1, runTimeoutMs: 4000 });
    const app = pool.app(appOf('mended'));
    await app.module('quick').run();
    await failureOf(app.module('block').run());
    const startMs = performance.now();
    expect((await app.module('quick').run()).ok).toBe(true);
    expect(performance.now() - startMs).toBeGreaterThan(400);
  });
});

describe('what a run gives', () => {
  it('is bounded, because the clone repeats a text as often as it occurs', async () => {
    const app = createPool().app(appOf('large'));
    const expected = { code: 'IML_LIMIT', message: expect.stringContaining('"maxResultBytes"') };
    expect(await failureOf(app.module('text').run())).toMatchObject(expected);
    const streamed = async (): Promise<void> => {
      for await (const _ of app.module('text').run());
    };
    expect(await failureOf(streamed())).toMatchObject(expected);
    expect((await app.module('quick').run()).ok).toBe(true);
  });
});

describe('an app in a pool, used like an engine', () => {
  it('reports a run that is iterated, and the error that ended the loop', async () => {
    const app = createPool().app(appOf('streamed'));
    const run = app.module('quick').run();
    for await (const bundle of run) expect(bundle).toEqual({ n: 1 });
    expect(run.report()).toMatchObject({ ok: true, stats: { requests: 1 } });
    expect(run.report().trace.length).toBeGreaterThan(0);
    expect(await run).toBe(run.report());
  });

  it('has catch and finally on runs', async () => {
    const app = createPool().app(appOf('promise'));
    const missing = app.module('missing').run();
    expect(await missing.catch((error) => error)).toMatchObject({ code: 'SPEC_MISSING' });
    let isOver = false;
    await app
      .module('quick')
      .run()
      .finally(() => {
        isOver = true;
      });
    expect(isOver).toBe(true);
  });

  it('runs the steps of a flow, with the states of a trigger', async () => {
    const definition: AppDefinition = {
      ...appOf('flow'),
      modules: {
        watch: {
          type: 'trigger',
          communication: {
            url: '/1',
            response: {
              limit: 2,
              iterate: '{{body.items}}',
              output: '{{item}}',
              trigger: { id: '{{item.id}}', type: 'id', order: 'asc' },
            },
          },
        },
        take: { communication: { response: { output: { got: '{{parameters.n}}' } } } },
      },
    };
    const app = defineApp(definition);
    const engine = createPool().app(definition);
    const { default: readOptions } = await import(pathToFileURL(setup).href);
    const inProcess = createEngine({ app, ...(await readOptions({})) });
    const input = { parameters: {}, start: 'all' } as const;
    const outcome = await engineModule(engine, 'watch', app).run(input);
    expect(outcome).toMatchObject({ bundles: [{ id: 0 }, { id: 1 }], state: { lastId: 1 } });
    expect(outcome).toEqual(await engineModule(inProcess, 'watch').run(input));
    const step = engineModule(engine, 'take', app);
    expect(await step.run({ parameters: { n: 3 } })).toMatchObject({ bundles: [{ got: 3 }] });
    expect(() => engineModule(engine, 'watch')).toThrow('third argument');
  });

  it('adds one listener to a signal, however many runs share it', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', onWarning);
    const app = createPool().app(appOf('shared'));
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => app.module('quick').run({ signal })));
    await sleep(10);
    process.off('warning', onWarning);
    expect(warnings).not.toContain('MaxListenersExceededWarning');
  });

  it('names the option of a missing setup file, and the part of an input that is no plain data', async () => {
    expect(() => createPool({ setup: './nowhere.mjs' })).toThrow(/^The option "setup" of createEnginePool/);
    const input = { parameters: { list: [1, () => 1] } };
    const { code, message } = await failureOf(createPool().app(appOf('input')).module('quick').run(input));
    expect([code, message]).toEqual([
      'USAGE',
      'The input of module "quick" run() cannot be sent to another thread at "parameters.list.1". Expected plain data.',
    ]);
  });
});

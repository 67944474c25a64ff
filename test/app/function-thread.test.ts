import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine, type Engine } from '../../src/app/engine/create-engine.js';
import type { EngineOptions } from '../../src/app/engine/engine-options.js';
import type { RunReport } from '../../src/component/module-run.js';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';
import { countTurns, service } from '../run/helpers.js';
import { post } from '../webhook/helpers.js';

const ADDRESS = 'https://api.test/';

/** Takes far longer than it may of its caller's thread. */
const WAIT = 'function wait(value) { const end = Date.now() + 120; while (Date.now() < end); return value; }';

type Codes = Readonly<Record<string, string>>;

/** An app whose functions run on a thread of their own from the first call on, unless the options say otherwise. */
function openEngine(codes: Codes, communication: object, options: Partial<EngineOptions> = {}): Engine {
  const { transport } = service(({ url }) => ({ json: { items: ['a', 'b', 'c'], url } }));
  const app = defineApp({
    name: 'thread',
    functions: Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, { code }])),
    modules: {
      m: { type: 'search', communication },
      poll: {
        type: 'trigger',
        communication: {
          url: ADDRESS,
          response: {
            iterate: '{{body.items}}',
            limit: '{{wait(2)}}',
            trigger: { id: '{{item}}', type: '{{wait("id")}}', order: '{{wait("asc")}}' },
            output: '{{item}}',
          },
        },
      },
      form: {
        type: 'search',
        mappableParams: [
          { name: 'shown', type: 'text', visible: '{{wait(true)}}', required: true },
          { name: 'hidden', type: 'text', visible: '{{wait(false)}}', required: true },
          { name: 'filled', type: 'text', default: '{{wait("default")}}' },
        ],
        communication: { response: { output: '{{parameters}}' } },
      },
    },
    rpcs: { r: { communication: { response: { output: [{ name: '{{wait("field")}}', type: 'text' }] } } } },
    webhooks: {
      shared: { type: 'web-shared', communication: { uid: '{{wait(body.id)}}', output: '{{body}}' } },
      w: {
        type: 'web',
        communication: {
          verification: { condition: '{{wait(false)}}' },
          condition: '{{wait(body.id = 1)}}',
          output: '{{wait(body)}}',
          respond: { body: '{{wait("answer")}}' },
        },
      },
    },
  });
  return createEngine({ app, transport, ...options, limits: { functionTurnMs: 0, ...options.limits } });
}

async function run(
  codes: Codes,
  communication: object,
  options: Partial<EngineOptions> = {},
  parameters: Record<string, unknown> = {},
): Promise<RunReport> {
  await using engine = openEngine(codes, communication, options);
  return await engine.module('m').run({ parameters });
}

/** What an expression gives where functions are called on a thread of their own, tried first, and called here. */
async function runEverywhere(
  codes: Codes,
  output: unknown,
  parameters: Record<string, unknown> = {},
  options: () => Partial<EngineOptions> = () => ({}),
): Promise<readonly RunReport[]> {
  const reports: RunReport[] = [];
  for (const functionTurnMs of [0, 10, Number.POSITIVE_INFINITY]) {
    const given = options();
    const limits = { functionTurnMs, ...given.limits };
    reports.push(await run(codes, { response: { output } }, { ...given, limits }, parameters));
  }
  return reports;
}

/** More than others have where each call of `wait` is made in a turn of its own. */
const MANY_TURNS = 30;

describe('a custom function that takes long', () => {
  // As it is by default: each is tried here first.
  const byDefault = { limits: { functionTurnMs: 10 } };

  it.each<[string, object, unknown]>([
    [
      'the output of an item',
      { url: ADDRESS, response: { iterate: '{{body.items}}', output: '{{wait(item)}}' } },
      ['a', 'b', 'c'],
    ],
    ['a single output', { response: { output: '{{wait(1)}}{{wait(2)}}' } }, ['12']],
    ['a wrapper', { response: { output: '{{1}}', wrapper: '{{wait(2)}}' } }, [2]],
    ['temp', { temp: { a: '{{wait(3)}}' }, response: { output: '{{temp.a}}' } }, [3]],
    ['an address', { url: `${ADDRESS}{{wait("x")}}`, response: { output: '{{body.url}}' } }, [`${ADDRESS}x`]],
    ['a condition', { condition: '{{wait(false)}}', response: { output: '{{1}}' } }, []],
    [
      'the type of an answer',
      { url: ADDRESS, response: { type: '{{wait("text")}}', output: '{{length(body)}}' } },
      [49],
    ],
  ])('makes nobody wait: %s', async (_where, communication, expected) => {
    await using engine = openEngine({ wait: WAIT }, communication, byDefault);
    const { result, turns } = await countTurns(async () => engine.module('m').run());
    expect(result.error).toBeUndefined();
    expect(result.bundles).toEqual(expected);
    expect(turns).toBeGreaterThan(MANY_TURNS);
  });

  it('makes nobody wait in an address that is looked at again for a redirect', async () => {
    const { transport } = service(({ url }) =>
      url.includes('other') ? { json: 1 } : { status: 302, headers: { location: 'https://other.test/' } },
    );
    const communication = { url: 'https://{{wait("api")}}.test/', response: { output: '{{body}}' } };
    await using engine = openEngine({ wait: WAIT }, communication, { ...byDefault, transport });
    // The address, whether its host is written, and whether it is given.
    const { result, turns } = await countTurns(async () => engine.module('m').run());
    expect(result.bundles).toEqual([1]);
    expect(turns).toBeGreaterThan(MANY_TURNS);
    const slow = 'function wait(a) { for (;;); }';
    await using endless = openEngine({ wait: slow }, communication, {
      transport,
      limits: { timeoutMs: 100 },
    });
    expect((await endless.module('m').run()).error?.type).toBe('ModuleTimeoutError');
  });

  it('makes nobody wait in what a polling trigger says of itself', async () => {
    await using engine = openEngine({ wait: WAIT }, {}, { ...byDefault, triggerStart: 'all' });
    const { result, turns } = await countTurns(async () => engine.module('poll').run());
    expect(result.bundles).toEqual(['a', 'b']);
    expect(turns).toBeGreaterThan(3 * MANY_TURNS);
  });

  it('makes nobody wait in the uid of a shared webhook', async () => {
    await using engine = openEngine({ wait: WAIT }, {}, byDefault);
    const connections = [{ id: 'c', uid: 'u1' }];
    const handle = async () => engine.webhook('shared').handle(post({ id: 'u1' }), { connections });
    const { result, turns } = await countTurns(handle);
    expect(result.deliveries).toHaveLength(1);
    expect(turns).toBeGreaterThan(MANY_TURNS);
  });

  it('makes nobody wait in a form', async () => {
    await using engine = openEngine({ wait: WAIT }, {}, byDefault);
    const checkParameters = { defaults: true };
    const ask = async (parameters: Record<string, unknown>) =>
      await engine.module('form').run({ parameters, checkParameters });
    const { result, turns } = await countTurns(() => ask({ shown: 'here' }));
    expect(result.bundles).toEqual([{ shown: 'here', filled: 'default' }]);
    expect(turns).toBeGreaterThan(MANY_TURNS);
    const { error } = await ask({});
    expect(error?.message).toBe("Missing value of required parameter 'shown'.");
  });

  it('ends with the time of the run in a form, whatever each of several takes', async () => {
    // Three of 120 ms are called.
    const limits = { functionTurnMs: 10, timeoutMs: 300 };
    await using engine = openEngine({ wait: WAIT }, {}, { limits });
    const { error } = await engine
      .module('form')
      .run({ parameters: { shown: 'here' }, checkParameters: { defaults: true } });
    expect(error?.type).toBe('ModuleTimeoutError');
  });

  it('makes nobody wait in an RPC', async () => {
    await using engine = openEngine({ wait: WAIT }, {}, byDefault);
    const { result, turns } = await countTurns(async () => engine.rpc('r').call());
    expect(result).toMatchObject({ ok: true });
    expect(JSON.stringify(result)).toContain('"field"');
    expect(turns).toBeGreaterThan(MANY_TURNS);
  });

  it('makes nobody wait in a webhook', async () => {
    await using engine = openEngine({ wait: WAIT }, {}, byDefault);
    const { result, turns } = await countTurns(async () => engine.webhook('w').handle(post({ id: 1 })));
    expect(result.bundles).toEqual([{ id: 1 }]);
    expect(await result.response.text()).toBe('"answer"');
    expect(turns).toBeGreaterThan(MANY_TURNS);
  });

  it('is not tried again where it took long the last time', async () => {
    const code = `function f(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i; return debug(n), sum; }`;
    const communication = { response: { iterate: '{{parameters.list}}', output: '{{f(item)}}' } };
    const list = [2e6, 2e6, 10, 10, 2e6];
    const { bundles, trace } = await run({ f: code }, communication, byDefault, { list });
    expect(bundles).toEqual(list.map((n) => (n * (n - 1)) / 2));
    const said = trace
      .filter(({ kind }) => kind === 'debug')
      .map((event) => 'values' in event && event.values);
    expect(said).toEqual(list.map((n) => [n]));
  });
});

describe('what a custom function gives on a thread of its own', () => {
  it('is what it gives here', async () => {
    const codes = {
      back: 'function back(...values) { return [values, new Date(5), NaN, -0, undefined, { ["__proto__"]: 1 }] }',
      bytes: 'function bytes(value) { return Buffer.from(value).reverse() }',
      zone: 'function zone() { return [environment.timezone, iml.upper("a"), new Date().getTime()] }',
      other: 'function other(n) { return n === 0 ? "done" : iml.other(n - 1) }',
    };
    const parameters = {
      date: new Date(1e12),
      bytes: Buffer.from([1, 2, 3]),
      deep: Array.from({ length: 200 }).reduce((inner) => [inner], 'x'),
      text: 'a\0\ud800b',
      list: Array.from({ length: 5000 }, (_, id) => ({ id, tags: ['x', null, undefined] })),
    };
    const output = {
      back: '{{back(parameters.date; parameters.deep; parameters.text; parameters.list; null)}}',
      bytes: '{{bytes(parameters.bytes)}}',
      zone: '{{zone()}}',
      other: '{{other(5)}}',
    };
    const clock = createVirtualClock();
    const options = () => ({ clock, timezone: 'Asia/Tokyo', limits: { timeoutMs: 100_000 } });
    const [there, tried, here] = await runEverywhere(codes, output, parameters, options);
    expect(here?.error).toBeUndefined();
    expect(there?.bundles).toStrictEqual(here?.bundles);
    expect(tried?.bundles).toStrictEqual(here?.bundles);
    expect(there?.bundles?.[0]).toMatchObject({
      zone: ['Asia/Tokyo', 'A', clock.now()],
      bytes: new Uint8Array([3, 2, 1]),
    });
  });

  it.each<[string, string]>([
    ['its own error', 'function f() {\n  throw new TypeError("no " + 1);\n}'],
    ['no error', 'function f() { throw null }'],
    ['a built-in that fails', 'function f() { return iml.parseJSON("{") }'],
    ['no function', 'function g( {'],
    ['a promise', 'async function f() { return 1 }'],
    ['too much memory', 'function f() { const list = []; for (;;) list.push(new Uint8Array(1e6)) }'],
    ['too deep calls', 'function f() { return f() + 1 }'],
    ['no end', 'function f() { for (;;); }'],
  ])('fails as here: %s', async (_what, code) => {
    const options = () => ({ limits: { functionTimeoutMs: 400 } });
    const reports = await runEverywhere({ f: code }, '{{f()}}', {}, options);
    const [there, tried, here] = reports.map(({ error }) => {
      const cause = error?.cause as { code?: string; cause?: { place?: unknown } } | undefined;
      return { text: error?.toJSON(), code: cause?.code, place: cause?.cause?.place };
    });
    expect(here?.text).toBeDefined();
    expect(there).toEqual(here);
    expect(tried).toEqual(here);
  });

  it('hangs on the same chance and time, wherever it is called', async () => {
    const code = `function f() {
      const drawn = [Math.random(), ...iml.shuffle([1, 2, 3])];
      for (let n = 0; n < 3e6; n++);
      return [...drawn, Math.random()];
    }`;
    const options = () => {
      let draws = 0;
      return {
        clock: createVirtualClock(),
        random: () => (++draws % 10) / 10,
        limits: { timeoutMs: 100_000 },
      };
    };
    const output = '{{f()}}{{random}}{{f()}}';
    const [there, tried, here] = await runEverywhere({ f: code }, output, {}, options);
    expect(here?.bundles?.[0]).toMatch(/^0\.1,.*,0\.40\.50\.6,.*,0\.9$/);
    expect(there?.bundles).toEqual(here?.bundles);
    expect(tried?.bundles).toEqual(here?.bundles);
  });

  it('is hashed by the digest of the engine', async () => {
    const digest = (): Uint8Array => new Uint8Array([1, 2]);
    const broken = (): Uint8Array => {
      throw new Error('no digest');
    };
    const codes = { f: 'function f() { return iml.md5("x") }' };
    for (const [given, expected] of [
      [digest, '0102'],
      [broken, undefined],
    ] as const) {
      const reports = await runEverywhere(codes, '{{f()}}', {}, () => ({ digest: given }));
      for (const { bundles, error } of reports) {
        expect(bundles?.[0]).toBe(expected);
        expect(error?.message).toBe(reports[2]?.error?.message);
      }
    }
  });

  it('is an error where the digest of the engine gives what no thread can have', async () => {
    const hostile = new Proxy(new Error('no'), {
      get: () => {
        throw new Error('never');
      },
    });
    const failing = (): never => {
      throw hostile;
    };
    for (const given of [async () => new Uint8Array(1), failing]) {
      const digest = given as unknown as () => Uint8Array;
      const codes = { f: 'function f() { return iml.md5("x") }' };
      const { error } = await run(codes, { response: { output: '{{f()}}' } }, { digest });
      expect(error?.message).toContain("Function 'md5' finished with error!");
    }
  });

  it('says once, in order, what it says with debug', async () => {
    const code = 'function f() { debug(1, { a: [2] }); for (let n = 0; n < 3e6; n++); debug("last"); }';
    for (const { trace } of await runEverywhere({ f: code }, '{{f()}}')) {
      const said = trace.filter(({ kind }) => kind === 'debug');
      expect(said).toMatchObject([
        { function: 'f', values: [1, { a: [2] }], place: { file: 'functions/f/code.js', line: 1 } },
        { function: 'f', values: ['last'] },
      ]);
    }
  });

  it('hands on a bounded part of what it says with debug', async () => {
    const code = 'function f() { for (let n = 0; n < 60; n++) debug("x".repeat(100_000)); return 1; }';
    const { bundles, trace } = await run({ f: code }, { response: { output: '{{f()}}' } });
    expect(bundles).toEqual([1]);
    const said = trace.filter(({ kind }) => kind === 'debug');
    expect(said.length).toBeGreaterThan(30);
    expect(said.length).toBeLessThan(60);
    expect(said.at(-1)).toMatchObject({ values: ['More was said than is handed on.'] });
  });

  it('is a built-in that takes long, though its author catches what it throws', async () => {
    const code = `function f(list) {
      try { return iml.sort(list)[0] } catch (error) { return error.message }
    }`;
    const list = Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 300_007);
    const reports = await runEverywhere({ f: code }, '{{f(parameters.list)}}', { list });
    for (const { bundles, error } of reports) expect([bundles, error]).toEqual([[0], undefined]);
  });
});

describe('a run ends while a function is at work elsewhere', () => {
  const endless = { endless: 'function endless() { for (;;); }', one: 'function one() { return 1 }' };

  it('with its time', async () => {
    const limits = { timeoutMs: 150 };
    const { error } = await run(endless, { response: { output: '{{endless()}}' } }, { limits });
    expect(error?.type).toBe('ModuleTimeoutError');
  });

  it('for its signal, and leaves the functions as they are', async () => {
    await using engine = openEngine(endless, {
      response: { output: '{{if(parameters.ends; one(); endless())}}' },
    });
    const module = engine.module('m');
    const controller = new AbortController();
    const running = module.run({ parameters: { ends: false }, signal: controller.signal });
    const behind = module.run({ parameters: { ends: true } });
    setTimeout(() => controller.abort(new Error('enough')), 200);
    await expect(running).rejects.toThrow('enough');
    expect((await behind).bundles).toEqual([1]);
  });

  it('as the engine is closed', async () => {
    const engine = openEngine(endless, { response: { output: '{{endless()}}' } });
    const running = engine.module('m').run();
    await sleep(300);
    await engine[Symbol.asyncDispose]();
    expect((await running).error?.message).toContain('after its sandbox was closed');
  });
});

describe('the thread of custom functions', () => {
  it('is there for each of many engines in turn', async () => {
    const engines = Array.from({ length: 12 }, () =>
      openEngine({ wait: WAIT }, { response: { output: '{{wait(parameters.n)}}' } }),
    );
    const reports = await Promise.all(
      engines.map((engine, n) => engine.module('m').run({ parameters: { n } })),
    );
    expect(reports.map(({ bundles, error }) => error?.message ?? bundles)).toEqual(
      engines.map((_, n) => [n]),
    );
    await Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()));
  });

  it('compiles what takes others long, and says what is wrong with the rest', async () => {
    const names = Array.from({ length: 7000 }, (_, n) => `#p${n}=1;`).join('');
    const codes = {
      hard: `class A {${names}} function hard(a) { return a }`,
      wrong: 'function wrong( {',
      easy: 'function easy(a) { return iml.hard(a) + 1 }',
    };
    await using engine = openEngine(codes, { response: { output: '{{easy(hard(1))}}' } });
    const { result, turns } = await countTurns(async () => engine.module('m').run());
    expect(result.bundles).toEqual([2]);
    expect(turns).toBeGreaterThan(MANY_TURNS);
  });

  it('keeps no process alive', async () => {
    const code = `
      import { createEngine, defineApp } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
      const app = defineApp({
        name: 'thread',
        functions: { f: { code: 'function f() { return 1 }' } },
        modules: { m: { type: 'search', communication: { response: { output: '{{f()}}' } } } },
      });
      const engine = createEngine({ app, limits: { functionTurnMs: 0 } });
      console.log(JSON.stringify((await engine.module('m').run()).bundles));
      process.on('exit', () => console.log(process.uptime() < 8));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
    expect(stdout).toBe('[1]\ntrue\n');
  });
});

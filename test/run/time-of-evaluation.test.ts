import { setImmediate } from 'node:timers';
import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import type { EngineOptions } from '../../src/app/engine/engine-options.js';
import type { RunReport } from '../../src/component/module-run.js';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';
import { service } from './helpers.js';

/** A step takes as long as the engine's clock says, whenever one of these directives is evaluated. */
async function runTimed(communication: object, slow: RegExp, options: Partial<EngineOptions> = {}) {
  const clock = createVirtualClock();
  const { transport, requests } = service(() => ({ json: { items: [1, 2] } }));
  const app = defineApp({ name: 'timed', modules: { m: { type: 'search', communication } } });
  const observer = {
    onDirective: (_: unknown, pointer: string): void => {
      if (slow.test(pointer)) clock.advance(600);
    },
    onDecision: () => {},
  };
  const limits = { timeoutMs: 1000 };
  await using engine = createEngine({ app, transport, clock, observer, limits, ...options });
  return { report: await engine.module('m').run(), requests };
}

const OUTPUT = { response: { output: '{{1}}' } };
const URL = 'https://api.test/';

describe('the time of a run is looked at', () => {
  it.each<[string, object, RegExp]>([
    ['between requests that send nothing', [OUTPUT, OUTPUT, OUTPUT], /output$/],
    [
      'between requests whose condition is false',
      Array(3).fill({ url: URL, condition: '{{false}}' }),
      /condition$/,
    ],
    ['behind the last of them', { temp: { a: '{{1}}' }, ...OUTPUT }, /(?:output|temp)$/],
    [
      'behind the default of a condition',
      { url: URL, temp: { a: '{{1}}' }, condition: { condition: '{{false}}', default: '{{1}}' } },
      /(?:temp|default)$/,
    ],
    [
      'behind a wrapper',
      { url: URL, response: { iterate: '{{body.items}}', output: '{{item}}', wrapper: '{{output}}' } },
      /(?:iterate|wrapper)$/,
    ],
    [
      'behind a single output',
      { url: URL, response: { temp: { a: '{{1}}' }, output: '{{1}}' } },
      /(?:temp|output)$/,
    ],
  ])('%s', async (_where, communication, slow) => {
    const { report } = await runTimed(communication, slow);
    expect(report.error?.type).toBe('ModuleTimeoutError');
    expect((await runTimed(communication, /nothing/)).report.ok).toBe(true);
  });

  it('behind the wrapper of a polling trigger', async () => {
    const clock = createVirtualClock();
    const { transport } = service(() => ({ json: [{ id: 1 }] }));
    const response = {
      iterate: '{{body}}',
      trigger: { id: '{{item.id}}', type: 'id' },
      output: '{{item}}',
      wrapper: '{{output}}',
    };
    const modules = { m: { type: 'trigger' as const, communication: { url: URL, response } } };
    const app = defineApp({ name: 'timed', modules });
    const observer = {
      onDirective: (_: unknown, pointer: string): void => {
        if (pointer.endsWith('wrapper')) clock.advance(1100);
      },
      onDecision: () => {},
    };
    const limits = { timeoutMs: 1000 };
    await using engine = createEngine({ app, transport, clock, observer, limits, triggerStart: 'all' });
    expect((await engine.module('m').run()).error?.type).toBe('ModuleTimeoutError');
  });
});

const CALLS = 6;

/** Runs an app with a function that takes longer than a turn; `turns` counts those that others had meanwhile. */
async function runSlow(
  communication: object,
  options: Partial<EngineOptions> = {},
  signal?: AbortSignal,
): Promise<{ readonly report: RunReport; readonly calls: number; readonly turns: number }> {
  const { transport } = service(() => ({ json: { items: ['a', 'b'] } }));
  const code =
    'function slow(n) { const end = Date.now() + 30; while (Date.now() < end); return debug(n), n; }';
  const app = defineApp({
    name: 'slow',
    functions: { slow: { code } },
    modules: { m: { type: 'search', communication } },
  });
  await using engine = createEngine({ app, transport, trustFunctions: true, ...options });
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns++;
    setImmediate(count);
  };
  const running = engine.module('m').run({ ...(signal !== undefined && { signal }) });
  count();
  const report = await running
    .then((ended) => ended)
    .finally(() => {
      isOver = true;
    });
  const calls = report.trace.filter(({ kind }) => kind === 'debug').length;
  return { report, calls, turns };
}

const members = Object.fromEntries(Array.from({ length: CALLS }, (_, n) => [`m${n}`, `{{slow(${n})}}`]));
const VALUES = Object.fromEntries(Array.from({ length: CALLS }, (_, n) => [`m${n}`, n]));

describe('custom functions of one directive', () => {
  it.each<[string, object, unknown]>([
    ['a single output', { response: { output: members } }, VALUES],
    ['the output of an item', { url: URL, response: { iterate: '{{body.items}}', output: members } }, VALUES],
    ['a wrapper', { url: URL, response: { output: '{{1}}', wrapper: members } }, VALUES],
    ['temp', { temp: members, response: { output: '{{temp}}' } }, VALUES],
    ['temp of an answer', { url: URL, response: { temp: members, output: '{{temp}}' } }, VALUES],
    ['qs', { url: URL, qs: members, response: { output: '{{1}}' } }, 1],
    [
      'the condition of a page',
      { url: URL, pagination: { condition: { a: members } }, response: { output: '{{1}}' } },
      1,
    ],
  ])('let others have their turn between two of them: %s', async (_where, communication, expected) => {
    const limits = { maxPages: 0 };
    const { report, turns, calls } = await runSlow(communication, { limits });
    expect(report.error).toBeUndefined();
    expect(report.bundles?.[0]).toEqual(expected);
    expect(calls % CALLS).toBe(0);
    expect(turns).toBeGreaterThanOrEqual(CALLS - 1);
  });

  it.each(['output', 'wrapper'])('end with the time of the run, and for its signal: %s', async (name) => {
    const communication = { url: URL, response: { output: '{{1}}', [name]: members } };
    const late = await runSlow(communication, { limits: { timeoutMs: 50 } });
    expect(late.report.error?.type).toBe('ModuleTimeoutError');
    expect(late.calls).toBeLessThan(CALLS);
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(runSlow(communication, {}, controller.signal)).rejects.toThrow('enough');
  });

  it('say what a failed answer means, however long they take', async () => {
    const { transport } = service(() => ({ status: 400, json: {} }));
    const message = Array.from({ length: CALLS }, (_, n) => `{{slow(${n})}}`).join('');
    const { report } = await runSlow({ url: URL, response: { error: { message } } }, { transport });
    expect(report.error?.message).toBe('012345');
    expect(report.warnings).toEqual([]);
  });
});

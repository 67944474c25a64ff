import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type EngineOptions } from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { service } from './helpers.js';

/** The engine's clock advances whenever one of these directives is evaluated. */
async function runTimed(communication: object, slow: RegExp, options: Partial<EngineOptions> = {}) {
  const clock = createVirtualClock();
  const { transport, requests } = service(() => ({ json: { items: [{ id: 1 }, { id: 2 }] } }));
  const app = defineApp({ name: 'timed', modules: { m: { type: 'search', communication } } });
  const observer = {
    onDirective: (_: unknown, pointer: string): void => {
      if (slow.test(pointer)) clock.advance(600);
    },
    onDecision: () => {},
  };
  const limits = { timeoutMs: 1000 };
  await using engine = createEngine({ app, http: { transport }, clock, observer, limits, ...options });
  return { report: await engine.module('m').run(), requests };
}

const OUTPUT = { response: { output: { id: '{{1}}' } } };
const URL = 'https://api.test/';

describe('the time limit of a run is checked', () => {
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
      { url: URL, temp: { a: '{{1}}' }, condition: { condition: '{{false}}', default: { id: '{{1}}' } } },
      /(?:temp|default)$/,
    ],
    [
      'behind a wrapper',
      {
        url: URL,
        response: { iterate: '{{body.items}}', output: '{{item}}', wrapper: { all: '{{output}}' } },
      },
      /(?:iterate|wrapper)$/,
    ],
    [
      'behind a single output',
      { url: URL, response: { temp: { a: '{{1}}' }, output: { id: '{{1}}' } } },
      /(?:temp|output)$/,
    ],
  ])('%s', async (_where, communication, slow) => {
    const { report } = await runTimed(communication, slow);
    expect(report.error?.type).toBe('ModuleTimeoutError');
    expect((await runTimed(communication, /nothing/)).report.ok).toBe(true);
  });

  it('after the wrapper of a polling trigger', async () => {
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
    await using engine = createEngine({
      app,
      http: { transport },
      clock,
      observer,
      limits,
    });
    expect((await engine.module('m').run({ start: 'all' })).error?.type).toBe('ModuleTimeoutError');
  });
});

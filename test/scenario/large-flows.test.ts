import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors/app-error.js';
import { finishAtOnce } from '../../src/iml/values/work.js';
import { compileFlow } from '../../src/scenario/flow/compile-flow.js';
import type { FlowStep } from '../../src/scenario/flow/flow.js';
import { createMemoryIncompleteStore } from '../../src/scenario/flow/incomplete-execution.js';
import { compileInputs } from '../../src/scenario/flow/map-inputs.js';
import { runFlow } from '../../src/scenario/flow/run-flow.js';
import { countTurns } from '../run/helpers.js';
import { moduleOf, source } from './helpers.js';

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const run = (...steps: readonly FlowStep[]) =>
  countTurns(async () => runFlow(compileFlow({ name: 'f', steps })));

describe('a flow whose modules wait for nothing', () => {
  const bundles = list(60_000, (n) => ({ n }));

  it('lets others have their turn between bundles that a filter lets end', async () => {
    const { turns, result } = await run(
      { id: 1, module: source(...bundles) },
      { id: 2, module: moduleOf(() => []), filter: '{{1.n < 0}}' },
    );
    expect(result).toMatchObject({ ok: true, operations: 1 });
    expect(turns).toBeGreaterThan(3);
  });

  it('lets others have their turn between bundles that go through', async () => {
    const { turns, result } = await run(
      { id: 1, module: source(...bundles) },
      { id: 2, module: moduleOf(() => [1]) },
    );
    expect(result).toMatchObject({ ok: true, operations: 60_001 });
    expect(turns).toBeGreaterThan(3);
  });

  it('lets others have their turn while what is behind a failure is stored', async () => {
    const flow = compileFlow({
      name: 'f',
      steps: [
        { id: 1, module: source(...bundles) },
        { id: 2, module: moduleOf(() => 'ConnectionError') },
      ],
    });
    const settings = { storeIncomplete: true };
    const store = createMemoryIncompleteStore();
    const { turns, result } = await countTurns(async () => runFlow(flow, {}, { store, settings }));
    expect(result.incomplete).toHaveLength(60_000);
    expect(turns).toBeGreaterThan(3);
  });

  it('ends between two turns with the reason of the signal', async () => {
    const ending = new AbortController();
    setImmediate(() => ending.abort(new Error('enough')));
    const flow = compileFlow({
      name: 'f',
      steps: [
        { id: 1, module: source(...bundles) },
        { id: 2, module: moduleOf(() => []) },
      ],
    });
    await expect(runFlow(flow, { signal: ending.signal })).rejects.toThrow('enough');
  });
});

describe('a template of a flow', () => {
  const names = list(200_000, (n) => `${200_000 - n}`);
  const first = { id: 1, module: source({ names, half: names.slice(0, 100_000) }) };

  it.each<readonly [string, Partial<FlowStep>]>([
    ['a filter', { filter: '{{length(sort(1.half)) > 5}}' }],
    ['a parameter', { parameters: { sorted: '{{sort(1.half)}}' } }],
  ])('sorts a long list in turns: %s', async (_, more) => {
    const { turns, result } = await run(first, { id: 2, module: moduleOf(() => [1]), ...more });
    expect(result.error).toBeUndefined();
    expect(turns).toBeGreaterThan(2);
  });

  it('is refused where it takes more than limits.maxSteps: a filter', async () => {
    const { result } = await run(first, {
      id: 2,
      module: moduleOf(() => [1]),
      filter: '{{length(join(1.names; ",") + join(1.names; ",")) > 5}}',
    });
    expect(result.error).toMatchObject({ type: 'DataError' });
    expect(result.error?.message).toContain('limits.maxSteps');
  });

  it('is refused where it takes more than limits.maxSteps: the output of a handler', async () => {
    const { result } = await run(first, {
      id: 2,
      module: moduleOf(() => 'DataError'),
      onError: { kind: 'resume', output: '{{join(1.names; ",") + join(1.names; ",")}}' },
    });
    expect(result.error?.message).toContain('limits.maxSteps');
  });

  it('sees what it saw where it is evaluated anew: chance and the functions of whoever runs it', async () => {
    let drawn = 0;
    const next = (): number => drawn++;
    const flow = compileFlow(
      {
        name: 'f',
        steps: [
          { id: 1, module: source({ low: names, high: names.map((name) => `9${name}`) }) },
          {
            id: 2,
            module: moduleOf(({ parameters }) => [parameters]),
            parameters: {
              count: '{{count()}}',
              of: '{{if(random < 1; first(sort(1.low)); first(sort(1.high)))}}',
            },
          },
        ],
      },
      { random: next, functions: { count: next } },
    );
    const report = await runFlow(flow);
    expect(report.bundles).toEqual([{ count: 0, of: '91' }]);
    expect(drawn).toBe(2);
  });

  it('is looked through for `emptystring` in proportion to its length', () => {
    const forced = (template: string): boolean =>
      finishAtOnce(compileInputs({ a: template }, {})).forced.has('a');
    expect(forced('{{emptystring}}')).toBe(true);
    expect(forced('a{{if(1.a; emptystring; "x")}}')).toBe(true);
    expect(forced('{{1.a}} emptystring')).toBe(false);
    expect(forced('{{1.emptystrings}}')).toBe(false);
    expect(forced('emptystring {{1.a}}')).toBe(false);
    const startedAt = process.cpuUsage();
    expect(forced(`${'{{'.repeat(200_000)} emptystrings`)).toBe(false);
    // One look from each brace to the end took minutes.
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(5000);
  });
});

describe('a flow', () => {
  const steps = (count: number): readonly FlowStep[] =>
    list(count, (n) => ({ id: n + 1, module: source(1) }));

  it('has at most 1000 steps', async () => {
    const report = await runFlow(compileFlow({ name: 'f', steps: steps(1000) }));
    expect(report).toMatchObject({ ok: true, operations: 1000 });
    expect(() => compileFlow({ name: 'f', steps: steps(1001) })).toThrow(
      'A flow has at most 1000 steps, and "f" has 1001.',
    );
  });
});

describe('what a failure is cleaned of', () => {
  it('is what each of many bundles holds and the first output has, in turns', async () => {
    const event = list(3000, (n) => ({ password: `common-secret-${n}` }));
    const told: string[] = [];
    const module = moduleOf(() => [], {
      run: async ({ parameters }) => ({ error: new AppError('DataError', String(parameters['text'])) }),
    });
    const flow = compileFlow({
      name: 'f',
      steps: [
        { id: 1, module: source({ event }) },
        { id: 2, module: source(...list(200, (n) => ({ token: `own-secret-${n}`, n }))) },
        {
          id: 3,
          module,
          parameters: { text: '{{2.n}} {{2.token}} {{1.event[2].password}}' },
          onError: { kind: 'ignore' },
        },
      ],
    });
    const { turns, result } = await countTurns(async () => runFlow(flow));
    for (const phase of result.phases) {
      if (phase.kind === 'operation' && phase.error !== undefined) told.push(phase.error.message);
    }
    expect(told).toHaveLength(200);
    expect(told.every((message) => !message.includes('secret'))).toBe(true);
    expect(told[7]).toMatch(/^7 /);
    expect(turns).toBeGreaterThan(2);
  });
});

import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/index.js';
import { compileInputs } from '../../src/scenario/compile-flow.js';
import { compileFlow, type FlowStep, runFlow } from '../../src/scenario/index.js';
import { moduleOf, source } from './helpers.js';

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('templates of a flow', () => {
  it('are searched for `emptystring` in linear time', () => {
    const forced = (template: string): boolean => compileInputs({ a: template }, {}).forced.has('a');
    expect(forced('{{emptystring}}')).toBe(true);
    expect(forced('a{{if(1.a; emptystring; "x")}}')).toBe(true);
    expect(forced('{{1.a}} emptystring')).toBe(false);
    expect(forced('{{1.emptystrings}}')).toBe(false);
    expect(forced('emptystring {{1.a}}')).toBe(false);
    const startedAt = process.cpuUsage();
    expect(forced(`${'{{'.repeat(200_000)} emptystrings`)).toBe(false);
    // Searching from each brace to the end would take quadratic time.
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(5000);
  });
});

describe('the number of steps', () => {
  const steps = (count: number): readonly FlowStep[] =>
    list(count, (n) => ({ id: n + 1, module: source(1) }));

  it('is limited to 1000', async () => {
    const report = await runFlow(compileFlow({ name: 'f', steps: steps(1000) }));
    expect(report).toMatchObject({ ok: true, operations: 1000 });
    expect(() => compileFlow({ name: 'f', steps: steps(1001) })).toThrow(
      'The flow "f" has 1001 steps: expected at most 1000.',
    );
  });
});

describe('the redaction of a failure', () => {
  it('covers the secrets of the failing bundle and of the first output', async () => {
    const event = list(3000, (n) => ({ password: `common-secret-${n}` }));
    const told: string[] = [];
    const module = moduleOf(() => [], {
      run: async ({ parameters }) => ({ error: new AppError('DataError', String(parameters['text'])) }),
    });
    const flow = compileFlow({
      name: 'f',
      steps: [
        { id: 1, module: source({ event }) },
        { id: 2, module: source(...list(40, (n) => ({ token: `own-secret-${n}`, n }))) },
        {
          id: 3,
          module,
          parameters: { text: '{{2.n}} {{2.token}} {{1.event[2].password}}' },
          onError: { kind: 'ignore' },
        },
      ],
    });
    const result = await runFlow(flow);
    for (const phase of result.phases) {
      if (phase.kind === 'operation' && phase.error !== undefined) told.push(phase.error.message);
    }
    expect(told).toHaveLength(40);
    expect(told.every((message) => !message.includes('secret'))).toBe(true);
    expect(told[7]).toMatch(/^7 /);
  });
});

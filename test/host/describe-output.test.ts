import { describe, expect, it } from 'vitest';

import type { FlowOutcome } from '../../src/host/index.js';
import { describeOutput } from '../../src/host/scenarios/scenario-flows.js';

import { AppError, createEngine, defineApp } from '../../src/index.js';
import {
  compileFlow,
  engineModule,
  type FlowModule,
  type FlowStep,
  runFlow,
} from '../../src/scenario/index.js';
import { mockTransport } from '../../src/tools/testing/index.js';

type FlowOutput = NonNullable<FlowOutcome['output']>;

const gives = (name: string, ...bundles: readonly unknown[]): FlowModule => ({
  name,
  type: 'search',
  run: async () => ({ bundles }),
});

const fails: FlowModule = {
  name: 'fails',
  type: 'action',
  run: async () => ({ error: new AppError('DataError', 'No.') }),
};

const responds: FlowModule = {
  name: 'answer',
  type: 'responder',
  run: async () => ({ bundles: [] }),
  respond: async () => ({ result: { status: 200, headers: [], body: new Uint8Array() } }),
};

async function outputOf(...steps: readonly FlowStep[]): Promise<FlowOutput | undefined> {
  const flow = compileFlow({ name: 'f', steps });
  return describeOutput(flow, await runFlow(flow));
}

const FIRST = { id: 1, module: gives('first', { n: 1 }, { n: 2 }) };

describe('the output of a flow', () => {
  it('counts the outputs', async () => {
    expect(await outputOf(FIRST)).toEqual({ bundles: 2 });
    expect(await outputOf(FIRST, { id: 2, module: gives('more', 1, 2) })).toEqual({ bundles: 4 });
  });

  it.each<[string, FlowStep, FlowOutput['endedAt']]>([
    [
      'a module returns no bundle',
      { id: 2, module: gives('find'), continueWhenNoRes: false },
      { stepId: 2, module: 'find', why: 'nothing' },
    ],
    [
      'a filter passes nothing',
      { id: 2, module: gives('find', 1), filter: '{{1.n > 5}}' },
      { stepId: 2, module: 'find', why: 'filter' },
    ],
    [
      'an error is ignored',
      { id: 2, module: fails, onError: { kind: 'ignore' } },
      { stepId: 2, module: 'fails', why: 'ignored' },
    ],
  ])('reports an empty output with the step that ended the flow if %s', async (_, step, endedAt) => {
    const last = { id: 3, module: gives('last', 1) };
    expect(await outputOf(FIRST, step, last)).toEqual({ bundles: 0, endedAt });
  });

  it.each(['search', 'trigger'] as const)(
    'says where a %s looked in a response of another structure',
    async (type) => {
      const app = defineApp({
        name: 'a',
        modules: {
          list: {
            type,
            communication: {
              url: 'https://a.example/items',
              response: {
                iterate: '{{body.items}}',
                ...(type === 'trigger' && { trigger: { type: 'id', id: '{{item.id}}' } }),
              },
            },
          },
        },
      });
      const { transport } = mockTransport([{ response: { body: { records: [{ id: 1 }] } } }]);
      const module = engineModule(createEngine({ app, http: { transport } }), 'list');
      expect((await outputOf({ id: 1, module, continueWhenNoRes: false }))?.endedAt).toEqual({
        ...{ stepId: 1, module: 'list', why: 'nothing' },
        unreadAt: { pointer: '/modules/list/communication/response/iterate' },
      });
    },
  );

  it('does not report a responder, which has no output', async () => {
    const step = { id: 2, module: gives('find') };
    expect(await outputOf(FIRST, step, { id: 3, module: responds })).toMatchObject({
      endedAt: { stepId: 2 },
    });
    expect((await outputOf({ id: 1, module: responds }))?.endedAt).toBeUndefined();
  });

  it('does not report a run that failed', async () => {
    expect(await outputOf(FIRST, { id: 2, module: fails })).toBeUndefined();
  });
});

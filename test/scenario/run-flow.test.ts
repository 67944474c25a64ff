import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AppError, createEngine, defineApp } from '../../src/index.js';
import {
  compileFlow,
  completeSettings,
  createMemoryIncompleteStore,
  discardExecution,
  engineModule,
  type FlowOptions,
  type FlowReport,
  type FlowStep,
  type IncompleteStore,
  listDue,
  listUnresolved,
  NEW_SCENARIO,
  nextState,
  resolveExecution,
  respondToWebhook,
  resumeFlow,
  runFlow,
} from '../../src/scenario/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { post } from '../webhook/helpers.js';
import { moduleOf, source, type TestModule } from './helpers.js';

type ErrorHandler = NonNullable<FlowStep['onError']>;

function flowOf(...steps: readonly FlowStep[]): ReturnType<typeof compileFlow> {
  return compileFlow({ name: 'f', steps });
}

interface Setup extends FlowOptions {
  readonly store: IncompleteStore;
  readonly clock: ReturnType<typeof createVirtualClock>;
}

function setup(settings: FlowOptions['settings'] = {}, capacity?: number): Setup {
  let id = 0;
  return {
    settings,
    store: createMemoryIncompleteStore(capacity),
    clock: createVirtualClock(0),
    newId: () => `x${++id}`,
  };
}

const kinds = (report: FlowReport): string[] => report.phases.map(({ kind }) => kind);

describe('the results of a search', () => {
  const find = (...bundles: readonly unknown[]): TestModule => moduleOf(() => bundles, { type: 'search' });
  const parametersAfter = async (step: Pick<FlowStep, 'module'> & Partial<FlowStep>): Promise<unknown[]> => {
    const after = moduleOf(() => [{}]);
    const parameters = { name: '{{1.name}}', at: '{{1.__IMTINDEX__}}', of: '{{1.__IMTLENGTH__}}' };
    await runFlow(flowOf({ id: 1, ...step }, { id: 2, module: after, parameters }));
    return after.inputs.map((input) => input.parameters);
  };

  it('carry their number and the number of all', async () => {
    expect(await parametersAfter({ module: find({ name: 'a' }, { name: 'b' }) })).toEqual([
      { name: 'a', at: 1, of: 2 },
      { name: 'b', at: 2, of: 2 },
    ]);
  });

  it('are one bundle of length 0 if it finds nothing', async () => {
    expect(await parametersAfter({ module: find() })).toEqual([{ of: 0 }]);
    expect(await parametersAfter({ module: find(), continueWhenNoRes: true })).toEqual([{ of: 0 }]);
  });

  it('end the flow if it finds nothing and the step says so', async () => {
    expect(await parametersAfter({ module: find(), continueWhenNoRes: false })).toEqual([]);
  });

  it('have no numbers in other modules, nor as the result of the flow', async () => {
    expect(await parametersAfter({ module: moduleOf(() => [{ name: 'a' }]) })).toEqual([{ name: 'a' }]);
    expect(await parametersAfter({ module: moduleOf(() => []) })).toEqual([]);
    const report = await runFlow(flowOf({ id: 1, module: find({ name: 'a' }) }));
    expect(report.bundles).toEqual([{ name: 'a' }]);
    expect((await runFlow(flowOf({ id: 1, module: find() }))).bundles).toEqual([]);
  });
});

describe('a flow', () => {
  it.each([
    ['the service', { body: { text: '{{parameters.text}}' } }, /refused: \[SANITIZED\]$/],
    [
      'a function, and the cause of the error with it,',
      { qs: { n: '{{jwt("a"; "k"; parameters.text)}}' } },
      /\[SANITIZED\]/,
    ],
  ])('redacts secret names in earlier outputs: %s', async (_, request, expected) => {
    const secret = 'hunter2-of-the-sender';
    const app = defineApp({
      name: 'a',
      base: { baseUrl: 'https://a.test' },
      modules: {
        echo: {
          type: 'action',
          communication: {
            url: '/x',
            ...request,
            response: { error: { message: 'refused: {{body.got}}' } },
          },
        },
      },
    });
    const transport = async ({ url }: { url: string }) => {
      const body = Buffer.from(JSON.stringify({ got: secret }));
      return { status: 400, headers: { 'content-type': 'application/json' }, body, url };
    };
    const module = engineModule(createEngine({ app, http: { transport } }), 'echo');
    const first: FlowStep = { id: 1, module: source({ login: { password: secret }, plain: 'open' }) };
    const flow = flowOf(first, { id: 2, module, parameters: { text: '{{1.login.password}}' } });
    const { error } = await runFlow(flow, {}, setup());
    expect(error?.message).toMatch(expected);
    expect(inspect(error)).not.toContain(secret);
  });

  describe('secrets of findSecrets', () => {
    const secret = 'attached-with-this';
    const failing = moduleOf(() => [], {
      run: async ({ parameters, payload }) => {
        const message = `refused: ${JSON.stringify(parameters['text'] ?? payload)}`;
        return { error: new AppError('DataError', message, { suberrors: [`field ${secret}`] }) };
      },
    });
    const first: FlowStep = { id: 1, module: source({ text: `a ${secret} b` }, { text: `c ${secret}` }) };
    const fails: FlowStep = { id: 2, module: failing, parameters: { text: '{{1.text}}' } };

    function setupKnowing(settings: FlowOptions['settings'] = {}): { options: Setup; asked: () => number } {
      let asked = 0;
      const findSecrets = async (): Promise<readonly string[]> => {
        asked++;
        return [secret];
      };
      return { options: { ...setup(settings), findSecrets }, asked: () => asked };
    }

    it('are redacted in stored executions, reports and phases', async () => {
      const { options, asked } = setupKnowing({ storeIncomplete: true });
      const report = await runFlow(flowOf(first, fails), {}, options);
      const messages = report.incomplete.map(({ error }) => error.message);
      expect(messages).toEqual(['refused: "a [SANITIZED] b"', 'refused: "c [SANITIZED]"']);
      expect(inspect(report.phases, { depth: 9 })).not.toContain(secret);
      expect(asked()).toBe(1);
    });

    it.each<[string, FlowStep]>([
      ['a filter', { ...fails, filter: '{{parseDate(1.text)}}' }],
      ['the output of a handler', { ...fails, onError: { kind: 'resume', output: '{{parseDate(1.text)}}' } }],
    ])('are redacted if %s fails', async (_, step) => {
      const { error } = await runFlow(flowOf(first, step), {}, setupKnowing().options);
      expect(error?.message).toContain('[SANITIZED]');
      expect(inspect(error)).not.toContain(secret);
    });

    it('include secret names in the event', async () => {
      const flow = flowOf({ id: 1, module: { ...failing, type: 'instant_trigger' } });
      const { error } = await runFlow(flow, { events: [{ password: 'sent-by-somebody' }] }, setup());
      expect(error?.message).toBe('refused: {"password":"[SANITIZED]"}');
    });

    it('are requested after a failure only, and nothing is reported if the request fails', async () => {
      const { options, asked } = setupKnowing();
      await runFlow(flowOf(first), {}, options);
      expect(asked()).toBe(0);
      const findSecrets = async (): Promise<never> => Promise.reject(new Error('sealed with another key'));
      await expect(runFlow(flowOf(first, fails), {}, { ...options, findSecrets })).rejects.toThrow('sealed');
    });
  });

  it('maps outputs of modules by id', async () => {
    const send = moduleOf(({ parameters }) => [{ sent: parameters['to'] }]);
    const report = await runFlow(
      flowOf(
        { id: 1, module: source({ email: 'a@x', name: 'Ann' }, { email: 'b@x' }) },
        {
          id: 4,
          module: send,
          parameters: { to: '{{1.email}}', text: 'Dear {{ifempty(1.name, "you")}}', all: '{{`1`}}' },
        },
      ),
    );
    expect(send.inputs.map(({ parameters }) => parameters)).toEqual([
      { to: 'a@x', text: 'Dear Ann', all: { email: 'a@x', name: 'Ann' } },
      { to: 'b@x', text: 'Dear you', all: { email: 'b@x' } },
    ]);
    expect(report).toMatchObject({
      status: 'success',
      operations: 3,
      bundles: [{ sent: 'a@x' }, { sent: 'b@x' }],
      outcome: { kind: 'success' },
    });
  });

  it('returns its report, or throws its error', async () => {
    const well = await runFlow(flowOf({ id: 1, module: source(1, 2) })).orThrow();
    expect(well).toMatchObject({ ok: true, bundles: [1, 2], completed: undefined });
    const failing = flowOf({ id: 1, module: moduleOf(() => 'DataError') });
    expect(await runFlow(failing)).toMatchObject({ ok: false, error: { type: 'DataError' }, completed: [] });
    await expect(runFlow(failing).orThrow()).rejects.toMatchObject({ type: 'DataError' });
    const unknown = runFlow(failing, {}, { settings: { maxErrors: -1 } });
    await expect(unknown).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('processes each bundle completely before the next, and commits it', async () => {
    const first = source(1, 2);
    const report = await runFlow(
      flowOf(
        { id: 1, module: first },
        { id: 2, module: moduleOf(() => ['a', 'b']) },
        { id: 3, module: moduleOf(() => ['z']) },
      ),
    );
    expect(kinds(report)).toEqual([
      'initialization',
      'operation',
      'operation',
      'operation',
      'operation',
      'commit',
      'operation',
      'operation',
      'operation',
      'commit',
      'finalization',
    ]);
    expect(report.operations).toBe(7);
    const once = await runFlow(flowOf({ id: 1, module: first }), {}, { settings: { autoCommit: false } });
    expect(kinds(once)).toEqual(['initialization', 'operation', 'commit', 'finalization']);
  });

  it('ends bundles that a filter rejects, and those without an output', async () => {
    const last = moduleOf(() => ['x']);
    const report = await runFlow(
      flowOf(
        { id: 1, module: source({ n: 1 }, { n: 2 }, { n: 3 }) },
        {
          id: 2,
          module: moduleOf(({ parameters }) => (parameters['n'] === 3 ? [] : [1])),
          parameters: { n: '{{1.n}}' },
          filter: '{{1.n > 1}}',
        },
        { id: 3, module: last },
      ),
    );
    expect(last.inputs).toHaveLength(1);
    expect(report.phases.filter(({ kind }) => kind === 'filtered')).toHaveLength(1);
    expect(report.status).toBe('success');
  });

  it('processes events one by one if the first module is an instant trigger', async () => {
    const trigger = moduleOf(({ payload }) => [payload], { type: 'instant_trigger' });
    const report = await runFlow(flowOf({ id: 1, module: trigger }), { events: ['a', 'b'] });
    expect(report).toMatchObject({ bundles: ['a', 'b'], operations: 2, eventsDone: 2 });
    expect((await runFlow(flowOf({ id: 1, module: trigger }), {})).operations).toBe(0);
  });

  it('passes the state to a polling trigger and returns the new one', async () => {
    const trigger = moduleOf(() => undefined, {
      type: 'trigger',
      run: async ({ state }) => ({
        bundles: [1],
        error: undefined,
        state: { lastId: Number(state?.['lastId']) + 1 },
      }),
    });
    expect((await runFlow(flowOf({ id: 1, module: trigger }), { state: { lastId: 4 } })).state).toEqual({
      lastId: 5,
    });
  });

  it.each([[[]], [[{ id: 0 }]], [[{ id: 1 }, { id: 1 }]]])('rejects the steps %o', (steps) => {
    const made = steps.map((step) => ({ ...step, module: source() }));
    expect(() => flowOf(...made)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('rolls back and rejects with the reason of its signal', async () => {
    const abort = new AbortController();
    const second = moduleOf(() => {
      abort.abort(new Error('enough'));
      return [1];
    });
    const third = moduleOf(() => [1]);
    const flow = flowOf({ id: 1, module: source(1) }, { id: 2, module: second }, { id: 3, module: third });
    await expect(runFlow(flow, { signal: abort.signal })).rejects.toThrow('enough');
    expect(second.log).toEqual(['rollback']);
    expect(third.inputs).toEqual([]);
  });

  it('passes on errors of its ports', async () => {
    const store = { ...createMemoryIncompleteStore(), save: async () => Promise.reject(new Error('disk')) };
    const flow = flowOf({ id: 1, module: source(1) }, { id: 2, module: moduleOf(() => 'DataError') });
    await expect(runFlow(flow, {}, { store, settings: { storeIncomplete: true } })).rejects.toThrow('disk');
  });
});

describe('an unhandled error', () => {
  const failing = (type: 'RuntimeError' | 'DataError' | 'ConnectionError' | 'RateLimitError'): TestModule =>
    moduleOf(({ parameters }) => (parameters['n'] === 2 ? type : [parameters['n']]));
  const steps = (module: TestModule, first = source({ n: 1 }, { n: 2 }, { n: 3 })) =>
    flowOf({ id: 1, module: first }, { id: 2, module, parameters: { n: '{{1.n}}' } });

  it('rolls back the current bundle and keeps the state of the trigger', async () => {
    const module = failing('RuntimeError');
    const first = {
      ...source({ n: 1 }, { n: 2 }),
      run: async () => ({ bundles: [{ n: 1 }, { n: 2 }], error: undefined, state: { lastId: 9 } }),
    };
    const report = await runFlow(steps(module, first), {}, setup());
    expect(report).toMatchObject({ ok: false, status: 'error', state: undefined, completed: [1] });
    expect(report.bundles).toBeUndefined();
    expect(report.outcome).toMatchObject({ kind: 'error', type: 'RuntimeError', isFirstModule: false });
    expect(module.log).toEqual(['commit', 'rollback']);
  });

  it('reports a failure of the first module', async () => {
    const report = await runFlow(
      flowOf({ id: 1, module: moduleOf(() => 'ConnectionError') }),
      {},
      setup({ storeIncomplete: true }),
    );
    expect(report.outcome).toMatchObject({ type: 'ConnectionError', isFirstModule: true });
    expect(report.incomplete).toEqual([]);
  });

  it('stores the bundle of a DataError and continues with others', async () => {
    const options = setup({ storeIncomplete: true });
    const report = await runFlow(steps(failing('DataError')), {}, options);
    expect(report).toMatchObject({
      ok: true,
      status: 'warning',
      bundles: [1, 3],
      outcome: { kind: 'warning' },
    });
    expect(await options.store.list('f')).toEqual([
      {
        id: 'x1',
        flow: 'f',
        stepId: 2,
        outputs: { 1: { n: 2 } },
        error: { type: 'DataError', message: 'DataError happened.' },
        storedAtMs: 0,
        policy: undefined,
        retry: undefined,
      },
    ]);
  });

  it('stores all remaining bundles of a ConnectionError and ends the run', async () => {
    const options = setup({ storeIncomplete: true });
    const first = {
      ...source(),
      run: async () => ({ bundles: [{ n: 1 }, { n: 2 }, { n: 3 }], error: undefined, state: { lastId: 3 } }),
    };
    const report = await runFlow(steps(failing('ConnectionError'), first), {}, options);
    expect(report).toMatchObject({ ok: false, status: 'warning', completed: [1], state: { lastId: 3 } });
    expect(report.error).toMatchObject({ type: 'ConnectionError' });
    expect(report.incomplete.map(({ outputs, retry }) => [outputs, retry])).toEqual([
      [{ 1: { n: 2 } }, { attempt: 1, atMs: 60_000 }],
      [{ 1: { n: 3 } }, { attempt: 1, atMs: 60_000 }],
    ]);
    const { stored } = nextState(
      NEW_SCENARIO,
      completeSettings({ storeIncomplete: true }),
      report.outcome,
      0,
    );
    expect(stored).toEqual({ resolution: 'automatic', attempt: 1, atMs: 60_000 });
  });

  it('reports the delay of a rate limit', async () => {
    const report = await runFlow(steps(failing('RateLimitError')), {}, setup());
    expect(report.outcome).toMatchObject({ type: 'RateLimitError', delayMs: 1_200_000 });
    const asking = moduleOf(() => [], {
      run: async () => ({ error: new AppError('RateLimitError', 'Slow down.', { retryAfterMs: 9000 }) }),
    });
    const { outcome } = await runFlow(steps(asking), {}, setup());
    expect(nextState(NEW_SCENARIO, completeSettings(), outcome, 0).state).toMatchObject({ untilMs: 9000 });
  });

  it('turns the scenario off if the store is full, or discards the bundle', async () => {
    const strict = await runFlow(steps(failing('DataError')), {}, setup({ storeIncomplete: true }, 0));
    expect(
      nextState(NEW_SCENARIO, completeSettings({ storeIncomplete: true }), strict.outcome, 0).notify,
    ).toBe('storage-full');
    const lax = await runFlow(
      steps(failing('DataError')),
      {},
      setup({ storeIncomplete: true, dataLoss: true }, 0),
    );
    expect(lax).toMatchObject({ status: 'warning', bundles: [1, 3] });
    expect(kinds(lax)).toContain('discarded');
  });

  it('leaves pending events to the caller', async () => {
    const trigger = moduleOf(({ payload }) => [payload], { type: 'instant_trigger' });
    const flow = steps(failing('RuntimeError'), trigger);
    const events = [{ n: 1 }, { n: 2 }, { n: 3 }];
    expect((await runFlow(flow, { events }, setup())).eventsDone).toBe(1);
    expect((await runFlow(flow, { events }, setup({ autoCommit: false }))).eventsDone).toBe(0);
    const connection = steps(
      failing('ConnectionError'),
      moduleOf(({ payload }) => [payload], { type: 'instant_trigger' }),
    );
    expect((await runFlow(connection, { events }, setup({ storeIncomplete: true }))).eventsDone).toBe(2);
  });

  it('in an expression is a DataError with the path of the field', async () => {
    const flow = flowOf(
      { id: 1, module: source({}) },
      { id: 2, module: source(), parameters: { a: { b: '{{nofunction(1)}}' } } },
    );
    const report = await runFlow(flow, {}, setup());
    expect(report.error).toMatchObject({
      type: 'DataError',
      message: "Failed to map 'a.b': Function 'nofunction' not found!",
    });
  });

  it('in a commit is an InconsistencyError that keeps committed changes', async () => {
    const module = moduleOf(() => [1], { commit: async () => Promise.reject(new Error('no')) });
    const report = await runFlow(flowOf({ id: 1, module }), {}, setup());
    expect(report.outcome).toMatchObject({ kind: 'error', type: 'InconsistencyError' });
    expect(kinds(report)).not.toContain('rollback');
  });
});

describe('the error handler', () => {
  const run = (onError: ErrorHandler, options = setup()): Promise<FlowReport> =>
    runFlow(
      flowOf(
        { id: 1, module: source({ n: 1 }, { n: 2 }, { n: 3 }) },
        {
          id: 2,
          module: moduleOf(({ parameters }) =>
            parameters['n'] === 2 ? 'RuntimeError' : [{ n: parameters['n'] }],
          ),
          parameters: { n: '{{1.n}}' },
          onError,
        },
        { id: 3, module: moduleOf(({ parameters }) => [parameters['n']]), parameters: { n: '{{2.n}}' } },
      ),
      {},
      options,
    );

  it('ignore drops the bundle', async () => {
    expect(await run({ kind: 'ignore' })).toMatchObject({
      status: 'success',
      bundles: [1, 3],
      outcome: { kind: 'success' },
    });
  });

  it('resume continues with another output', async () => {
    expect(await run({ kind: 'resume', output: { n: '{{1.n * 100}}' } })).toMatchObject({
      status: 'success',
      bundles: [1, 200, 3],
    });
  });

  it('resume with a failing output is a DataError', async () => {
    expect((await run({ kind: 'resume', output: '{{nofunction()}}' })).error?.type).toBe('DataError');
  });

  it('commit ends the run successfully', async () => {
    const report = await run({ kind: 'commit' });
    expect(report).toMatchObject({ ok: true, status: 'success', bundles: [1], error: undefined });
    expect(kinds(report).slice(-2)).toEqual(['commit', 'finalization']);
  });

  it('rollback ends the run with an error that is not counted', async () => {
    const report = await run({ kind: 'rollback' });
    expect(report).toMatchObject({
      ok: false,
      status: 'error',
      outcome: { kind: 'rollback' },
      completed: [1],
    });
    expect(kinds(report).slice(-2)).toEqual(['rollback', 'finalization']);
  });

  it('break stores the remaining work and continues with the next bundles', async () => {
    const options = setup();
    const report = await run({ kind: 'break', attempts: 2, intervalMs: 1000 }, options);
    expect(report).toMatchObject({ status: 'warning', bundles: [1, 3] });
    expect((await options.store.list('f'))[0]).toMatchObject({
      stepId: 2,
      retry: { attempt: 1, atMs: 1000 },
      policy: { kind: 'interval', attempts: 2 },
    });
    const byHand = setup();
    await run({ kind: 'break', automatic: false }, byHand);
    expect((await listUnresolved('f', byHand.store)).map(({ id }) => id)).toEqual(['x1']);
  });

  it('break without a store has no effect', async () => {
    const report = await run({ kind: 'break' }, { settings: {} } as Setup);
    expect(report.outcome).toMatchObject({ kind: 'error', type: 'RuntimeError' });
  });
});

describe('an incomplete execution', () => {
  const failUntil = (
    call: number,
    type: 'ConnectionError' | 'RuntimeError' = 'ConnectionError',
  ): TestModule => moduleOf(({ parameters }, n) => (n < call ? type : [parameters['n']]));
  const flow = (module: TestModule, before = moduleOf(({ parameters }) => [parameters['n']])) =>
    flowOf(
      { id: 1, module: source({ n: 7 }) },
      { id: 2, module: before, parameters: { n: '{{1.n}}' } },
      { id: 3, module, parameters: { n: '{{`2`}}' } },
    );

  it('is retried when due, without completed steps', async () => {
    const options = setup({ storeIncomplete: true });
    const before = moduleOf(({ parameters }) => [parameters['n']]);
    const made = flow(failUntil(3), before);
    await runFlow(made, {}, options);
    expect(await listDue('f', options.store, 59_999)).toEqual([]);
    options.clock.advance(60_000);
    const [due] = await listDue('f', options.store, 60_000);
    const again = await resumeFlow(made, due ?? expect.fail(), options);
    expect(again.outcome).toMatchObject({ kind: 'error', type: 'ConnectionError', retry: 1 });
    const [next] = await options.store.list('f');
    expect(next).toMatchObject({ id: 'x1', stepId: 3, retry: { attempt: 2, atMs: 660_000 } });
    const last = await resumeFlow(made, next ?? expect.fail(), options);
    expect(last).toMatchObject({ status: 'success', bundles: [7], outcome: { kind: 'success', retry: 2 } });
    expect(await options.store.list('f')).toEqual([]);
    expect(before.inputs).toHaveLength(1);
  });

  it('needs a manual resolution after eight retries with the documented delays', async () => {
    const options = setup({ storeIncomplete: true });
    const made = flow(failUntil(99));
    await runFlow(made, {}, options);
    const distances: number[] = [];
    for (
      let [execution] = await options.store.list('f');
      execution?.retry !== undefined;
      [execution] = await options.store.list('f')
    ) {
      distances.push((execution.retry.atMs - options.clock.now()) / 60_000);
      options.clock.advance(execution.retry.atMs - options.clock.now());
      await resumeFlow(made, execution, options);
    }
    expect(distances).toEqual([1, 10, 10, 30, 30, 30, 180, 180]);
    expect(await listUnresolved('f', options.store)).toHaveLength(1);
  });

  it('needs a manual resolution after a different error', async () => {
    const options = setup({ storeIncomplete: true });
    const made = flow(moduleOf((_, n) => (n === 1 ? 'ConnectionError' : 'RuntimeError')));
    await runFlow(made, {}, options);
    const [execution] = await options.store.list('f');
    const report = await resumeFlow(made, execution ?? expect.fail(), options);
    expect(report.outcome).toMatchObject({ type: 'RuntimeError', retry: 1 });
    expect(await listUnresolved('f', options.store)).toMatchObject([
      { id: 'x1', error: { type: 'RuntimeError' } },
    ]);
  });

  it('of a Break handler is retried with its settings', async () => {
    const options = setup();
    const made = flowOf(
      { id: 1, module: source(1) },
      { id: 2, module: failUntil(9, 'RuntimeError'), onError: { kind: 'break', attempts: 2, intervalMs: 5 } },
    );
    await runFlow(made, {}, options);
    for (const attempt of [1, 2]) {
      const [execution] = await options.store.list('f');
      expect(execution?.retry?.attempt).toBe(attempt);
      await resumeFlow(made, execution ?? expect.fail(), options);
    }
    expect(await listUnresolved('f', options.store)).toHaveLength(1);
  });

  it('needs a manual resolution if a handler rolls back its retry', async () => {
    const options = setup({ storeIncomplete: true });
    const steps = (onError?: ErrorHandler) =>
      flowOf({ id: 1, module: source(1) }, { id: 2, module: failUntil(9), ...(onError && { onError }) });
    await runFlow(steps(), {}, options);
    const [execution] = await options.store.list('f');
    const report = await resumeFlow(steps({ kind: 'rollback' }), execution ?? expect.fail(), options);
    expect(report.outcome).toEqual({ kind: 'rollback', retry: 1 });
    expect(await listUnresolved('f', options.store)).toMatchObject([{ id: 'x1' }]);
  });

  it('is resolved manually with corrected data', async () => {
    const options = setup({ storeIncomplete: true });
    const strict = moduleOf(({ parameters }) => (parameters['n'] === 7 ? 'DataError' : [parameters['n']]));
    const made = flow(strict);
    await runFlow(made, {}, options);
    expect(await resolveExecution(made, 'x1', options)).toMatchObject({ status: 'warning' });
    expect(await options.store.list('f')).toMatchObject([{ id: 'x1', retry: undefined }]);
    expect(await resolveExecution(made, 'x1', options, { 2: 8 })).toMatchObject({
      status: 'success',
      bundles: [8],
    });
    expect(await options.store.list('f')).toEqual([]);
  });

  it('is discarded manually', async () => {
    const options = setup({ storeIncomplete: true });
    await runFlow(flow(failUntil(9)), {}, options);
    expect(await discardExecution('x1', options.store)).toMatchObject({ id: 'x1' });
    await expect(discardExecution('x1', options.store)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('belongs to one flow', async () => {
    const options = setup({ storeIncomplete: true });
    await runFlow(flow(failUntil(9)), {}, options);
    const [execution] = await options.store.list('f');
    const other = compileFlow({ name: 'g', steps: [{ id: 3, module: source() }] });
    await expect(resumeFlow(other, execution ?? expect.fail(), options)).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('the inputs of a module', () => {
  const APP = defineApp({
    name: 'app',
    modules: {
      m: {
        type: 'action',
        communication: { response: { output: '{{parameters}}' } },
        mappableParams: [
          { name: 'text', type: 'text' },
          { name: 'count', type: 'integer', required: true },
          { name: 'list', type: 'array', spec: { type: 'text' } },
          { name: 'flag', type: 'boolean' },
          {
            name: 'box',
            type: 'collection',
            spec: [
              { name: 'a', type: 'text' },
              { name: 'b', type: 'text' },
            ],
          },
        ],
      },
    },
  });
  const outputOf = async (parameters: Record<string, unknown>): Promise<unknown> => {
    const engine = createEngine({ app: APP });
    const report = await runFlow(
      flowOf(
        { id: 1, module: source({ e: '', n: '5' }) },
        { id: 2, module: engineModule(engine, 'm'), parameters },
      ),
    );
    return report.ok ? report.bundles[0] : report.error;
  };

  it('are converted by the form of the module', async () => {
    expect(await outputOf({ count: '{{1.n}}', text: '{{1.n}}', list: 'x' })).toEqual({
      count: 5,
      text: '5',
      list: ['x'],
    });
  });

  it("follow the platform's rules for empty values", async () => {
    expect(await outputOf({ count: 1, text: '{{1.e}}', list: '', flag: '', box: { a: '', b: '' } })).toEqual({
      count: 1,
      box: {},
    });
    expect(
      await outputOf({
        count: 1,
        text: '{{erase}}',
        list: '{{erase}}',
        flag: '{{erase}}',
        box: { a: '{{erase}}' },
      }),
    ).toEqual({ count: 1, text: null, list: [], box: { a: null } });
    expect(
      await outputOf({
        count: 1,
        text: '{{emptystring}}',
        box: { a: '{{ifempty(1.e, emptystring)}}', b: '{{1.e}}' },
      }),
    ).toEqual({ count: 1, text: '', box: { a: '' } });
    expect(await outputOf({ count: 1, text: '{{ignore}}', list: '{{if(1.e, 1, ignore)}}' })).toEqual({
      count: 1,
    });
  });

  it('cause a BundleValidationError if the form rejects them', async () => {
    expect(await outputOf({ text: 'x' })).toMatchObject({ type: 'BundleValidationError' });
  });

  it('follow the rules of text without a form', async () => {
    const module = source();
    await runFlow(
      flowOf(
        { id: 1, module: source({ e: '' }) },
        { id: 2, module, parameters: { a: '{{1.e}}', b: '{{emptystring}}', c: { d: '', e: '{{erase}}' } } },
      ),
    );
    expect(module.inputs[0]?.parameters).toEqual({ b: '', c: { e: null } });
  });
});

describe('a webhook and its flow', () => {
  const APP = defineApp({
    name: 'app',
    webhooks: { w: { communication: { iterate: '{{body}}', respond: { status: 202 } } } },
    modules: {
      watch: { type: 'instant_trigger', webhook: 'w', communication: {} },
      answer: {
        type: 'responder',
        communication: { response: { status: 201, body: { got: '{{parameters.id}}' } } },
      },
    },
  });

  it('respond with the first responder if they run synchronously', async () => {
    const engine = createEngine({ app: APP });
    const flow = flowOf(
      { id: 1, module: engineModule(engine, 'watch') },
      { id: 2, module: engineModule(engine, 'answer'), parameters: { id: '{{1.id}}' } },
    );
    const result = await engine.webhook('w').handle(post([{ id: 1 }, { id: 2 }]));
    const report = await runFlow(flow, { events: result.bundles });
    expect(report).toMatchObject({ operations: 4, status: 'success' });
    const response = respondToWebhook(result, report);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ got: 1 });
    expect(respondToWebhook(result, undefined).status).toBe(202);
  });

  it('respond with an error if the run failed before the responder', async () => {
    const engine = createEngine({ app: APP });
    const answer = engineModule(engine, 'answer');
    const failing = {
      ...answer,
      respond: async () => ({ result: undefined, error: new AppError('RuntimeError', 'no') }),
    };
    const result = await engine.webhook('w').handle(post([{ id: 1 }]));
    const waiting = await runFlow(
      flowOf({ id: 1, module: engineModule(engine, 'watch') }, { id: 2, module: failing }),
      { events: result.bundles },
    );
    expect(respondToWebhook(result, waiting).status).toBe(500);
    const silent = await runFlow(
      flowOf({ id: 1, module: moduleOf(() => 'RuntimeError', { type: 'instant_trigger' }) }),
      { events: result.bundles },
    );
    expect(respondToWebhook(result, silent).status).toBe(202);
  });
});

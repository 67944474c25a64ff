import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { engineOf, respond } from './helpers.js';

const never = () => new Promise<never>(() => {});

describe('a transport that ignores its signal', () => {
  it('does not extend a run beyond its time limit', async () => {
    const { engine } = engineOf(
      { url: '/x' },
      { http: { transport: never }, limits: { timeoutMs: 20 }, clock: undefined },
    );
    expect((await engine.module('m').run()).error?.type).toBe('ModuleTimeoutError');
  });

  it('does not delay an aborted run', async () => {
    const controller = new AbortController();
    const { engine } = engineOf({ url: '/x' }, { http: { transport: never }, clock: undefined });
    const run = engine.module('m').run({ signal: controller.signal });
    const ended = expect(run).rejects.toThrow('enough');
    await sleep(5);
    controller.abort(new Error('enough'));
    await ended;
  });
});

describe('a run', () => {
  const transport = async () => respond({ json: [{ id: 1 }] });
  const spec = { url: '/x', response: { iterate: '{{body}}' } };

  it('cannot be iterated twice', async () => {
    const run = engineOf(spec, { http: { transport } }).engine.module('m').run();
    const bundles: unknown[] = [];
    for await (const bundle of run) bundles.push(bundle);
    expect(bundles).toEqual([{ id: 1 }]);
    expect(() => run[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('cannot be iterated after it was awaited', async () => {
    const run = engineOf(spec, { http: { transport } }).engine.module('m').run();
    expect((await run).bundles).toEqual([{ id: 1 }]);
    expect(() => run[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

import { describe, expect, it } from 'vitest';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';

function rpcEngine(communication: unknown): {
  readonly engine: ReturnType<typeof engineOf>['engine'];
  readonly urls: () => readonly string[];
} {
  const { transport, requests } = service(() => ({ json: [{ id: 1 }, { id: 2 }] }));
  const { engine } = engineOf({ rpcs: { list: { communication } } }, { http: { transport } });
  return { engine, urls: () => requests.map(({ url }) => url) };
}

const LIST = {
  url: '/list',
  qs: { a: '{{parameters.a}}', b: '{{parameters.b}}' },
  response: { iterate: '{{body}}' },
};

describe('an RPC', () => {
  it('reports a result with counters, trace and warnings', async () => {
    const { engine } = rpcEngine(LIST);
    const report = await engine.rpc('list').call();
    expect(report).toMatchObject({ result: [{ id: 1 }, { id: 2 }], error: undefined, warnings: [] });
    expect(report.stats).toMatchObject({ requests: 1, records: 2, stopReason: 'no-pagination' });
    expect(report.trace.map(({ kind }) => kind)).toEqual(['request', 'response', 'stop']);
  });

  it('accepts an address with arguments, which read and override the parameters of the form', async () => {
    const { engine, urls } = rpcEngine(LIST);
    const input = { parameters: { a: 'form', c: 'x&y' } };
    await engine.rpc('rpc://list?a={{parameters.c}}&b=%26').call(input);
    expect(urls()).toEqual(['https://api.example.test/list?a=x%26y&b=%26']);
    expect(input.parameters.a).toBe('form');
  });

  it('keeps a parameter whose argument evaluates to nothing', async () => {
    const { engine, urls } = rpcEngine(LIST);
    await engine.rpc('rpc://list?a={{parameters.none}}').call({ parameters: { a: 1 } });
    expect(urls()).toEqual(['https://api.example.test/list?a=1']);
  });

  it('fails with the error of an argument', async () => {
    const { engine, urls } = rpcEngine(LIST);
    const { error, result } = await engine.rpc('rpc://list?a={{nothing()}}').call();
    expect(error?.type).toBe('RuntimeError');
    expect(result).toBeUndefined();
    expect(urls()).toEqual([]);
  });

  it('does not reach the prototype by the name of an argument', async () => {
    const { engine, urls } = rpcEngine({ ...LIST, qs: { a: '{{parameters.polluted}}' } });
    await engine.rpc('rpc://list?__proto__=1').call();
    expect(urls()).toEqual(['https://api.example.test/list']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('lists of several pages without iterate become one', async () => {
    const { engine } = rpcEngine({
      url: '/list',
      response: { output: '{{body}}' },
      pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{pagination.page < 3}}' },
    });
    expect((await engine.rpc('list').call()).result).toEqual([{ id: 1 }, { id: 2 }, { id: 1 }, { id: 2 }]);
  });

  it('must exist and have a communication', async () => {
    const { engine } = engineOf({ rpcs: { list: {} } });
    expect(() => engine.rpc('lst')).toThrow(expect.objectContaining({ code: 'SPEC_MISSING' }));
    expect((await engine.rpc('list').call()).error?.type).toBe('InvalidConfigurationError');
  });

  it('ends with the reason of its signal', async () => {
    const { engine } = rpcEngine(LIST);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(engine.rpc('list').call({ signal })).rejects.toThrow('enough');
  });
});

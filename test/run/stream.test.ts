import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/index.js';
import { endless, engineOf, PAGED, respond, service } from './helpers.js';

/** A promise and the function that fulfils it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('iterating over a run', () => {
  it('yields page 1 while page 2 is in flight', async () => {
    const second = gate();
    const { transport, requests } = service(async (_, call) => {
      if (call === 2) await second.opened;
      return { json: { items: call <= 2 ? [{ id: call }] : [] } };
    });
    const iterator = engineOf(PAGED, { http: { transport } })
      .engine.module('m')
      .run()
      [Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ id: 1 });
    expect(requests).toHaveLength(2);
    second.open();
    expect((await iterator.next()).value).toEqual({ id: 2 });
    expect((await iterator.next()).done).toBe(true);
  });

  it('fetches at most one page ahead of its consumer', async () => {
    const { transport, requests } = endless(1, 10);
    const iterator = engineOf(PAGED, { http: { transport } })
      .engine.module('m')
      .run()
      [Symbol.asyncIterator]();
    await iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(requests).toHaveLength(2);
    await iterator.return?.();
  });

  it('aborts the in-flight exchange when the loop ends', async () => {
    let aborted: unknown;
    const transport = async (request: { url: string; signal: AbortSignal }) => {
      if (!request.url.includes('page=')) return respond({ json: { items: [{ id: 1 }] } });
      return new Promise<never>((_, reject) => {
        request.signal.addEventListener('abort', () => {
          aborted = request.signal.reason;
          reject(request.signal.reason);
        });
      });
    };
    for await (const bundle of engineOf(PAGED, { http: { transport } }).engine.module('m').run()) {
      expect(bundle).toEqual({ id: 1 });
      break;
    }
    expect(aborted).toBeInstanceOf(DOMException);
  });

  it('throws the error of a later page after the bundles of earlier pages', async () => {
    const { transport } = service((_, call) =>
      call === 1 ? { json: { items: [{ id: 1 }] } } : { status: 500 },
    );
    const seen: unknown[] = [];
    const run = engineOf(PAGED, { http: { transport } }).engine.module('m').run();
    const loop = async () => {
      for await (const bundle of run) seen.push(bundle);
    };
    await expect(loop()).rejects.toMatchObject({ type: 'ConnectionError', page: 2, statusCode: 500 });
    expect(seen).toEqual([{ id: 1 }]);
    expect((await run).error).toBeInstanceOf(AppError);
  });

  it('waits for the last page if a wrapper needs all pages', async () => {
    const { transport, requests } = endless(2, 3);
    const spec = { ...PAGED, response: { ...PAGED.response, wrapper: { all: '{{output}}' } } };
    const iterator = engineOf(spec, { http: { transport } }).engine.module('m').run()[Symbol.asyncIterator]();
    const { value } = await iterator.next();
    expect(requests).toHaveLength(4);
    expect(value).toEqual({ all: [1, 2, 3, 4, 5, 6].map((id) => ({ id })) });
  });
});

describe('awaiting a run', () => {
  it('returns all bundles, counters and the stop reason', async () => {
    const { transport } = endless(2, 3);
    const report = await engineOf(PAGED, { http: { transport } }).run();
    expect(report.bundles).toHaveLength(6);
    expect(report.stats).toMatchObject({
      requests: 4,
      followUpPages: 3,
      records: 6,
      stopReason: 'empty-page',
    });
    expect(report.trace.map(({ kind }) => kind)).toEqual([
      ...['request', 'response', 'request', 'response', 'request', 'response', 'request', 'response', 'stop'],
    ]);
  });

  it('returns the error and no bundles if a later page fails', async () => {
    const { transport } = service((_, call) =>
      call === 1 ? { json: { items: [{ id: 1 }] } } : { status: 429 },
    );
    const report = await engineOf(PAGED, { http: { transport } }).run();
    expect(report.bundles).toBeUndefined();
    expect(report.error).toMatchObject({ type: 'RateLimitError', delay: 1_200_000, page: 2 });
  });

  it('runs once, however often it is awaited', async () => {
    const { transport, requests } = endless(1, 1);
    const run = engineOf(PAGED, { http: { transport } }).engine.module('m').run();
    expect(await run).toEqual(await run);
    expect(requests).toHaveLength(2);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const controller = new AbortController();
    const { transport } = service(async () => {
      controller.abort(new Error('enough'));
      return { json: { items: [] } };
    });
    const { engine } = engineOf([{ url: '/a' }, { url: '/b' }], { http: { transport } });
    await expect(Promise.resolve(engine.module('m').run({ signal: controller.signal }))).rejects.toThrow(
      'enough',
    );
  });

  it('rejects at once if the signal is already aborted', async () => {
    const { transport, requests } = endless(1);
    const { engine } = engineOf(PAGED, { http: { transport } });
    const signal = AbortSignal.abort(new Error('never'));
    await expect(Promise.resolve(engine.module('m').run({ signal }))).rejects.toThrow('never');
    expect(requests).toEqual([]);
  });
});

describe('concurrent runs', () => {
  it('share no state', async () => {
    const { transport } = service(async (request) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return { json: { items: [{ id: new URL(request.url).searchParams.get('who') }] } };
    });
    const spec = {
      url: '/who',
      temp: { me: '{{parameters.me}}' },
      qs: { who: '{{temp.me}}' },
      response: { iterate: '{{body.items}}', output: { asked: '{{temp.me}}', got: '{{item.id}}' } },
    };
    const { engine } = engineOf(spec, { http: { transport } });
    const reports = await Promise.all(
      Array.from({ length: 200 }, (_, index) => engine.module('m').run({ parameters: { me: `u${index}` } })),
    );
    for (const [index, report] of reports.entries()) {
      expect(report.bundles).toEqual([{ asked: `u${index}`, got: `u${index}` }]);
    }
  });
});

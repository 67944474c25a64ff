import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/index.js';
import { call, post, webhookOf } from './helpers.js';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a call', () => {
  it('returns the same result for a web request and for a stored call', async () => {
    const webhook = webhookOf({
      output: { a: '{{body.a}}', q: '{{query.x}}' },
      respond: { body: '{{body}}' },
    });
    const first = await webhook.handle(post({ a: 1 }));
    const again = await webhook.handle(first.call);
    expect(first.bundles).toEqual([{ a: 1, q: '1' }]);
    expect(again.bundles).toEqual(first.bundles);
    expect(again.answer).toEqual(first.answer);
    expect(await first.response.json()).toEqual({ a: 1 });
  });

  it('passes on its bytes without a copy', async () => {
    const bytes = Buffer.from('{"a":1}');
    const body = new ReadableStream({
      start: (stream) => {
        stream.enqueue(bytes);
        stream.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as const;
    const report = await webhookOf({ output: '{{body}}' }).handle(
      new Request('https://hook.example.test/', init),
    );
    expect(report.call.body).toBe(bytes);
  });

  it('returns a report whose response is created once and is an ordinary member', async () => {
    const first = await webhookOf({}).handle(post({ a: 1 }));
    const second = await webhookOf({ respond: { status: 201 } }).handle(post({ a: 1 }));
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['response', 'answer', 'trace']));
    expect([first.response.status, second.response.status]).toEqual([200, 201]);
    expect(first.response).toBe(first.response);
    expect({ ...second }.response).toBe(second.response);
  });

  it.each([999, 1000, 1001])(
    'with %i nested levels and no bytes between them is refused beyond 1000 levels',
    async (depth) => {
      const payload = Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`);
      const { answer } = await webhookOf({ respond: { body: 'ok' } }).handle(
        call(payload, 'application/json'),
      );
      expect(answer.status).toBe(depth > 1000 ? 400 : 200);
    },
  );

  it('reports an unreadable payload in the trace', async () => {
    const { trace, answer } = await webhookOf({}).handle(post('{"a":'));
    expect(answer.status).toBe(400);
    expect(trace).toMatchObject([{ kind: 'failed', phase: 'payload', place: undefined }]);
  });

  it('keeps the raw body if parsing fails', async () => {
    const { error, phase, call: kept, response } = await webhookOf({}).handle(post('{"a":'));
    expect([phase, error?.code]).toEqual(['payload', 'WEBHOOK_PAYLOAD']);
    expect(Buffer.from(kept.body).toString()).toBe('{"a":');
    expect(response.status).toBe(400);
  });

  it('is not shared by concurrent runs', async () => {
    const webhook = webhookOf({ iterate: '{{body}}', output: '{{item}}', respond: { body: '{{body[1]}}' } });
    const calls = Array.from({ length: 200 }, (_, n) =>
      webhook.handle(post(Array.from({ length: 30 }, () => n))),
    );
    for (const [n, result] of (await Promise.all(calls)).entries()) {
      expect(new Set(result.bundles)).toEqual(new Set([n]));
      expect(await result.response.json()).toBe(n);
    }
  });

  it('whose body was already read is an error of the caller', async () => {
    const request = post({ a: 1 });
    await request.text();
    await expect(webhookOf({}).handle(request)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('can be aborted', async () => {
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(webhookOf({}).handle(post({ a: 1 }), { signal })).rejects.toThrow('stop');
  });
});

describe('the limit of a payload', () => {
  const limits = { webhookLimits: { maxBodyBytes: 10 } };
  it.each([
    ['below', 9, 200],
    ['exactly at', 10, 200],
    ['one above', 11, 413],
  ])('%s it', async (_, size, status) => {
    const { response, bundles } = await webhookOf({}, limits).handle(post('1'.repeat(size)));
    expect(response.status).toBe(status);
    expect(bundles?.length).toBe(status === 200 ? 1 : undefined);
  });

  it('applies to a stream without a declared length, without reading it to its end', async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        pulled++;
        controller.enqueue(new Uint8Array(5));
      },
    });
    const request = new Request('https://x.test/', { method: 'POST', body, duplex: 'half' } as RequestInit);
    const { error, response } = await webhookOf({}, limits).handle(request);
    expect(response.status).toBe(413);
    expect(error?.code).toBe('WEBHOOK_TOO_LARGE');
    expect(pulled).toBeLessThan(10);
  });

  it('refuses a declared length beyond the limit before reading', async () => {
    const { response } = await webhookOf({}, limits).handle(post('1', { 'content-length': '9999999' }));
    expect(response.status).toBe(413);
  });

  it('applies to decompressed content', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000, '1'));
    const webhook = webhookOf({}, { webhookLimits: { maxBodyBytes: 10_000 } });
    const { response, error } = await webhook.handle(post(bomb, { 'content-encoding': 'gzip' }));
    expect(response.status).toBe(413);
    expect(error?.code).toBe('WEBHOOK_TOO_LARGE');
  });

  it.each([
    ['iterate', { container: '{{body.items}}' }],
    ['no iterate', undefined],
  ])('applies to the bundles together, which may share parts of the payload: %s', async (_name, iterate) => {
    const output =
      iterate === undefined
        ? { a: '{{body.account}}', b: '{{body.account}}', c: '{{body.account}}' }
        : { account: '{{body.account}}', item: '{{item}}' };
    const body = (account: string) => post({ account, items: [1, 2, 3] });
    const webhook = webhookOf(
      { ...(iterate && { iterate }), output },
      { webhookLimits: { maxBundleBytes: 10_000 } },
    );
    expect((await webhook.handle(body('x'.repeat(3000)))).ok).toBe(true);
    const { response, error, bundles } = await webhook.handle(body('x'.repeat(4000)));
    expect(response.status).toBe(413);
    expect(error).toMatchObject({
      code: 'WEBHOOK_TOO_LARGE',
      message: 'The bundles of the call are larger than 10000 bytes together.',
    });
    expect(bundles).toBeUndefined();
  });

  it('responds with 400 if the body breaks off', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    const request = new Request('https://x.test/', { method: 'POST', body, duplex: 'half' } as RequestInit);
    const { response, phase } = await webhookOf({}).handle(request);
    expect(response.status).toBe(400);
    expect(phase).toBe('read');
  });
});

describe('content encodings', () => {
  it('are decoded, and rawBody is the compressed body', async () => {
    const webhook = webhookOf({ output: { a: '{{body.a}}', raw: '{{toString(rawBody)}}' } });
    const { bundles } = await webhook.handle(post(gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }));
    expect(bundles).toEqual([{ a: 1, raw: '{"a":1}' }]);
  });

  it.each([
    ['compress', 415, 'WEBHOOK_ENCODING'],
    ['gzip', 400, 'WEBHOOK_PAYLOAD'],
    ['constructor', 415, 'WEBHOOK_ENCODING'],
  ])('of %s over plain bytes lead to %i', async (encoding, status, code) => {
    const { response, error } = await webhookOf({}).handle(post('{}', { 'content-encoding': encoding }));
    expect(response.status).toBe(status);
    expect(error?.code).toBe(code);
  });
});

describe('items', () => {
  it('are limited to a hundred thousand', async () => {
    const webhook = webhookOf({ iterate: '{{body}}', output: { n: '{{item}}' } });
    const body = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => n));
    const { bundles } = await webhook.handle(post(body));
    expect(bundles).toHaveLength(100_000);
    expect(bundles?.at(-1)).toEqual({ n: 99_999 });
    const { error, phase } = await webhook.handle(post(`${body.slice(0, -1)},1]`));
    expect([phase, error?.name]).toEqual(['items', 'RuntimeError']);
  });
});

describe('a failing expression', () => {
  const app = {
    condition: '{{true}}',
    iterate: '{{body.items}}',
    output: { id: '{{item.id}}', at: '{{formatDate(item.at, "YYYY")}}' },
  };

  it('responds with 500 without the reason, and queues nothing', async () => {
    const { response, bundles, phase } = await webhookOf(app).handle(post({ items: [{ at: 'never' }] }));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('never');
    expect(bundles).toBeUndefined();
    expect(phase).toBe('items');
  });

  it('reports its source location in the app', async () => {
    const { error } = await webhookOf(app).handle(post({ items: [{ at: 'never' }] }));
    expect(error).toBeInstanceOf(AppError);
    expect(error?.place?.pointer).toBe('/webhooks/w/communication/output/at');
  });

  const FAILS = '{{formatDate("never", "YYYY")}}';

  it.each([
    ['verification', { verification: { condition: FAILS } }, '/verification/condition'],
    ['verification', { verification: { respond: { body: FAILS } } }, '/verification/respond/body'],
    ['condition', { condition: FAILS }, '/condition'],
    ['uid', { uid: FAILS }, '/uid'],
    ['items', { condition: { condition: false, default: FAILS } }, '/condition/default'],
    ['items', { iterate: FAILS }, '/iterate'],
    ['items', { iterate: { container: '{{body.items}}', condition: FAILS } }, '/iterate/condition'],
    ['items', { iterate: 'body.items', output: { a: [FAILS] } }, '/output/a/0'],
    ['respond', { respond: { status: FAILS } }, '/respond/status'],
    ['respond', { respond: { headers: { a: FAILS } } }, '/respond/headers/a'],
    ['respond', { respond: { type: FAILS } }, '/respond/type'],
  ])('reports the location in the trace, at %s of %j', async (phase, spec, pointer) => {
    const webhook = webhookOf(spec, { type: 'web-shared' });
    const result = await webhook.handle(post({ items: [1] }), { connections: [{ id: 'c', uid: 1 }] });
    expect(result.answer.status).toBe(500);
    expect(result).toMatchObject({ ok: false, bundles: undefined, deliveries: undefined, phase });
    expect(result.trace.at(-1)).toMatchObject({
      kind: 'failed',
      phase,
      message: expect.stringContaining('formatDate'),
      place: { pointer: `/webhooks/w/communication${pointer}` },
    });
  });

  it('does not reveal the secrets of the hook', async () => {
    const webhook = webhookOf({ condition: '{{formatDate(webhook.secret, "X")}}' });
    const { error } = await webhook.handle(post({ a: 1 }), { webhook: { secret: 's3cr3t-value-1' } });
    expect(error?.message).toContain('formatDate');
    expect(error?.message).not.toContain('s3cr3t-value-1');
  });

  it('in respond queues nothing', async () => {
    const { error, phase, bundles } = await webhookOf({ respond: { status: 700 } }).handle(post({ a: 1 }));
    expect(bundles).toBeUndefined();
    expect(phase).toBe('respond');
    expect(error?.message).toContain('200 to 599');
  });
});

describe('recipients', () => {
  const spec = { uid: '{{body.u}}' };

  it('are left to the caller without connections', async () => {
    const { deliveries, bundles } = await webhookOf(spec, { type: 'web-shared' }).handle(post({ u: 7 }));
    expect(deliveries).toEqual([{ uid: '7', recipients: [], bundles: [{ u: 7 }] }]);
    expect(bundles).toEqual([{ u: 7 }]);
  });

  it('can be found by a function', async () => {
    const asked: string[] = [];
    const connections = async (uid: string) => {
      asked.push(uid);
      return ['c1'];
    };
    const { recipients } = await webhookOf(spec, { type: 'web-shared' }).handle(post({ u: 'x' }), {
      connections,
    });
    expect(asked).toEqual(['x']);
    expect(recipients).toEqual(['c1']);
  });

  it('that cannot be found make the sender retry', async () => {
    const connections = async (): Promise<string[]> => {
      throw new Error('database down');
    };
    const result = await webhookOf(spec, { type: 'web-shared' }).handle(post({ u: 'x' }), { connections });
    expect(result.response.status).toBe(500);
    expect(result).toMatchObject({ phase: 'recipients', error: { type: 'UnexpectedError' } });
  });
});

describe('hostile payloads', () => {
  it('of any depth are refused or parsed, without a RangeError', async () => {
    const webhook = webhookOf({ respond: { body: '{{body}}' } });
    for (const depth of [999, 1_000, 1_001, 100_000]) {
      const { response } = await webhook.handle(post('['.repeat(depth) + ']'.repeat(depth)));
      expect(response.status).toBe(depth <= 1_000 ? 200 : 400);
    }
  });

  it('keep names of prototypes as members', async () => {
    const text = '{"__proto__":{"a":1},"constructor":2}';
    const { bundles } = await webhookOf({
      output: { c: '{{body.constructor}}', t: '{{ifempty(body.toString, "no")}}' },
    }).handle(post(text));
    expect(bundles).toEqual([{ c: 2, t: 'no' }]);
    const form = await webhookOf({}).handle(
      call(Buffer.from('__proto__=1&a=2'), 'application/x-www-form-urlencoded'),
    );
    expect(Object.keys(form.bundles?.[0] as object)).toEqual(['__proto__', 'a']);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('with too many fields are refused', async () => {
    const fields = (count: number): Uint8Array =>
      Buffer.from(Array.from({ length: count }, (_, n) => `f${n}=`).join('&'));
    const webhook = webhookOf({}, { webhookLimits: { maxFields: 3 } });
    for (const [count, status] of [
      [2, 200],
      [3, 200],
      [4, 400],
    ] as const) {
      const { response } = await webhook.handle(call(fields(count), 'application/x-www-form-urlencoded'));
      expect(response.status).toBe(status);
    }
  });
});

it('refuses a specification that is not an object', async () => {
  const { answer, phase, error } = await webhookOf(['a', 'b']).handle(post({}));
  expect([answer.status, phase, error?.name]).toEqual([500, 'specification', 'InvalidConfigurationError']);
});

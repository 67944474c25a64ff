import { describe, expect, it } from 'vitest';
import { type Answer, engineOf, service } from './helpers.js';

/** Runs a chain whose second request extends the `temp` of the first, and outputs `temp`. */
async function extend(temp: unknown, before?: unknown) {
  const { transport } = service(() => ({ json: {} }));
  const communication = [
    { url: '/1', response: { temp: before } },
    { url: '/2', response: { temp, output: { temp: '{{temp}}' } } },
  ];
  const { run } = engineOf(communication, { http: { transport }, type: 'action' });
  return run({ parameters: { x: { a: 9 } } });
}

describe('temp', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an expression without a value', '{{none}}'],
  ])('keeps its members if %s is written', async (_, temp) => {
    expect((await extend(temp, { a: 1 })).bundles).toEqual([{ temp: { a: 1 } }]);
  });

  it.each([
    [{ b: 2 }, { a: 1 }, { a: 1, b: 2 }],
    [{ a: 2 }, { a: 1 }, { a: 2 }],
    [{ a: '{{none}}' }, { a: 1, b: 2 }, { a: 1, b: 2 }],
    [{ a: null }, { a: 1 }, { a: null }],
    [{ a: '' }, { a: 1 }, { a: '' }],
    [{ a: [9] }, { a: [1, 2] }, { a: [9, 2] }],
    [{ a: [{ x: 1 }, 5] }, { a: [{ y: 2 }] }, { a: [{ x: 1, y: 2 }, 5] }],
    [{ a: [1] }, { a: { b: 2 } }, { a: [1] }],
    [{ a: { c: 3 } }, { a: { b: 2 } }, { a: { b: 2, c: 3 } }],
    [{ a: { b: '{{none}}', c: 3 } }, { a: { b: 2, d: 4 } }, { a: { b: 2, c: 3, d: 4 } }],
    [{ a: 5 }, { a: { b: 2 } }, { a: 5 }],
    [{ a: { b: '{{none}}' } }, { a: 5 }, { a: {} }],
    [{ a: { b: 1 } }, { a: 'text' }, { a: { b: 1 } }],
    [{ a: { b: 1 } }, { a: null }, { a: { b: 1 } }],
    ['{{parameters.x}}', { a: 1, b: 2 }, { a: 9, b: 2 }],
    [{ a: 1 }, undefined, { a: 1 }],
  ])('%j over %j is %j', async (temp, before, expected) => {
    expect((await extend(temp, before)).bundles).toEqual([{ temp: expected }]);
  });

  it.each(['text', ['a'], 5])('is a collection, not %j', async (temp) => {
    expect((await extend(temp)).error).toMatchObject({
      type: 'RuntimeError',
      message: expect.stringMatching(/^temp has to be a collection, not /),
    });
  });

  it('redacts values with a secret name', async () => {
    const { transport } = service(() => ({ json: {} }));
    const message = 'hush-hush-1 open-open-1';
    const communication = [
      { url: '/1', response: { temp: { token: 'hush-hush-1', a: 'open-open-1' } } },
      { url: '/2', response: { valid: false, error: { message } } },
    ];
    const { error } = await engineOf(communication, { http: { transport } }).run();
    expect(error?.message).toContain('[SANITIZED] open-open-1');
  });
});

describe('a response', () => {
  const receive = (response: object, answer: Answer) =>
    engineOf(
      { url: '/1', response },
      { http: { transport: service(() => answer).transport }, type: 'action' },
    ).run();

  it('has a status, headers by names in any case, and a body', async () => {
    const output = { status: '{{statusCode}}', id: '{{headers.`x-id`}}', body: '{{body}}' };
    const { bundles } = await receive({ output }, { json: { a: 1 }, headers: { 'X-Id': '7' } });
    expect(bundles).toEqual([{ status: 200, id: '7', body: { a: 1 } }]);
  });

  it('is decoded by a type that its status and headers choose', async () => {
    const type = "{{if(headers.`x-type`; headers.`x-type`; 'json')}}";
    const received = async (headers: Record<string, string>) =>
      (await receive({ type, output: { body: '{{body}}' } }, { text: '{"a":1}', headers })).bundles;
    expect(await received({ 'x-type': 'text' })).toEqual([{ body: '{"a":1}' }]);
    expect(await received({})).toEqual([{ body: { a: 1 } }]);
  });

  it('has its values with a secret name redacted', async () => {
    const response = { valid: false, error: { message: 'hush-hush-1 open-open-1' } };
    const { error } = await receive(response, { json: { token: 'hush-hush-1', a: 'open-open-1' } });
    expect(error?.message).toContain('[SANITIZED] open-open-1');
  });

  it('that cannot be decoded causes an error with its status', async () => {
    const { error } = await receive({ type: 'json' }, { text: '{', status: 202 });
    expect(error).toMatchObject({ statusCode: 202 });
  });
});

import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';
import { engineOf, service } from './helpers.js';

const records = Array.from({ length: 7000 }, (_, id) => ({ id, name: `Name ${id}` }));
const LIMITS = { maxSteps: 35_000 };

describe('what is more work at a time than limits.maxSteps allows', () => {
  it.each([
    ['join(map(body; "name"); ",")'],
    ['equal(body; merge(body))'],
    ['merge(body; body; body)'],
    ['replace(toString(map(body; "name")); "/N/g"; "n")'],
    ['toString(toArray(body))'],
  ])('ends the run at the expression %s', async (expression) => {
    const { transport } = service(() => ({ json: records }));
    const communication = { url: '/x', response: { output: `{{${expression}}}` } };
    const { error } = await engineOf(communication, { transport, limits: LIMITS }).run();
    expect(error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/response/output' },
    });
    expect(error?.message).toContain('limits.maxSteps');
    const { error: none } = await engineOf(communication, { transport }).run();
    expect(none).toBeUndefined();
  });

  it('ends the run where a collection of many names is merged into temp', async () => {
    const names = Object.fromEntries(records.map(({ name }) => [name, 1]));
    const { transport } = service(() => ({ json: names }));
    const communication = [1, 2].map(() => ({ url: '/x', response: { temp: { all: '{{body}}' } } }));
    const { error } = await engineOf(communication, { transport, limits: LIMITS }).run();
    expect(error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/1/response/temp' },
    });
    expect(error?.message).toContain('limits.maxSteps');
    const { error: none } = await engineOf(communication, { transport }).run();
    expect(none).toBeUndefined();
  });

  it.each([
    ['many', '{{parameters.names}}'],
    ['a list', { a: '{{parameters.list}}' }],
    ['long ones', { a: '{{parameters.text}}' }],
  ])('ends the run at headers: %s', async (_title, headers) => {
    const names = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v']));
    const parameters = { names, list: Object.values(names), text: 'a'.repeat(110_000) };
    const communication = { url: '/x', headers };
    const { transport, requests } = service(() => ({ json: records }));
    const { error } = await engineOf(communication, { transport, limits: LIMITS }).run({ parameters });
    expect(error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/headers' },
    });
    expect(error?.message).toContain('limits.maxSteps');
    expect(requests).toHaveLength(0);
    const { error: none } = await engineOf(communication, { transport }).run({ parameters });
    expect(none).toBeUndefined();
  });

  it.each([
    ['a path', { url: '/{{parameters.text}}' }],
    ['a query', { url: '/?a={{parameters.text}}' }],
    ['a qs', { url: '/x', qs: { a: '{{parameters.text}}' } }],
    ['a qs of many pairs', { url: '/x', qs: { a: '{{parameters.list}}' } }],
  ])('ends the run at an address with %s', async (_title, communication) => {
    const parameters = { text: 'ä '.repeat(2000), list: Array.from({ length: 500 }, () => 'a') };
    const { transport, requests } = service(() => ({ json: records }));
    const { error } = await engineOf(communication, { transport, limits: LIMITS }).run({ parameters });
    expect(error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/url' },
    });
    expect(error?.message).toContain('limits.maxSteps');
    expect(requests).toHaveLength(0);
    const { error: none } = await engineOf(communication, { transport }).run({ parameters });
    expect(none).toBeUndefined();
  });

  it('is no bound of parameters that are looked through, as that takes turns', async () => {
    const parameters = Object.fromEntries(records.map(({ id }) => [`name${id}`, id]));
    const run = async (given: Record<string, unknown>): Promise<unknown> =>
      (await engineOf({ response: { output: 1 } }, { limits: LIMITS }).run({ parameters: given })).error;
    expect(await run(parameters)).toBeUndefined();
    expect(await run({ list: new Array(4_000_000_000) })).toMatchObject({ type: 'BundleValidationError' });
  });

  it('is counted over all expressions of a request', async () => {
    const { transport } = service(() => ({ json: {} }));
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const qs = Object.fromEntries(names.map((name) => [name, '{{length(join(parameters.list))}}']));
    const list = Array.from({ length: 1000 }, (_, index) => index);
    const run = async (maxSteps: number): Promise<unknown> =>
      (await engineOf({ url: '/x', qs }, { transport, limits: { maxSteps } }).run({ parameters: { list } }))
        .error;
    expect(await run(150_000)).toBeUndefined();
    expect(await run(20_000)).toMatchObject({ type: 'RuntimeError' });
  });

  it('is counted anew for each item', async () => {
    const { transport } = service(() => ({ json: records.slice(0, 2000) }));
    const response = { iterate: '{{body}}', output: '{{createJSON(item)}}' };
    const { bundles } = await engineOf({ url: '/x', response }, { transport, limits: LIMITS }).run();
    expect(bundles).toHaveLength(2000);
  });

  it('lets anything pass where it is Infinity', async () => {
    const { transport } = service(() => ({ json: records }));
    const limits = { maxSteps: Number.POSITIVE_INFINITY };
    const response = { output: '{{length(createJSON(body))}}' };
    const { error } = await engineOf({ url: '/x', response }, { transport, limits }).run();
    expect(error).toBeUndefined();
  });
});

/** A turn may look at each item, and no more. */
const A_TURN = { maxSteps: 100_000 };

/** Calls that are too much for that, and done in turns. */
const IN_TURNS = [
  'createJSON(body)',
  'sort(body; "desc"; "name")',
  'sort(body; "asc ci"; "group")',
  'sort(map(body; "id"); "desc")',
  'distinct(body)',
  'distinct(body; "group")',
  'first(sort(distinct(body; "group"); "group"))',
  'length(createJSON(sort(body; "name"))) + length(createJSON(body))',
];

describe('what is too much at a time, and can be done in turns', () => {
  const grouped = records.map((record, index) => ({
    ...record,
    group: `g${(index * 7919) % 101}`,
    n: [null, 1.5],
  }));
  const { transport } = service(() => ({ json: grouped }));
  const outputsOf = async (communication: unknown, limits?: object): Promise<readonly unknown[]> => {
    const test = engineOf(communication, { transport, ...(limits !== undefined && { limits }) });
    const { error, bundles = [] } = await test.run();
    expect(error).toBeUndefined();
    return bundles;
  };

  it.each(IN_TURNS)('gives what it gives at once: %s', async (expression) => {
    const communication = { url: '/x', response: { output: { value: `{{${expression}}}` } } };
    const atOnce = await outputsOf(communication, { maxSteps: Number.POSITIVE_INFINITY });
    expect(await outputsOf(communication, A_TURN)).toEqual(atOnce);
  });

  it.each([
    ['iterate', { response: { iterate: '{{sort(body; "group")}}', output: '{{item.id}}' } }],
    ['temp', { response: { temp: { text: '{{createJSON(body)}}' }, output: '{{length(temp.text)}}' } }],
    [
      'wrapper',
      { response: { iterate: '{{body}}', output: '{{item.name}}', wrapper: '{{distinct(output)}}' } },
    ],
  ])('is done in turns in %s', async (_, parts) => {
    const communication = { url: '/x', ...parts };
    const atOnce = await outputsOf(communication, { maxSteps: Number.POSITIVE_INFINITY });
    expect(await outputsOf(communication, A_TURN)).toEqual(atOnce);
  });

  it('is done in turns in what is sent', async () => {
    const { transport: next, requests } = service(() => ({ json: records.slice(0, 3000) }));
    const body = '{{createJSON(sort(temp.records; "desc"; "name"))}}';
    const communication = [
      { url: '/records', response: { temp: { records: '{{body}}' } } },
      { url: '/x', method: 'POST', type: 'raw', body },
    ];
    const { error } = await engineOf(communication, { transport: next, limits: { maxSteps: 20_000 } }).run();
    expect(error).toBeUndefined();
    expect(requests).toHaveLength(2);
    expect(JSON.parse(String(Buffer.from(requests[1]?.body ?? [])))[0]).toMatchObject({ name: 'Name 999' });
  });

  it.each([
    ['json', { a: '{{temp.records}}', text: '{{temp.text}}', bytes: '{{temp.bytes}}' }],
    ['urlencoded', { records: '{{temp.records}}', text: '{{temp.text}}' }],
    ['multipart/form-data', { records: '{{temp.records}}', text: '{{temp.text}}', bytes: '{{temp.bytes}}' }],
    ['text', '{{temp.records}}'],
    ['raw', 'as text: {{temp.text}}'],
  ])('is done in turns where a body of type %s is written, which is the same then', async (type, body) => {
    const communication = [
      {
        url: '/records',
        response: {
          temp: {
            records: '{{body}}',
            text: '{{parameters.text}}',
            bytes: '{{toBinary(parameters.text; "utf8")}}',
          },
        },
      },
      { url: '/x', method: 'POST', type, body },
    ];
    const parameters = { text: '\u6f22"\ud83d\ude00\n %&'.repeat(20_000) };
    const send = async (maxSteps: number): Promise<Buffer> => {
      const { transport: next, requests } = service(() => ({ json: grouped }));
      const options = { transport: next, limits: { maxSteps }, random: () => 0.5 };
      const { error } = await engineOf(communication, options).run({ parameters });
      expect(error).toBeUndefined();
      return Buffer.from(requests[1]?.body ?? []);
    };
    const atOnce = await send(Number.POSITIVE_INFINITY);
    expect(atOnce.byteLength).toBeGreaterThan(200_000);
    expect((await send(A_TURN.maxSteps)).equals(atOnce)).toBe(true);
  });

  it.each([
    ['aws', { aws: { key: 'k', secret: 'of the test', sign_version: '4' } }],
    ['oauth', { oauth: { consumer_key: 'k', consumer_secret: 'of the test', body_hash: true } }],
  ])('is done in turns where a body is hashed for %s, and signed as it is then', async (_, signer) => {
    const communication = { url: '/x', method: 'POST', type: 'text', body: '{{parameters.text}}', ...signer };
    const parameters = { text: 'a long text, '.repeat(150_000) };
    const sign = async (maxSteps: number): Promise<unknown> => {
      const { transport: next, requests } = service(() => ({ json: {} }));
      const clock = createVirtualClock();
      const options = { transport: next, limits: { maxSteps }, clock, random: () => 0.5 };
      const { error } = await engineOf(communication, options).run({ parameters });
      expect(error).toBeUndefined();
      return requests[0]?.headers;
    };
    const atOnce = await sign(Number.POSITIVE_INFINITY);
    expect(JSON.stringify(atOnce)).toMatch(/AWS4-HMAC-SHA256|oauth_body_hash/);
    expect(await sign(A_TURN.maxSteps)).toEqual(atOnce);
  });

  it('ends the run where a form is too much to sign by OAuth 1.0a', async () => {
    const oauth = { consumer_key: 'k', consumer_secret: 'of the test' };
    const body = { a: '{{parameters.text}}' };
    const communication = { url: '/x', method: 'POST', type: 'urlencoded', body, oauth };
    const { transport: next, requests } = service(() => ({ json: {} }));
    const parameters = { text: 'a'.repeat(200_000) };
    const run = async (limits: object): Promise<unknown> =>
      (await engineOf(communication, { transport: next, limits }).run({ parameters })).error;
    expect(await run(A_TURN)).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/oauth' },
    });
    expect(requests).toHaveLength(0);
    expect(await run({})).toBeUndefined();
  });

  it('lets others have their turn, and ends when nobody wants it any more', async () => {
    const controller = new AbortController();
    setImmediate(() => setImmediate(() => setImmediate(() => controller.abort(new Error('Enough.')))));
    // Many times the turns that pass before it is given up.
    const parameters = {
      list: Array.from({ length: 300_000 }, (__, index) => `text ${(index * 7919) % 300_007}`),
    };
    const response = { output: '{{first(sort(parameters.list; "desc"))}}' };
    const run = engineOf({ response }, { checkParameters: false }).run({
      parameters,
      signal: controller.signal,
    });
    await expect(run).rejects.toThrow('Enough.');
  });

  it('ends with the error of the call, at its place, where one part is too much', async () => {
    const json = [...records, Object.fromEntries(records.map(({ name }) => [name, 1]))];
    const { transport: last } = service(() => ({ json }));
    const output = '{{upper(createJSON(body))}}';
    const test = engineOf({ url: '/x', response: { output } }, { transport: last, limits: A_TURN });
    const { error } = await test.run();
    expect(error).toMatchObject({
      type: 'RuntimeError',
      message: expect.stringMatching(
        /^Function 'upper' finished with error! Function 'createJSON' finished with error! This is more work at a time/,
      ),
      place: { pointer: '/modules/m/communication/response/output' },
    });
  });
});

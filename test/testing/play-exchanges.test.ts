import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type TransportRequest } from '../../src/index.js';
import { printRequestDifference } from '../../src/tools/testing/exchanges/match-request.js';
import { playExchanges } from '../../src/tools/testing/exchanges/play-exchanges.js';
import { type Exchange, mockTransport } from '../../src/tools/testing/index.js';

type PlayOptions = NonNullable<Parameters<typeof mockTransport>[1]>;

const request = (url: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url: `https://a.example${url}`,
  headers: [],
  body: undefined,
  redirect: 'manual',
  ca: undefined,
  signal: new AbortController().signal,
  ...more,
});

const page = (url: string, more: Partial<Exchange> = {}): Exchange => ({
  request: { url: `https://a.example${url}` },
  response: { body: { url } },
  ...more,
});

/** Reported problems, and responses. */
async function play(
  exchanges: readonly Exchange[],
  requests: readonly TransportRequest[],
  options: PlayOptions = { isStrict: true },
): Promise<{ readonly told: readonly string[]; readonly answers: readonly unknown[] }> {
  const { transport, problems } = playExchanges(exchanges, options);
  const answers: unknown[] = [];
  for (const sent of requests) {
    answers.push(
      await transport(sent).then(
        ({ body }) => (JSON.parse(Buffer.from(body).toString()) as { readonly url: string }).url,
        (error: Error) => error.name,
      ),
    );
  }
  const told = problems().flatMap(({ message, differences }) => [
    message,
    ...differences.map(printRequestDifference),
  ]);
  return { told, answers };
}

describe('playExchanges', () => {
  it('responds to equal requests in the order of the exchanges', async () => {
    const exchanges = [
      page('/x', { response: { body: { url: 1 } } }),
      page('/x', { response: { body: { url: 2 } } }),
    ];
    const { told, answers } = await play(exchanges, [request('/x'), request('/x')]);
    expect(told).toEqual([]);
    expect(answers).toEqual([1, 2]);
  });

  it('reports a request after the last exchange, unless the exchange repeats', async () => {
    const requests = [request('/x'), request('/x')];
    const { told, answers } = await play([page('/x')], requests);
    expect(told).toEqual(['Call 2 is not in the script, which has 1 exchange: GET https://a.example/x.']);
    expect(answers).toEqual(['/x', 'TransportError']);
    expect((await play([page('/x', { repeat: true })], requests)).told).toEqual([]);
  });

  it('reports an unused exchange', async () => {
    const { told } = await play([page('/x'), page('/y')], [request('/x')]);
    expect(told).toEqual(['Exchange 2 (https://a.example/y) was not used: 1 of 2 scripted calls were made.']);
  });

  it('reports the differences to the nearest exchange', async () => {
    const exchanges = [page('/a?page=1'), page('/b?page=2&size=5')];
    const { told, answers } = await play(exchanges, [
      request('/b?page=3&size=5'),
      request('/b?page=2&size=5'),
    ]);
    expect(told.slice(0, 2)).toEqual([
      'Call 1 GET https://a.example/b?page=3&size=5 matches no exchange; the nearest is exchange 2; expected exchange 1.',
      'query.page: expected "2", got "3"',
    ]);
    expect(answers).toEqual(['/a?page=1', '/b?page=2&size=5']);
  });

  it('reports requests out of order', async () => {
    const { told, answers } = await play([page('/a'), page('/b')], [request('/b'), request('/a')]);
    expect(told).toEqual(['Call 1 is exchange 2; expected exchange 1.']);
    expect(answers).toEqual(['/b', '/a']);
  });

  it('requires queries and bodies in strict mode', async () => {
    const body = Buffer.from('{"a":1}');
    const sent = request('/x?q=1', { method: 'POST', headers: [['content-type', 'application/json']], body });
    const loose = await play([page('/x')], [sent], {});
    expect(loose.told).toEqual([]);
    const { told } = await play([page('/x')], [sent]);
    expect(told.slice(1)).toEqual([
      'query.q: expected nothing, got "1"',
      'body: expected nothing, got {"a":1}',
    ]);
  });

  it('ignores the configured members', async () => {
    const options: PlayOptions = {
      isStrict: true,
      ignored: [
        ['query', 'nonce'],
        ['body', 'items', '*', 'at'],
      ],
    };
    const body = Buffer.from('{"items":[{"at":2},{"at":3}]}');
    const sent = request('/x?nonce=9', {
      method: 'POST',
      headers: [['content-type', 'application/json']],
      body,
    });
    const exchange: Exchange = {
      request: { url: 'https://a.example/x?nonce=1', body: { items: [{ at: 0 }, { at: 0 }] } },
      response: { body: { url: 1 } },
    };
    expect((await play([exchange], [sent], options)).told).toEqual([]);
  });

  it('compares with matchers, also in the URL', async () => {
    const exchange: Exchange = {
      request: { method: { $regex: '^(GET|HEAD)$' }, url: { $regex: 'x\\?page=\\d$' } },
      response: { body: { url: 1 } },
    };
    expect((await play([exchange], [request('/x?page=2')])).told).toEqual([]);
    expect((await play([exchange], [request('/x?page=22')])).told).toHaveLength(2);
  });
});

describe('mockTransport', () => {
  it('rejects a request that differs with the differences, and reports it in assertDone', async () => {
    const { transport, assertDone } = mockTransport([page('/x?page=1')]);
    const differs = [
      'Call 1 GET https://a.example/x?page=2 matches no exchange; the nearest is exchange 1.',
      '  query.page: expected "1", got "2"',
    ];
    await expect(transport(request('/x?page=2'))).rejects.toMatchObject({
      code: 'ERR_ASSERTION',
      message: differs.join('\n'),
    });
    const unused = 'Exchange 1 (https://a.example/x?page=1) was not used: 0 of 1 scripted calls were made.';
    expect(assertDone).toThrow([...differs, unused].join('\n'));
  });

  it('rejects a request out of order, and one after the last exchange', async () => {
    const { transport, assertDone } = mockTransport([page('/a'), page('/b')]);
    await expect(transport(request('/b'))).rejects.toThrow('Call 1 is exchange 2; expected exchange 1.');
    await transport(request('/a'));
    await transport(request('/b'));
    await expect(transport(request('/c'))).rejects.toThrow(
      'Call 4 is not in the script, which has 2 exchanges: GET https://a.example/c.',
    );
    expect(assertDone).toThrow(/^Call 1 .*\nCall 4 .*$/);
  });

  it('accepts undescribed queries and bodies only without isStrict', async () => {
    await expect(mockTransport([page('/x')]).transport(request('/x?q=1'))).rejects.toThrow('query.q');
    const loose = mockTransport([page('/x')], { isStrict: false });
    await loose.transport(request('/x?q=1'));
    expect(loose.assertDone).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ['an exchange', [{ requst: {} }], 'exchanges.0 must not have a member "requst". Did you mean "request"?'],
    [
      'a request',
      [{}, { request: { query: {}, qs: {} } }],
      'exchanges.1.request must not have a member "qs".',
    ],
    ['a response', [{ response: { status: '200' } }], 'exchanges.0.response.status must be integer.'],
    ['members', [{ response: { body: 1, bodyText: '1' } }], 'body and bodyText, which exclude each other.'],
    ['the list', { request: {} }, 'The exchanges of mockTransport has to be a list'],
  ])('refuses an invalid member of %s', (_what, exchanges, message) => {
    expect(() => mockTransport(exchanges as never)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });

  it('ends the run of a module with the difference, not with an error of the app', async () => {
    const app = defineApp({
      name: 'a',
      modules: { m: { communication: { url: 'https://a.example/c', response: { output: '{{body}}' } } } },
    });
    const { transport } = mockTransport([page('/other')]);
    const run = createEngine({ app, http: { transport } }).module('m').run();
    await expect(run.orThrow()).rejects.toMatchObject({ name: 'AssertionError', code: 'ERR_ASSERTION' });
  });
});

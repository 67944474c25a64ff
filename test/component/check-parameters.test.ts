import { describe, expect, it } from 'vitest';
import type { AppDefinition, Engine, EngineOptions } from '../../src/index.js';
import { service } from '../run/helpers.js';
import { engineOf } from './engine-of.js';

const FORM = [
  { name: 'id', type: 'uinteger', required: true },
  { name: 'since', type: 'date' },
  { name: 'limit', type: 'uinteger', default: 10 },
  {
    name: 'kind',
    type: 'select',
    options: [
      { label: 'Person', value: 'person', nested: [{ name: 'email', type: 'email', required: true }] },
      { label: 'Firm', value: 'firm', nested: [{ name: 'vat', type: 'text', required: true }] },
    ],
  },
  { name: 'items', type: 'array', spec: [{ name: 'n', type: 'number' }] },
];

const ECHO = {
  url: '/echo',
  method: 'POST',
  body: '{{parameters}}',
  response: { output: '{{body}}' },
};

interface Setup {
  readonly engine: Engine;
  readonly sent: () => readonly { readonly url: string; readonly body: unknown }[];
}

function setup(parts: Omit<AppDefinition, 'name'>, options: Partial<EngineOptions> = {}): Setup {
  const { transport, requests } = service(({ url }) => {
    if (url.endsWith('/fields')) return { json: [{ name: 'extra', type: 'number', required: true }] };
    return url.endsWith('/broken') ? { status: 500, json: {} } : { json: { ok: true } };
  });
  const { engine } = engineOf(parts, { http: { transport }, ...options });
  const sent: Setup['sent'] = () =>
    requests.map(({ url, body }) => ({
      url,
      body: body === undefined ? undefined : JSON.parse(Buffer.from(body).toString('utf8')),
    }));
  return { engine, sent };
}

const action = (mappableParams: unknown, options: Partial<EngineOptions> = {}): Setup =>
  setup(
    {
      modules: { act: { type: 'action', communication: ECHO, mappableParams } },
      rpcs: {
        fields: { communication: { url: '/fields', response: { output: '{{body}}' } } },
        broken: { communication: { url: '/broken' } },
      },
    },
    options,
  );

describe('checking the parameters of a run', () => {
  it('fails before any request and lists one message per invalid field with its path', async () => {
    const rows = {
      name: 'rows',
      type: 'array',
      spec: { type: 'collection', spec: [{ name: 'n', type: 'number' }] },
    };
    const { engine, sent } = action([...FORM, rows]);
    const items = [{ n: 1 }, { n: 'x' }];
    const { error, bundles, stats } = await engine.module('act').run({
      // The platform does not check array rows described by a list of fields.
      parameters: { since: 'soon', kind: 'person', items, rows: items },
    });
    expect(error).toMatchObject({
      type: 'BundleValidationError',
      message: 'Validation failed for 4 parameter(s).',
      suberrors: [
        "Missing value of required parameter 'id'.",
        expect.stringContaining("Invalid date in parameter 'since'"),
        "Missing value of required parameter 'email'.",
        expect.stringContaining("Invalid number in parameter 'rows[2].n'"),
      ],
    });
    expect({ bundles, requests: stats.requests, sent: sent() }).toEqual({
      bundles: undefined,
      requests: 0,
      sent: [],
    });
  });

  it('throws the same error if the run is iterated', async () => {
    const { engine } = action(FORM);
    const run = engine.module('act').run();
    await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject({ type: 'BundleValidationError' });
  });

  it('converts values for expressions and applies defaults only on request', async () => {
    const { engine, sent } = action(FORM);
    const parameters = {
      id: '7',
      since: '2024-05-06',
      items: { n: '1.5' },
      kind: 'firm',
      vat: 5,
      other: 'kept',
    };
    await engine.module('act').run({ parameters });
    const converted = {
      id: 7,
      since: '2024-05-06T00:00:00.000Z',
      items: [{ n: 1.5 }],
      kind: 'firm',
      vat: '5',
      other: 'kept',
    };
    await engine.module('act').run({ parameters, checkParameters: { defaults: true } });
    expect(sent().map(({ body }) => body)).toEqual([converted, { ...converted, limit: 10 }]);
    expect(parameters.id).toBe('7');
  });

  it("reads local dates in the engine's timezone", async () => {
    const { engine, sent } = action(FORM, { timezone: 'Europe/Prague' });
    await engine.module('act').run({ parameters: { id: 1, since: '2024-05-06 12:00:00' } });
    expect(sent()[0]?.body).toMatchObject({ since: '2024-05-06T10:00:00.000Z' });
  });

  it('is skipped if the engine or the run disables it', async () => {
    const parameters = { since: 'soon' };
    const free = action(FORM, { checkParameters: false });
    await free.engine.module('act').run({ parameters });
    const strict = action(FORM);
    await strict.engine.module('act').run({ parameters, checkParameters: false });
    expect([...free.sent(), ...strict.sent()].map(({ body }) => body)).toEqual([parameters, parameters]);
    const again = await free.engine.module('act').run({ parameters, checkParameters: true });
    expect(again.error?.type).toBe('BundleValidationError');
  });

  it('merges settings of the engine and of the run', async () => {
    const { engine, sent } = action(FORM, { checkParameters: { defaults: true } });
    await engine.module('act').run({ parameters: { id: 1 }, checkParameters: { resolve: 'fields' } });
    expect(sent()[0]?.body).toEqual({ id: 1, limit: 10 });
  });

  it('evaluates conditions with custom functions and the values so far', async () => {
    const form = [
      { name: 'a', type: 'number' },
      { name: 'b', type: 'text', required: true, visible: '{{isBig(parameters.a)}}' },
    ];
    const { transport } = service(() => ({ json: {} }));
    const { engine } = engineOf(
      {
        modules: { act: { type: 'action', communication: ECHO, mappableParams: form } },
        functions: { isBig: { code: 'function isBig(a) { return a > 10; }' } },
      },
      { http: { transport } },
    );
    expect((await engine.module('act').run({ parameters: { a: '5' } })).error).toBeUndefined();
    expect((await engine.module('act').run({ parameters: { a: '50' } })).error?.message).toContain("'b'");
    await engine.close();
  });

  it('reports no requests and redacts connection data in its error', async () => {
    const { engine } = action(FORM);
    const { error } = await engine.module('act').run({
      parameters: { id: 'key-of-the-connection' },
      connection: { apiKey: 'key-of-the-connection' },
    });
    expect(error?.message).toBe(
      'Invalid uinteger in parameter \'id\': expected a whole number of 0 or more, got text "[SANITIZED]".',
    );
  });

  it('is skipped for RPCs, which forms call before they are complete', async () => {
    const { engine, sent } = setup({ rpcs: { list: { communication: ECHO, params: FORM } } });
    expect((await engine.rpc('list').call({ parameters: { since: 'soon' } })).error).toBeUndefined();
    expect(sent()[0]?.body).toEqual({ since: 'soon' });
  });

  it('applies to webhook attach and update, not to detach', async () => {
    const communication = { url: '/hook', method: 'POST', body: '{{parameters}}' };
    const hook = { params: FORM, attach: communication, update: communication, detach: communication };
    const { engine, sent } = setup({ webhooks: { hook } });
    const webhook = engine.webhook('hook');
    for (const step of [webhook.attach, webhook.update]) {
      expect((await step({ parameters: {} })).error?.type).toBe('BundleValidationError');
    }
    expect((await webhook.detach({ parameters: {} })).error).toBeUndefined();
    expect((await webhook.attach({ parameters: { id: '3' } })).error).toBeUndefined();
    expect(sent().map(({ body }) => body)).toEqual([{}, { id: 3 }]);
  });

  it('applies to triggers, epochs and responders', async () => {
    const { engine } = setup({
      modules: {
        watch: {
          type: 'trigger',
          communication: { url: '/x', response: { iterate: '{{body}}', trigger: { id: '{{item.id}}' } } },
          epoch: { response: { output: { label: 'x' } } },
          staticParams: FORM,
        },
        answer: { type: 'responder', communication: { response: { body: 'ok' } }, mappableParams: FORM },
      },
    });
    const errors = [
      (await engine.module('watch').run()).error,
      (await engine.module('watch', 'trigger').epoch()).error,
      (await engine.module('answer', 'responder').respond()).error,
    ];
    expect(errors.map((error) => error?.type)).toEqual(Array(3).fill('BundleValidationError'));
  });
});

describe('fields of an RPC', () => {
  const form = [{ name: 'id', type: 'number' }, 'rpc://fields'];

  it('stay unchecked without calling the RPC by default', async () => {
    const { engine, sent } = action(form);
    await engine.module('act').run({ parameters: { id: '1', extra: '2' } });
    expect(sent().map(({ url }) => url)).toEqual(['https://api.example.test/echo']);
    expect(sent()[0]?.body).toEqual({ id: 1, extra: '2' });
  });

  it('are loaded on request without counting as requests of the run', async () => {
    const { engine, sent } = action(form, { checkParameters: { resolve: 'fields' } });
    const run = await engine.module('act').run({ parameters: { id: '1', extra: '2' } });
    expect(sent().map(({ url }) => url)).toEqual([
      'https://api.example.test/fields',
      'https://api.example.test/echo',
    ]);
    expect(sent()[1]?.body).toEqual({ id: 1, extra: 2 });
    expect(run.stats.requests).toBe(1);
    const missing = await engine.module('act').run({ parameters: {} });
    expect(missing.error?.message).toBe("Missing value of required parameter 'extra'.");
  });

  it('fail the run with the error of the RPC', async () => {
    const broken = action(['rpc://broken'], { checkParameters: { resolve: 'fields' } });
    expect((await broken.engine.module('act').run()).error).toMatchObject({
      type: 'ConnectionError',
      statusCode: 500,
    });
    const unknown = action(['rpc://nowhere'], { checkParameters: { resolve: 'fields' } });
    expect((await unknown.engine.module('act').run()).error?.type).toBe('InvalidConfigurationError');
  });
});

describe('secret parameters', () => {
  const SECRET = 'canary-of-a-parameter';

  it.each([
    ['a field of type password', [{ name: 'word', type: 'password' }], { word: SECRET }],
    ['a field with a telling name', [], { clientSecret: SECRET }],
    [
      'a field in an option',
      [
        {
          name: 'a',
          type: 'select',
          options: [{ value: 1, nested: [{ name: 'key', type: 'pkey' }] }],
        },
      ],
      { a: 1, key: SECRET },
    ],
    [
      'the items of a list',
      [{ name: 'list', type: 'array', spec: { type: 'password' } }],
      { list: [SECRET] },
    ],
    [
      'a member of an item',
      [{ name: 'list', type: 'array', spec: [{ name: 'word', type: 'password' }] }],
      { list: [{ word: SECRET }] },
    ],
    ['a default', [{ name: 'word', type: 'password', default: SECRET }], {}],
  ])('are redacted: %s', async (_title, form, parameters) => {
    const { engine } = setup(
      {
        modules: {
          act: {
            type: 'action',
            communication: {
              url: '/{{parameters.word}}{{parameters.key}}{{parameters.clientSecret}}{{parameters.list[1]}}{{parameters.list[1].word}}',
            },
            mappableParams: form,
          },
        },
      },
      { trace: 'full' },
    );
    const report = await engine.module('act').run({ parameters, checkParameters: { defaults: true } });
    expect(report.trace.some(({ kind }) => kind === 'request')).toBe(true);
    expect(JSON.stringify(report)).not.toContain(SECRET);
    expect(JSON.stringify(report)).toContain('[SANITIZED]');
  });
});

describe('metadata and scenario', () => {
  const MODULE_FORM = [{ name: 'a', type: 'text' }, 'rpc://more'];
  const parts: Omit<AppDefinition, 'name'> = {
    modules: {
      act: {
        type: 'action',
        communication: {
          response: {
            output: {
              expect: '{{metadata.expect}}',
              fixed: '{{metadata.parameters}}',
              interface: '{{map(metadata.interface; "name")}}',
              scenario: '{{scenario.id}}',
              own: '{{metadata.own}}',
            },
          },
        },
        staticParams: [{ name: 's', type: 'text' }],
        mappableParams: MODULE_FORM,
        interface: [{ name: 'out', type: 'text' }],
      },
    },
    rpcs: {
      more: {
        params: [{ name: 'p', type: 'text' }],
        communication: {
          url: '/more',
          qs: { seen: '{{join(map(metadata.expect; "name"); ",")}}', scenario: '{{scenario.id}}' },
          response: { output: '{{body}}' },
        },
      },
    },
  };

  it('are available in modules: the specifications as written', async () => {
    const { engine } = setup(parts);
    const { bundles } = await engine.module('act').run({ scenario: { id: 5 } });
    expect(bundles).toEqual([
      {
        expect: MODULE_FORM,
        fixed: [{ name: 's', type: 'text' }],
        interface: ['out'],
        scenario: 5,
      },
    ]);
  });

  it('hold the fields of RPCs that the check resolves, without a second call', async () => {
    const fields = [
      { name: 'title', type: 'text' },
      { name: 'note', type: 'text' },
    ];
    const resolved: Omit<AppDefinition, 'name'> = {
      modules: {
        act: {
          type: 'action',
          staticParams: ['rpc://fixed'],
          mappableParams: ['rpc://fields?kind=a', { name: 'own', type: 'text' }],
          communication: {
            response: { output: { expect: '{{metadata.expect}}', fixed: '{{metadata.parameters}}' } },
          },
        },
      },
      rpcs: {
        fixed: { communication: { url: '/fixed' } },
        fields: { communication: { url: '/fields', qs: { kind: '{{parameters.kind}}' } } },
      },
    };
    const { transport, requests } = service(({ url }) => ({ json: url.includes('/fixed') ? [] : fields }));
    const { engine } = setup(resolved, { http: { transport } });
    const run = engine
      .module('act')
      .run({ parameters: { title: 'T' }, checkParameters: { resolve: 'fields' } });
    expect((await run.orThrow()).bundles).toEqual([
      { expect: [...fields, { name: 'own', type: 'text' }], fixed: [] },
    ]);
    expect(requests.map(({ url }) => url)).toEqual([
      'https://api.example.test/fixed',
      'https://api.example.test/fields?kind=a',
    ]);
  });

  it('can be replaced member by member', async () => {
    const { engine } = setup(parts);
    const { bundles } = await engine.module('act').run({ metadata: { own: 1, expect: [] } });
    expect(bundles).toMatchObject([{ own: 1, expect: [], interface: ['out'] }]);
  });

  it('are available in RPCs: their own if called alone, those of the module if called by its form', async () => {
    const { engine, sent } = setup(parts);
    await engine.rpc('more').call({ scenario: { id: 6 } });
    await engine.module('act').parameters({ resolve: true, scenario: { id: 7 } });
    expect(sent().map(({ url }) => new URL(url).search)).toEqual([
      '?seen=p&scenario=6',
      '?seen=a&scenario=7',
    ]);
  });
});

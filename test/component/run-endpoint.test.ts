import { describe, expect, it } from 'vitest';
import type { AppDefinition, ConnectionStore, EngineOptions, StoredConnection } from '../../src/index.js';
import { service } from '../run/helpers.js';
import { engineOf } from './engine-of.js';

type Endpoint = NonNullable<AppDefinition['endpoints']>[string];

const GET_CONTACT: Endpoint = {
  attachedAccounts: ['account'],
  communication: { url: '/contacts/{{parameters.id}}', response: { output: '{{body}}' } },
  input: [
    { name: 'id', type: 'uinteger', required: true },
    { name: 'fields', type: 'text', default: 'all' },
  ],
};

function opened(
  endpoint: Endpoint,
  json: unknown = { id: 7 },
  options: Partial<EngineOptions> = {},
): ReturnType<typeof engineOf> & { readonly urls: () => readonly string[] } {
  const { transport, requests } = service(() => ({ json }));
  const made = engineOf(
    {
      base: { baseUrl: 'https://api.example.com', headers: { authorization: 'Bearer {{connection.key}}' } },
      connections: {
        account: { communication: {}, params: [{ name: 'key', type: 'password' }] },
        other: { communication: {} },
      },
      endpoints: { getContact: endpoint, other: { communication: { url: '/other' } } },
    },
    { http: { transport }, ...options },
  );
  return { ...made, urls: () => requests.map(({ url }) => url) };
}

describe('engine.endpoint', () => {
  it('sends one request with the parameters and reports the result', async () => {
    const { engine, urls } = opened(GET_CONTACT);
    const report = await engine.endpoint('getContact').run({ parameters: { id: '7' } });
    expect(report).toMatchObject({ ok: true, result: { id: 7 }, stats: { requests: 1 } });
    expect(urls()).toEqual(['https://api.example.com/contacts/7']);
  });

  it.each([
    ['a list with one item becomes the item', {}, [{ id: 1 }], { id: 1 }],
    ['an empty list becomes an empty object', {}, [], {}],
    ['a longer list stays', {}, [1, 2], [1, 2]],
    ['unwrap: false keeps the list', { unwrap: false }, [{ id: 1 }], [{ id: 1 }]],
    ['iterate keeps the list', { iterate: '{{body}}', output: '{{item}}' }, [{ id: 1 }], [{ id: 1 }]],
  ])('unwraps the result: %s', async (_, response, body, result) => {
    const communication = { url: '/contacts', response: { output: '{{body}}', ...response } };
    const { engine } = opened({ communication }, body);
    expect(await engine.endpoint('getContact').run()).toMatchObject({ ok: true, result });
  });

  it('reports the stop reason and records of a paginated endpoint', async () => {
    const communication = {
      url: '/contacts',
      response: { iterate: '{{body}}' },
      pagination: { qs: { page: '{{pagination.page}}' } },
    };
    const { engine } = opened({ communication }, [{ id: 1 }], {
      limits: { maxPages: 2 },
      onPageLoop: 'stop',
    });
    const { stats } = await engine.endpoint('getContact').run();
    expect(stats).toMatchObject({ stopReason: expect.any(String), records: expect.any(Number) });
    expect(stats.records).toBeGreaterThan(0);
  });

  it('checks the form before it sends anything, and passes values unchecked with checkParameters: false', async () => {
    const { engine, urls } = opened(GET_CONTACT);
    const endpoint = engine.endpoint('getContact');
    expect((await endpoint.run({ parameters: {} })).error).toMatchObject({
      type: 'BundleValidationError',
      suberrors: [expect.stringContaining("'id'")],
    });
    expect(urls()).toEqual([]);
    expect((await endpoint.run({ parameters: { id: 'x' }, checkParameters: false })).ok).toBe(true);
    expect(urls()).toEqual(['https://api.example.com/contacts/x']);
  });

  it('fills in defaults only if the caller asks for them', async () => {
    const communication = { response: { output: '{{parameters}}' } };
    const { engine } = opened({ ...GET_CONTACT, communication });
    const endpoint = engine.endpoint('getContact');
    expect((await endpoint.run({ parameters: { id: 1 } })).result).toEqual({ id: 1 });
    const checkParameters = { defaults: true };
    const filled = await endpoint.run({ parameters: { id: 1 }, checkParameters });
    expect(filled.result).toEqual({ id: 1, fields: 'all' });
  });

  it('opens a stored connection that the endpoint may use, and no other', async () => {
    const storedFor = (component: string): StoredConnection => ({
      component,
      connection: { key: 'k-123456' },
      parameters: {},
      metadata: undefined,
      uid: undefined,
      expires: undefined,
      oauth: undefined,
      common: undefined,
    });
    const connections: ConnectionStore = {
      get: async (name) => storedFor(name === 'mine' ? 'account' : 'other'),
      save: async () => {},
    };
    const { engine, urls } = opened(GET_CONTACT, {}, { connections });
    const endpoint = engine.endpoint('getContact');
    const parameters = { id: 1 };
    expect(await endpoint.run({ parameters, connection: 'mine' })).toMatchObject({ ok: true });
    expect((await endpoint.run({ parameters, connection: 'theirs' })).ok).toBe(false);
    expect(urls()).toHaveLength(1);
  });

  it('redacts secrets of the connection in errors', async () => {
    const { engine } = opened({
      ...GET_CONTACT,
      communication: {
        url: '/x',
        response: { valid: false, error: { message: 'no access for {{connection.key}}' } },
      },
    });
    const connection = { key: 'sk-secret-123' };
    const { error } = await engine.endpoint('getContact').run({ parameters: { id: 1 }, connection });
    expect(error?.message).toContain('no access for');
    expect(JSON.stringify(error)).not.toContain('sk-secret-123');
  });

  it('refuses an url that leaves the server of the app because of its parameters', async () => {
    const { engine, urls } = opened({ communication: { url: '{{parameters.url}}' } });
    const parameters = { url: 'https://attacker.example/collect' };
    const { error } = await engine.endpoint('getContact').run({ parameters });
    expect(error?.message).toContain('call only https://api.example.com');
    expect(urls()).toEqual([]);
  });

  it('refuses an endpoint that calls another one, and one without a communication', async () => {
    const { engine, urls } = opened({ communication: { endpoint: 'other' } });
    expect((await engine.endpoint('getContact').run()).error).toMatchObject({
      type: 'InvalidConfigurationError',
      message: 'An endpoint cannot call an endpoint.',
    });
    expect((await opened({}).engine.endpoint('getContact').run()).error).toMatchObject({
      type: 'InvalidConfigurationError',
    });
    expect(urls()).toEqual([]);
  });

  it('throws for an unknown name and suggests the nearest', () => {
    const { engine } = opened(GET_CONTACT);
    expect(() => engine.endpoint('getContct')).toThrow(
      expect.objectContaining({ code: 'SPEC_MISSING', message: expect.stringContaining('getContact') }),
    );
  });
});

describe('endpoints of an app', () => {
  it('have their annotations, context and attached connections', () => {
    const { engine } = opened({
      ...GET_CONTACT,
      annotations: { readOnlyHint: true, openWorldHint: false },
      context: '# Contacts',
    });
    expect(engine.app.endpoints.get('getContact')).toMatchObject({
      annotations: { readOnlyHint: true, openWorldHint: false },
      context: '# Contacts',
      connections: ['account'],
    });
  });

  it.each([
    ['annotations', { annotations: { readOnlyHint: 'yes' } }, '"readOnlyHint"'],
    ['attachedAccounts', { attachedAccounts: 'account' }, 'list of names'],
  ])('are refused with invalid %s', (member, part, message) => {
    expect(() => opened(part as never)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message),
        place: { pointer: expect.stringContaining(member) },
      }),
    );
  });

  it('get a warning for an attached connection that the app does not have', () => {
    const { engine } = opened({ ...GET_CONTACT, attachedAccounts: ['acount'] });
    expect(engine.app.warnings).toContainEqual(
      expect.objectContaining({ code: 'unknown-reference', message: expect.stringContaining('account') }),
    );
  });
});

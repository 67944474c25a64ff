import { describe, expect, it } from 'vitest';
import { redactCauses } from '../../src/engine/redaction/redact.js';
import { createEngine, defineApp } from '../../src/index.js';
import { engineOf, service } from './helpers.js';

// Input of the embedder that throws on access is reported as such.

const revoked = Proxy.revocable({}, {});
revoked.revoke();
const UNREADABLE = [
  ['a proxy whose traps throw', new Proxy({}, { getPrototypeOf: () => fail() })],
  ['a proxy that is revoked', revoked.proxy],
  [
    'a getter that throws',
    {
      secret: {
        get token(): string {
          return fail();
        },
      },
    },
  ],
  [
    'a getter that throws a proxy whose traps throw',
    {
      get x(): never {
        throw trapped();
      },
    },
  ],
] as const;

/** Throws on any access. */
function trapped(): object {
  return new Proxy({}, { getPrototypeOf: fail, get: fail, has: fail });
}

function fail(): never {
  throw new TypeError('of the host');
}

describe.each(UNREADABLE)('%s', (_, value) => {
  it.each([
    ['connection', { connection: { a: value } }],
    ['parameters', { parameters: { a: value } }],
  ])('as data of the %s ends in no error of the host', async (__, input) => {
    const run = engineOf({ response: { output: '{{connection.a.x}}{{parameters.a.x}}' } }).run(input);
    const outcome = await run.then(
      ({ error }) => error,
      (error: unknown) => error,
    );
    if (outcome !== undefined)
      expect(outcome).toMatchObject({ code: expect.stringMatching(/IML_HOST_VALUE|APP_ERROR/) });
    expect(outcome).not.toBeInstanceOf(TypeError);
  });

  it.each([
    ['a field', { parameters: { a: value } }],
    ['a field of a field', { parameters: { b: { c: value } } }],
    ['an item', { parameters: { c: [value] } }],
    ['all parameters', { parameters: Object(value) }],
    ['all of the connection', { connection: Object(value) }],
  ])('as %s of a form, neither', async (__, input) => {
    const fields = [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'collection', spec: [{ name: 'c', type: 'password' }] },
      { name: 'c', type: 'array', spec: { type: 'number' } },
    ];
    const app = defineApp({
      name: 'x',
      base: { baseUrl: 'https://a.test' },
      modules: { m: { type: 'action', mappableParams: fields, communication: { response: { output: 1 } } } },
    });
    const transport = service(() => ({ json: {} })).transport;
    const outcome = await createEngine({ app, http: { transport } })
      .module('m')
      .run(input)
      .then(
        ({ error }) => error,
        (error: unknown) => error,
      );
    if (outcome !== undefined) expect(outcome).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) });
    expect(String(outcome)).not.toMatch(/of the host|proxy/);
  });

  it('as common data', async () => {
    const test = engineOf({ response: { output: 1 } }, { common: { a: value } });
    await expect(test.run()).rejects.toMatchObject({ code: 'IML_HOST_VALUE' });
  });
});

describe('a proxy whose traps throw', () => {
  it('that a transport rejects with is reported as a value that is not an error', async () => {
    const app = defineApp({
      name: 'x',
      base: { baseUrl: 'https://a.test' },
      modules: { m: { type: 'action', communication: { url: '/x', response: { output: 1 } } } },
    });
    const { module } = createEngine({ app, http: { transport: () => Promise.reject(trapped()) } });
    await expect(module('m').run()).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('that was thrown first is skipped when causes are redacted', () => {
    const outer = new Error('holds k-1', { cause: trapped() });
    redactCauses(outer, (text) => text.replaceAll('k-1', '***'));
    expect(outer.message).toBe('holds ***');
  });
});

import { describe, expect, it } from 'vitest';
import { createEngine, defineApp } from '../../src/index.js';

// Input of an embedder without types is refused by name before it is used.

const app = defineApp({
  name: 'x',
  base: { baseUrl: 'https://a.test' },
  modules: { m: { type: 'action', communication: { url: '/x' } } },
});
const ANSWER = { status: 200, headers: {}, body: new Uint8Array(), url: 'https://a.test/x' };

const run = async (options: object, input: unknown = {}): Promise<unknown> => {
  const all: Parameters<typeof createEngine>[0] = Object.assign(
    { app, http: { transport: async () => ANSWER } },
    options,
  );
  const given: object = Object(input);
  return createEngine(all).module('m').run(given);
};

describe('an option', () => {
  it.each([
    ['http', 5],
    ['http', { transport: 5 }],
    ['http', { wrap: null }],
    ['clock', {}],
    ['limits', null],
    ['http', { alow: [] }],
    ['http', { allow: [1] }],
    ['trace', 'ful'],
    ['observer', () => 1],
    ['connections', { get: 1 }],
    ['trnasport', 1],
  ])('%s of a wrong type is named in the error', async (name, value) => {
    await expect(run({ [name]: value })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(`"${name}"`),
    });
  });
});

describe('the input of a run', () => {
  it.each([
    ['signal', null],
    ['signal', {}],
    ['parameters', new Map()],
    ['paramters', {}],
  ])('is refused with %s of a wrong type', async (name, value) => {
    await expect(run({}, { [name]: value })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(`"${name}"`),
    });
  });

  it('is not read beyond its bound: a run has more parameters than allowed', async () => {
    let reads = 0;
    const parameters = Object.fromEntries(Array.from({ length: 50_000 }, (_, id) => [`n${id}`, id]));
    Object.defineProperty(parameters, 'last', { enumerable: true, get: () => ++reads });
    expect(await run({}, { parameters })).toMatchObject({
      ok: false,
      error: { type: 'BundleValidationError', message: expect.stringContaining('more than 50000 names') },
    });
    expect(reads).toBe(0);
  });
});

describe('the response of a transport', () => {
  it.each([
    ['status', '200'],
    ['status', Number.NaN],
    ['headers', new Map()],
    ['headers', { a: 5 }],
    ['body', 'text'],
    ['body', undefined],
    ['url', undefined],
  ])('is refused with %s of a wrong type', async (name, value) => {
    const answer = async () => ({ ...ANSWER, [name]: value });
    await expect(run({ http: { transport: answer } })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('is reported if it is a rejection with a value that is not an Error', async () => {
    await expect(run({ http: { transport: () => Promise.reject('x') } })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

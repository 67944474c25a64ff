import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/index.js';
import { type Answer, engineOf, service } from './helpers.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Far below the time of copying or comparing a value once per level. */
const MAX_MS = 10_000;

/**
 * Runs an app against an API that always returns the same response.
 *
 * @returns the error type, or the bundles
 */
async function outcomeOf(
  communication: unknown,
  answer: Answer,
  setup: Parameters<typeof engineOf>[1] = {},
): Promise<string | readonly unknown[]> {
  const started = performance.now();
  const { transport } = service(() => answer);
  const { run } = engineOf(communication, { http: { transport }, type: 'action', ...setup });
  const { bundles, error } = await run();
  expect(performance.now() - started).toBeLessThan(MAX_MS);
  if (error === undefined) return bundles;
  expect(error).toBeInstanceOf(AppError);
  return error.type;
}

const USES: readonly (readonly [title: string, communication: unknown, status?: number])[] = [
  ['output', { url: '/x' }],
  ['temp', { url: '/x', response: { temp: { d: '{{body}}' }, output: '{{temp.d}}' } }],
  [
    'temp merged with itself',
    [1, 2].map(() => ({ url: '/x', response: { temp: { d: '{{body}}' }, output: '{{length(temp.d)}}' } })),
  ],
  ['createJSON', { url: '/x', response: { output: '{{createJSON(body)}}' } }],
  ['iterate', { url: '/x', response: { iterate: '{{body}}' } }],
  ['wrapper', { url: '/x', response: { wrapper: { a: '{{output}}' } } }],
  ['valid', { url: '/x', response: { valid: '{{body == body}}' } }],
  ['error', { url: '/x', response: { error: { message: '{{body}}', type: '{{body}}' } } }, 400],
  ['JSON body', [{ url: '/x' }, { url: '/y', method: 'POST', body: '{{body}}' }]],
  ['form', [{ url: '/x' }, { url: '/y', method: 'POST', type: 'urlencoded', body: { a: '{{body}}' } }]],
  [
    'multipart',
    [{ url: '/x' }, { url: '/y', method: 'POST', type: 'multipart/form-data', body: { a: '{{body}}' } }],
  ],
  ['qs', [{ url: '/x' }, { url: '/y', qs: { a: '{{body}}' } }]],
  ['headers', [{ url: '/x' }, { url: '/y', headers: { a: '{{body}}' } }]],
  ['url', [{ url: '/x' }, { url: '/y{{body}}' }]],
];

describe('a response of 10^5 levels', () => {
  const levels = 1e5;
  const lists = '['.repeat(levels) + ']'.repeat(levels);
  const collections = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it.each(
    USES.flatMap(([title, communication, status]) => [
      [title, 'lists', communication, { text: lists, headers: JSON_TYPE, status: status ?? 200 }] as const,
      [
        title,
        'collections',
        communication,
        { text: collections, headers: JSON_TYPE, status: status ?? 200 },
      ] as const,
    ]),
  )('in %s, of %s, gives bundles or a typed error', async (_title, _kind, communication, answer) => {
    // With bodies in the trace, to include their redaction.
    const outcome = await outcomeOf(communication, answer, { trace: 'full' });
    expect(['object', 'string']).toContain(typeof outcome);
  });
});

describe('members with names of prototype members', () => {
  const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"t","a":1}';

  it.each([
    ['temp', [1, 2].map(() => ({ url: '/x', response: { temp: '{{body}}', output: '{{temp}}' } }))],
    ['JSON body', [{ url: '/x' }, { url: '/y', method: 'POST', body: '{{body}}' }]],
    ['form', [{ url: '/x' }, { url: '/y', method: 'POST', type: 'urlencoded', body: '{{body}}' }]],
    ['qs', [{ url: '/x' }, { url: '/y', qs: { '{{...}}': '{{body}}' } }]],
    ['headers', [{ url: '/x' }, { url: '/y', headers: { '{{...}}': '{{body}}' } }]],
    ['output', { url: '/x', response: { output: { '{{...}}': '{{body}}' } } }],
  ])('in %s change no prototype', async (_title, communication) => {
    await outcomeOf(communication, { text, headers: JSON_TYPE });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.prototype.toString.call({})).toBe('[object Object]');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('are sent unchanged', async () => {
    const { transport, requests } = service(() => ({ text, headers: JSON_TYPE }));
    const { run } = engineOf([{ url: '/x' }, { url: '/y', method: 'POST', body: '{{body}}' }], {
      http: { transport },
    });
    await run();
    expect(Buffer.from(requests[1]?.body ?? []).toString('utf8')).toBe(text);
  });
});

describe('a status', () => {
  it.each([0, 1, 99, 100, 199, 600, 999])('of %i is an error of the default type', async (status) => {
    expect(await outcomeOf({ url: '/x' }, { status, json: {} })).toBe('RuntimeError');
  });
});

it('an error message of 10 MB is returned, and a failing one is a separate error', async () => {
  const text = 'm'.repeat(1e7);
  expect(await outcomeOf({ url: '/x', response: { error: '{{body}}' } }, { status: 400, text })).toBe(
    'RuntimeError',
  );
  const failing = { url: '/x', response: { error: '{{parseDate("x"; "y")}}' } };
  expect(await outcomeOf(failing, { status: 400, json: {} })).toBe('RuntimeError');
});

import { describe, expect, it } from 'vitest';
import { EngineError, ERROR_CODES } from '../../src/index.js';
import { toRestError } from '../../src/rest/call/answer.js';
import type { FailedCall } from '../../src/rest/call/router.js';
import { bootstrap, createLocalBilling, openRestSqlite } from '../../src/rest/index.js';
import * as problems from '../../src/rest/problems.js';
import { createRestLog, type RestLogFormat } from '../../src/tools/cli/output/rest-log.js';
import { createStoreRest, type StoreRestOptions } from './store-rest.js';

/** The lines that `iml rest` logs for failures of one call, including the lines on close. */
function logFailures(
  failures: readonly unknown[],
  call: FailedCall,
  format: RestLogFormat = 'text',
): readonly string[] {
  const lines: string[] = [];
  const log = createRestLog((line) => lines.push(line), { format, now: () => 0 });
  for (const failure of failures) log.failure(failure, call);
  log.close();
  return lines;
}

/** Each code of the REST API: its source, and the response to callers. */
const TABLE: readonly (readonly [
  code: keyof typeof ERROR_CODES,
  error: unknown,
  status: number,
  apiCode: string,
])[] = [
  ['REST_REQUEST', problems.badRequest(['x']), 400, 'SC400'],
  ['REST_REQUEST', problems.methodNotAllowed(['GET']), 405, 'SC405'],
  ['REST_REQUEST', problems.tooLarge(1), 413, 'SC413'],
  ['REST_UNAUTHORIZED', problems.unauthorized('x', 'Bearer'), 401, 'SC401'],
  ['REST_FORBIDDEN', problems.forbidden(), 403, 'SC403'],
  ['REST_NOT_FOUND', problems.notFound('Key'), 404, 'SC404'],
  ['REST_REFUSED', problems.confirmationRequired('x'), 406, 'IM004'],
  ['REST_REFUSED', problems.featureDisabled('x'), 400, 'IM903'],
  ['REST_REFUSED', problems.blocked('x'), 400, 'IM016'],
  ['REST_RATE_LIMIT', problems.tooManyRequests({}), 429, 'SC429'],
  // Failures whose reason callers do not receive.
  ['REST_FAILED', problems.configError('secret'), 500, 'SC500'],
  ['REST_FAILED', new Error('secret'), 500, 'SC500'],
];

describe('the error codes of the REST API', () => {
  it.each(TABLE)('%s', (code, error, status, apiCode) => {
    const refusal = toRestError(error);
    expect(refusal).toMatchObject({ code, status, apiCode });
    expect(refusal).toBeInstanceOf(EngineError);
    expect(JSON.stringify(refusal)).not.toContain('secret');
  });

  it('are all in the table', () => {
    const codes = Object.keys(ERROR_CODES).filter((code) => code.startsWith('REST_'));
    expect([...new Set(TABLE.map(([code]) => code)), 'REST_CONFIG'].sort()).toEqual(codes.sort());
  });

  const good = { encryptionKey: new Uint8Array(32) };
  it.each<[string, Partial<StoreRestOptions>]>([
    ['a key with a wrong length', { encryptionKey: new Uint8Array(16) }],
    ['an origin with a path', { origin: 'https://api.example.com/v2' }],
    ['an origin without http or https', { origin: 'file:///x' }],
    ['an invalid origin', { origin: 'api.example.com' }],
  ])('REST_CONFIG for %s', async (_, options) => {
    await expect(
      createStoreRest({ store: await openRestSqlite(':memory:'), ...good, ...options }),
    ).rejects.toMatchObject({
      code: 'REST_CONFIG',
      status: 500,
    });
  });

  it('log the failed call and its cause for the operator, and give callers its id', async () => {
    const failures: unknown[] = [];
    const answers: unknown[] = [];
    const reason = new Error('secret');
    const billing = { ...createLocalBilling(), findPrice: () => Promise.reject(reason) };
    const rest = await createStoreRest({
      store: await openRestSqlite(':memory:'),
      encryptionKey: new Uint8Array(32),
      billing,
      onError: (error, call) => failures.push([error, call]),
      onAnswer: (call) => answers.push(call),
    });
    const token = await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' });
    const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
    const path = '/api/v2/organizations/1/subscription';
    const init = { method: 'POST', headers, body: '{"priceId":11}' };
    const response = await rest.fetch(new Request(`http://localhost${path}?hash=of-an-invitation`, init));
    const requestId = response.headers.get('x-request-id');
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    const call = { requestId, operation: 'createSubscription', method: 'POST', path };
    expect(failures).toEqual([[reason, call]]);
    expect(answers).toEqual([{ ...call, status: 500, durationMs: expect.any(Number) }]);
    const [line] = logFailures([new Error('not stored', { cause: reason })], { ...call, requestId: 'id' });
    expect(line).toBe(`failed POST ${path} createSubscription id: Error: not stored < Error: secret`);
  });

  it.each(['text', 'json'] as const)('are logged with at most five causes, as %s', (format) => {
    const call = { requestId: 'id', operation: undefined, method: 'GET', path: '/' };
    let chain = new Error('6');
    for (const message of ['5', '4', '3', '2', '1']) chain = new Error(message, { cause: chain });
    const [line] = logFailures([chain], call, format);
    expect(line?.match(/Error: \d/g)).toEqual(['1', '2', '3', '4', '5'].map((each) => `Error: ${each}`));
  });

  it('logs repeated failures once and then their number', () => {
    const call = { requestId: 'id', operation: undefined, method: 'GET', path: '/' };
    const down = (): Error => new Error('The database does not answer.');
    const lines = logFailures([down(), down(), new Error('other'), down()], call);
    expect(lines).toEqual([
      'failed GET / - id: Error: The database does not answer.',
      'failed GET / - id: Error: other',
      'failed 2 more times: Error: The database does not answer.',
    ]);
  });

  it('logs the number of repeated failures after a minute', () => {
    let nowMs = 0;
    const lines: string[] = [];
    const log = createRestLog((line) => lines.push(line), { format: 'json', now: () => nowMs });
    const call = {
      requestId: 'id',
      operation: undefined,
      method: 'GET',
      path: '/',
      status: 200,
      durationMs: 1,
    };
    for (const at of [0, 30_000, 59_999]) {
      nowMs = at;
      log.failure(new Error('down'), call);
    }
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['failure']);
    nowMs = 60_000;
    log.answer(call);
    expect(lines.map((line) => JSON.parse(line)).slice(1)).toMatchObject([
      { kind: 'failures', count: 2, causes: ['Error: down'] },
      { kind: 'answer' },
    ]);
  });
});

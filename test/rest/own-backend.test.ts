import { afterAll, describe, expect, it } from 'vitest';
import {
  badRequest,
  createRest,
  invalidParameter,
  type Rest,
  type RestBackend,
  RestError,
  refused,
} from '../../src/rest/index.js';
import { restContract } from '../../src/tools/testing/index.js';
import { createMemoryBackend } from './memory-backend.js';

const BASE = 'http://localhost/api/v2';

function createOwn(operations: RestBackend['operations'], onError?: (error: unknown) => void): Promise<Rest> {
  const scopes = ['teams:read', 'teams:write', 'organizations:read', 'user:read'];
  const backend: RestBackend = {
    identify: async () => ({ userId: 1, scopes, isAdministrator: false, authUsed: 'token', data: undefined }),
    operations,
  };
  return createRest({ backend, ...(onError && { onError }) });
}

async function post(rest: Rest, path: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: 'Token t', 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await rest.fetch(new Request(`${BASE}${path}`, init));
  return { status: response.status, body: await response.json() };
}

it('refuses with suberrors from the helpers and from refused()', async () => {
  const problem = invalidParameter('name', 'must be new');
  const suberrors = [{ name: 'Error', message: "Invalid value of parameter 'name': must be new." }];
  let refuse = badRequest([problem]);
  const rest = await createOwn({ createTeam: () => Promise.reject(refuse) });
  const team = { name: 'T', organizationId: 1 };
  expect(await post(rest, '/teams', team)).toMatchObject({ status: 400, body: { code: 'SC400', suberrors } });
  refuse = refused('SC422', { status: 422, message: 'No', detail: 'No.', suberrors: [problem] });
  expect(refuse).toBeInstanceOf(RestError);
  expect(await post(rest, '/teams', team)).toMatchObject({ status: 422, body: { code: 'SC422', suberrors } });
});

it('drops members of a body that the document does not name before the backend sees them', async () => {
  const bodies: unknown[] = [];
  const rest = await createOwn({
    createTeam: async ({ body }) => {
      bodies.push(body);
      throw refused('IM005', { message: 'No', detail: 'No.' });
    },
  });
  await post(rest, '/teams', { name: 'T', organizationId: 1, id: 5, constructor: 'x' });
  expect(bodies).toEqual([{ name: 'T', organizationId: 1 }]);
});

it('names the wrong member of a response in the failure of the contract', async () => {
  let lastError: unknown;
  const rest = await createOwn(
    { getCurrentAuthorization: async () => ({ authorization: { authUsed: 'token', scope: [5] } }) as never },
    (error) => {
      lastError = error;
    },
  );
  const cases = restContract({
    baseUrl: BASE,
    tokens: { owner: 't' },
    operations: ['getCurrentAuthorization'],
    fetch: (request) => rest.fetch(request),
    lastError: () => lastError,
  });
  const played = cases.filter(({ skipped }) => skipped === undefined);
  const failures = await Promise.all(played.map(({ run }) => run().catch((error: Error) => error.message)));
  expect(failures.join()).toContain(
    'authorization.scope.0 of the response that the backend returned for getCurrentAuthorization must be string',
  );
});

describe('a backend in memory that is written from the documentation', async () => {
  const tokens = { owner: 'token-1', member: 'token-2', outsider: 'token-3', administrator: 'token-4' };
  const backend = createMemoryBackend([
    { name: 'owner', token: tokens.owner, role: 'owner' },
    { name: 'member', token: tokens.member, role: 'member' },
    { name: 'outsider', token: tokens.outsider },
    { name: 'administrator', token: tokens.administrator, isAdministrator: true },
  ]);
  let lastError: unknown;
  const rest = await createRest({
    backend,
    onError: (error) => {
      lastError = error;
    },
  });
  afterAll(() => rest.close());
  const cases = restContract({
    baseUrl: BASE,
    tokens,
    operations: Object.keys(backend.operations),
    prices: { first: 11, second: 21 },
    fetch: (request) => rest.fetch(request),
    lastError: () => lastError,
  });
  for (const { id, title, skipped, run } of cases) {
    it(`passes ${id}: ${title}`, async () => {
      expect(skipped).toBeUndefined();
      await run();
    });
  }
});

import { afterAll, describe, expect, it } from 'vitest';
import { bootstrap, openRestSqlite } from '../../src/rest/index.js';
import { createStoreRest } from './store-rest.js';

const rest = await createStoreRest({
  store: await openRestSqlite(':memory:'),
  encryptionKey: new Uint8Array(32),
});
const token = (await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' })) ?? '';
afterAll(() => rest.close());

async function post(path: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
  const request = new Request(`http://localhost/api/v2${path}`, { method: 'POST', headers, body });
  const response = await rest.fetch(request);
  return { status: response.status, text: await response.text() };
}

const TOKENS = '/users/me/api-tokens';
const TOO_MANY = 'must not contain more than 10000 values';
const tokenWith = (members: string): string => `{"label":"a","scope":["user:read"],${members}}`;
const times = (text: string, count: number): string => Array(count).fill(text).join(',');

describe('a request body', () => {
  // The members of the token and the surrounding object count.
  it.each([
    ['numbers', (count: number) => tokenWith(`"x":[${times('1', count - 4)}]`)],
    ['nested objects', (count: number) => tokenWith(`"x":[${times('{"a":[1]}', (count - 4) / 3)}]`)],
    [
      'names',
      (count: number) => {
        const names = Array.from({ length: count - 4 }, (_, index) => `"${index}":1`);
        return tokenWith(`"x":1,${names.join(',')}`);
      },
    ],
  ])('may contain up to 10,000 values: %s', async (_, write) => {
    expect((await post(TOKENS, write(9997))).status).toBe(200);
    const more = await post(TOKENS, write(10_012));
    expect(more.status).toBe(400);
    expect(more.text).toContain(TOO_MANY);
  });

  it('is measured without punctuation inside of strings', async () => {
    const marks = ',[{\\"'.repeat(20_000);
    expect((await post(TOKENS, tokenWith(`"x":"${marks}","${marks}":1`))).status).toBe(200);
  });

  it('with a syntax error is refused as no JSON or as too large in values', async () => {
    expect((await post(TOKENS, `{"label":"${'x'.repeat(500_000)}`)).text).toContain('must be JSON');
    expect((await post(TOKENS, '['.repeat(500_000))).text).toContain(TOO_MANY);
  });

  it('with thousands of invalid values gets a few errors', async () => {
    const { status, text } = await post(TOKENS, `{"label":"a","scope":[${times('0', 9990)}]}`);
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(100_000);
    expect(JSON.parse(text)).toMatchObject({ detail: 'Validation failed for 1000 parameter(s).' });
  });
});

it('accepts a license of up to 8192 characters', async () => {
  const [{ license: granted } = { license: {} }] = await rest.services.store.find('organizations');
  const license = { ...granted, productManagement: 'selfService', note: '' };
  const fill = (length: number): string =>
    JSON.stringify({ name: 'O', license: { ...license, note: 'x'.repeat(length) } });
  const room = 8192 - JSON.stringify(license).length;
  expect((await post('/admin/organizations', fill(room))).status).toBe(200);
  const more = await post('/admin/organizations', fill(room + 1));
  expect(more.text).toContain("'license': must not have more than 8192 characters of JSON");
});

it('limits an organization to 1000 teams if its license has no limit', async () => {
  const [team] = await rest.services.store.find('teams', { limit: 1 });
  if (team === undefined) throw new Error('There is no team.');
  const { id: _, ...row } = team;
  const add = (count: number): Promise<unknown> =>
    rest.services.store.transaction((writer) => writer.insertAll('teams', Array(count).fill(row)));
  await add(998);
  const create = async (): Promise<number> =>
    (await post('/teams', '{"name":"T","organizationId":1}')).status;
  expect([await create(), await create()]).toEqual([200, 400]);
});

import { describe, expect, it } from 'vitest';
import { printTestFailures, runFixtures } from '../../src/tools/testing/index.js';
import { writeApp } from '../app/temp-app.js';

const CALL = { url: 'https://a.example/{{common.id}}', qs: { secret: '{{common.secret}}' } };

const APP = {
  'basic.json': { ...CALL, response: { metadata: { value: '{{common.id}}' } } },
  'oauth.json': {
    authorize: { url: 'https://a.example/{{common.id}}/page' },
    token: { ...CALL, response: { data: { token: '{{body.token}}' } } },
    refresh: {
      ...CALL,
      condition: "{{data.token = 't-0'}}",
      response: { data: { token: '{{body.token}}' } },
    },
    invalidate: CALL,
  },
  'common.json': { id: 'kept', secret: 'in the folder' },
  'makecomapp.json': {
    components: {
      connection: {
        basic: { connectionType: 'basic', codeFiles: { communication: 'basic.json', common: 'common.json' } },
        account: {
          connectionType: 'oauth',
          codeFiles: { communication: 'oauth.json', common: 'common.json' },
        },
      },
    },
  },
};

const given = {
  common: { id: 'given', secret: '{{secret:client}}' },
  exchanges: [
    {
      request: { url: 'https://a.example/given', query: { secret: '{{secret:client}}' } },
      response: { body: { token: 't-1' } },
    },
  ],
};
const page = { oauth: { redirectUri: 'https://b.example/back' }, query: { code: 'c' } };
const ONE_CALL = { expect: { requestCount: 1 } };

const CASES: Readonly<Record<string, object>> = {
  basic: { component: 'connection:basic', ...given, ...ONE_CALL },
  oauth2: {
    component: 'connection:account',
    ...given,
    input: page,
    expect: { authorizeUrl: { url: 'https://a.example/given/page' }, connection: { token: 't-1' } },
  },
  'oauth2-refresh': {
    component: 'connection:account',
    kind: 'oauth2-refresh',
    ...given,
    input: { data: { token: 't-0' } },
    expect: { connection: { token: 't-1' } },
  },
  'oauth2-invalidate': {
    component: 'connection:account',
    kind: 'oauth2-invalidate',
    ...given,
    input: { data: { token: 't-0' } },
    ...ONE_CALL,
  },
};

describe('common of a case of a connection', () => {
  it.each(Object.keys(CASES))('replaces the common data of an app on disk: %s', async (name) => {
    const replaced = writeApp({ ...APP, 'tests/a/b.test.json': CASES[name] });
    const { ok, results } = await runFixtures(replaced);
    expect([ok, results.map(printTestFailures)]).toEqual([true, ['']]);
    const { common: _, ...rest } = CASES[name] as { common: unknown };
    const own = writeApp({ ...APP, 'tests/a/b.test.json': rest });
    const told = (await runFixtures(own)).results.map(printTestFailures).join('');
    expect(told).toContain('got      "https://a.example/kept"');
  });
});

describe('a case of a stored connection', () => {
  it.each(['oauth2-refresh', 'oauth2-invalidate'])('needs its data as input.data: %s', async (kind) => {
    const input = { connection: { token: 't-0' } };
    const folder = writeApp({ ...APP, 'tests/a/b.test.json': { ...CASES[kind], input } });
    const { ok, results } = await runFixtures(folder);
    expect(ok).toBe(false);
    expect(results.map(printTestFailures).join('')).toContain(
      `input.connection: a run of the kind ${kind} does not read it; write the data of the connection as input.data.`,
    );
  });
});

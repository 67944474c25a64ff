import { fileURLToPath } from 'node:url';
import { readDocument } from '../../../src/engine/document/jsonc.js';
import { createEngine, defineApp, loadApp, TransportError } from '../../../src/index.js';
import { loadPackages } from '../../../src/shared/errors/load-packages.js';
import { writeApp } from '../../app/temp-app.js';
import { engineOf, respond } from '../../run/helpers.js';
import type { ErrorCase } from './error-case.js';

const MISSING_FOLDER = fileURLToPath(new URL('./no-such-folder', import.meta.url));

/** The error of a run against an API that returns the status. */
const runFailure = async (communication: unknown, type?: 'action', status = 404): Promise<never> => {
  const transport = async () => respond({ status, json: {} });
  const report = await engineOf(communication, { http: { transport }, ...(type && { type }) }).run();
  throw report.error;
};

/** The error of opening this stored connection. */
const openConnection = async (stored: unknown): Promise<unknown> =>
  createEngine({
    app: defineApp({ name: 'test' }),
    connections: { get: async () => stored as undefined, save: async () => {} },
  })
    .openConnection('work')
    .orThrow();

/** An OAuth connection of an API that returns the status. */
const oauth = (status = 400) => {
  const communication = {
    authorize: { url: 'https://api.example.com/authorize' },
    token: { url: 'https://api.example.com/token' },
    refresh: { url: 'https://api.example.com/token' },
  };
  const app = defineApp({ name: 'test', connections: { oauth: { type: 'oauth', communication } } });
  const transport = async () => respond({ status, json: { error: 'invalid_grant' } });
  return createEngine({ app, http: { transport } }).connection('oauth');
};

/** The error of an authorization that ends with this callback. `state` is the expected one by default. */
const completeWith = async (query: Readonly<Record<string, string>>, status?: number): Promise<unknown> => {
  const connection = oauth(status);
  const { url, pending } = await connection.authorize({ redirectUri: 'http://localhost/callback' }).orThrow();
  const state = new URL(url).searchParams.get('state') ?? '';
  return connection.complete(pending, { state, ...query }).orThrow();
};

export const APPS: readonly ErrorCase[] = [
  {
    code: 'SPEC_READ',
    title: 'a manifest names a folder as a file',
    provoke: () =>
      loadApp(
        writeApp({
          'makecomapp.json': { fileVersion: 1, generalCodeFiles: { base: 'src' }, components: {} },
          'src/x.txt': '',
        }),
      ),
    place: 'makecomapp.json#/generalCodeFiles/base:4:13',
  },
  {
    code: 'SPEC_JSON',
    title: 'an extra comma',
    provoke: () => readDocument('{\n  "url": "/x",,\n}', 'list.imljson'),
    place: 'list.imljson:2:15',
  },
  {
    code: 'SPEC_INVALID',
    title: 'modules in a list',
    provoke: () => defineApp(JSON.parse('{"name": "test", "modules": []}')),
    place: '#/modules',
  },
  {
    code: 'SPEC_MISSING',
    title: '`loadApp` of a missing folder',
    provoke: () => loadApp(MISSING_FOLDER),
  },
  {
    code: 'SPEC_MISSING',
    title: 'an unknown module',
    provoke: () => createEngine({ app: defineApp({ name: 'test' }) }).module('m'),
  },
  {
    code: 'HTTP_STATUS',
    title: 'a response with status 404',
    provoke: () => runFailure({ url: '/x' }),
    place: '#/modules/m/communication/url',
  },
  {
    code: 'APP_ERROR',
    title: 'an expression that throws',
    provoke: () => runFailure({ url: '/{{nope(1)}}' }),
    place: '#/modules/m/communication/url',
    cause: 'IML_UNKNOWN_FUNCTION',
  },
  {
    code: 'APP_ERROR',
    title: 'a header that cannot be sent',
    provoke: () => runFailure({ url: '/x', headers: { 'x y': '1' } }),
    place: '#/modules/m/communication/headers/x y',
    cause: 'REQUEST_INVALID',
  },
  {
    code: 'APP_ERROR',
    title: 'an action whose result is not an object',
    provoke: () => runFailure({ response: { output: 'sent' } }, 'action'),
    place: '#/modules/m/communication/response/output',
  },
  {
    code: 'HTTP_STATUS',
    title: 'a response with status 503 and a type in `response.error`',
    provoke: () =>
      runFailure({ url: '/x', response: { error: { type: 'DataError', message: 'Down.' } } }, undefined, 503),
    place: '#/modules/m/communication/response/error',
  },
  {
    code: 'APP_ERROR',
    title: 'a response that `response.valid` refuses',
    provoke: () => runFailure({ url: '/x', response: { valid: false } }, undefined, 200),
    place: '#/modules/m/communication/response/valid',
  },
  {
    code: 'NETWORK_FAILED',
    title: 'a run that cannot reach the API',
    provoke: async () => {
      const transport = () => Promise.reject(new TransportError('NETWORK_FAILED', 'The proxy is gone.'));
      throw (await engineOf({ url: '/x' }, { http: { transport } }).run()).error;
    },
    place: '#/modules/m/communication/url',
    cause: 'NETWORK_FAILED',
  },
  {
    code: 'OAUTH_CALLBACK',
    title: 'a callback with another state',
    provoke: () => completeWith({ state: 'x', code: 'c' }),
  },
  {
    code: 'OAUTH_CALLBACK',
    title: 'a callback with an error',
    provoke: () => completeWith({ error: 'access_denied' }),
    place: '#/connections/oauth/communication/authorize/response',
  },
  {
    code: 'OAUTH_TOKEN_REFUSED',
    title: 'a token request that the provider refuses',
    provoke: () => completeWith({ code: 'c' }),
    place: '#/connections/oauth/communication/token/response/error',
  },
  {
    code: 'OAUTH_TOKEN_REFUSED',
    title: 'a refresh that the provider refuses',
    provoke: () => oauth().refresh({ component: 'oauth', connection: {} }, { force: true }).orThrow(),
    place: '#/connections/oauth/communication/refresh/response/error',
    cause: 'OAUTH_TOKEN_REFUSED',
  },
  {
    code: 'HTTP_STATUS',
    title: 'a token request while the provider is down',
    provoke: () => completeWith({ code: 'c' }, 503),
    place: '#/connections/oauth/communication/token/response/error',
  },
  {
    code: 'CONNECTION_EXPIRED',
    title: 'a refresh after the expiration of the connection',
    provoke: () =>
      oauth()
        .refresh({ component: 'oauth', connection: {}, expires: new Date(0) }, {})
        .orThrow(),
  },
  {
    code: 'CONNECTION_MISSING',
    title: 'an unknown connection',
    provoke: () => openConnection(undefined),
  },
  {
    code: 'CONNECTION_OTHER_APP',
    title: 'a connection of another app',
    provoke: () => openConnection({ component: 'other', connection: {} }),
  },
  {
    code: 'PACKAGE_MISSING',
    title: 'a SQLite store without its driver',
    provoke: () => {
      const notFound = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      return loadPackages('A SQLite store', { libsql: () => Promise.reject(notFound) });
    },
    cause: 'ERR_MODULE_NOT_FOUND',
  },
  {
    code: 'USAGE',
    title: 'an invalid limit',
    provoke: () => createEngine({ app: defineApp({ name: 'test' }), limits: { maxPages: -1 } }),
  },
];

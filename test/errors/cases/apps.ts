import { fileURLToPath } from 'node:url';
import { readDocument } from '../../../src/engine/document/jsonc.js';
import { createEngine, defineApp, loadApp } from '../../../src/index.js';
import { loadPackages } from '../../../src/shared/errors/load-packages.js';
import { writeApp } from '../../app/temp-app.js';
import { engineOf, respond } from '../../run/helpers.js';
import type { ErrorCase } from './error-case.js';

const MISSING_FOLDER = fileURLToPath(new URL('./no-such-folder', import.meta.url));

/** The error of a run against an API that returns 404. */
const runFailure = async (communication: unknown, type?: 'action'): Promise<never> => {
  const transport = async () => respond({ status: 404, json: {} });
  const report = await engineOf(communication, { transport, ...(type && { type }) }).run();
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
    code: 'APP_ERROR',
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

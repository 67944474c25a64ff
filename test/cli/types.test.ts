import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const TSC = path.resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

const codeFiles = { mappableParams: 'params.json', interface: 'interface.json' };
const APP = {
  'makecomapp.json': {
    fileVersion: 1,
    generalCodeFiles: {},
    components: {
      module: {
        'list-orders': { moduleType: 'search', codeFiles },
        plain: { moduleType: 'action', codeFiles: {} },
      },
      rpc: { fields: { codeFiles: { params: 'rpc.json' } } },
      endpoint: { find: { codeFiles: { input: 'rpc.json', output: 'interface.json' } } },
      connection: { account: { connectionType: 'basic', codeFiles: { params: 'connection.json' } } },
    },
  },
  'params.json': [
    { name: 'status', label: 'Status */ of', type: 'select', options: ['open', 'done'], required: true },
    { name: 'limit', type: 'uinteger' },
    { name: 'since', type: 'date' },
    { name: 'help', type: 'banner', text: 'x' },
    { name: 'tags', type: 'array', spec: { type: 'text' } },
    {
      name: 'isDeep',
      type: 'boolean',
      nested: [{ name: 'depth "1"', type: 'number', required: true }],
    },
    'rpc://fields',
  ],
  'interface.json': [
    { name: 'id', type: 'number' },
    { name: 'lines', type: 'array', spec: [{ name: 'sku', type: 'text' }] },
    { name: 'file', type: 'collection', spec: [{ name: 'data', type: 'buffer' }] },
  ],
  'rpc.json': [{ name: 'table', type: 'text', required: true }],
  'connection.json': [{ name: 'apiKey', type: 'password', required: true }],
};

const USE = `
import type { AppTypes } from './app-types.js';
type Module = AppTypes['modules']['list-orders'];
export const all: Module['parameters'] = {
  status: 'open', limit: 2, since: new Date(), tags: ['a'], isDeep: true, 'depth "1"': 1, of: 'an RPC',
};
export const bundle: Module['bundle'] = { id: 1, lines: [{ sku: 'a' }], file: { data: new Uint8Array() } };
export const plain: AppTypes['modules']['plain']['bundle'] = { any: 1 };
export const rpc: AppTypes['rpcs']['fields']['parameters'] = { table: 'a' };
export const found: AppTypes['endpoints']['find'] = { parameters: { table: 'a' }, result: { id: 1 } };
export const account: AppTypes['connections']['account']['parameters'] = { apiKey: 'a' };
// @ts-expect-error The app has no webhooks.
export const webhook: keyof AppTypes['webhooks'] = 'any';
// @ts-expect-error The parameter is required.
export const missing: Module['parameters'] = {};
// @ts-expect-error The option does not exist.
export const option: Module['parameters'] = { status: 'other' };
// @ts-expect-error The member has another type.
export const member: Module['bundle'] = { lines: [{ sku: 1 }] };
`;

describe('iml types', () => {
  it('writes types of parameters, bundles and results that TypeScript checks', async () => {
    const cwd = writeApp(APP);
    expect(await cli(['types', '.', '-o', 'app-types.ts'], { cwd })).toMatchObject({ code: 0, out: '' });
    writeFileSync(path.join(cwd, 'use.ts'), USE);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
    const checked = (): string =>
      execFileSync(process.execPath, [TSC, ...options, '--ignoreConfig', 'use.ts'], {
        cwd,
        encoding: 'utf8',
      });
    expect(checked()).toBe('');
    const text = readFileSync(path.join(cwd, 'app-types.ts'), 'utf8');
    expect(text).toContain('      "parameters": {\n        /** Status *\\/ of */\n        "status": ');
    expect(await cli(['types'], { cwd })).toMatchObject({ code: 0, out: text });
  });

  it('reports a folder without an app', async () => {
    expect((await cli(['types', 'nowhere'], { cwd: writeApp({}) })).code).toBe(2);
  });
});

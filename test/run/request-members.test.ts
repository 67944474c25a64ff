import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, loadApp, type RunReport } from '../../src/index.js';
import { engineOf, service } from './helpers.js';

const BASE_URL = 'https://api.example.test';

/** Nested deeper than a form can be. */
const DEEP = JSON.parse(`${'[{"a":'.repeat(30)}1${'}]'.repeat(30)}`);

/** Runs a module with parameters that cannot be sent. */
async function run(communication: unknown, base: object = {}): Promise<RunReport> {
  const { transport } = service(() => ({ json: {} }));
  const test = engineOf(communication, { http: { transport }, base: { baseUrl: BASE_URL, ...base } });
  return test.run({
    parameters: { bytes: new Uint8Array(2), lists: [[1]], map: { a: 1 }, lines: 'a\nb', deep: DEEP },
  });
}

const inSpec = (pointer: string | undefined): string | undefined =>
  pointer?.replace('/modules/m/communication', '');

const pointerOf = async (communication: unknown, base?: object): Promise<string | undefined> =>
  inSpec((await run(communication, base)).error?.place?.pointer);

describe('an error about a member has its location', () => {
  const ok = { qs: { fine: 1 }, headers: { fine: 1 } };

  it.each([
    ['qs', { qs: { fine: 1, bad: '{{parameters.bytes}}' } }, '/qs/bad'],
    ['a list in qs', { qs: { 'a/b': '{{parameters.lists}}' } }, '/qs/a~1b'],
    ['headers', { headers: { fine: 1, 'x-bad': '{{parameters.lines}}' } }, '/headers/x-bad'],
    ['a name of headers', { headers: { 'x bad': 1 } }, '/headers/x bad'],
    [
      'a form',
      { method: 'POST', type: 'urlencoded', body: { fine: 1, bad: '{{parameters.deep}}' } },
      '/body/bad',
    ],
    [
      'parts',
      {
        method: 'POST',
        type: 'multipart/form-data',
        body: { bad: { value: 'x', options: { filename: '{{parameters.map}}' } } },
      },
      '/body/bad',
    ],
  ])('of %s', async (_, spec, pointer) => {
    expect(await pointerOf({ url: '/x', ...ok, ...spec })).toBe(pointer);
  });

  it.each([
    ['qs', { qs: { bad: '{{parameters.bytes}}' } }, '/qs/bad'],
    ['headers', { headers: { 'x-bad': '{{parameters.lines}}' } }, '/headers/x-bad'],
  ])('of %s of a follow-up page', async (_, pagination, pointer) => {
    const { transport } = service(() => ({ json: { items: [{ id: 1 }] } }));
    const spec = { url: '/x', ...ok, response: { iterate: '{{body.items}}' }, pagination };
    const report = await engineOf(spec, { http: { transport } }).run({
      parameters: { bytes: new Uint8Array(2), lines: 'a\nb' },
    });
    expect(inSpec(report.error?.place?.pointer)).toBe(`/pagination${pointer}`);
  });
});

describe('a member of the base', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'iml-members-'));
    await mkdir(path.join(folder, 'modules'));
    const write = (name: string, value: unknown): Promise<void> =>
      writeFile(path.join(folder, name), JSON.stringify(value, null, 2));
    await write('base.imljson', {
      baseUrl: BASE_URL,
      qs: { shared: '{{parameters.qs}}' },
      headers: { 'x-shared': '{{parameters.header}}' },
      body: { shared: '{{parameters.field}}' },
    });
    await write('modules/m.imljson', {
      url: '/x',
      method: 'POST',
      type: 'urlencoded',
      qs: {},
      body: { own: 1 },
    });
    const module = { moduleType: 'action', codeFiles: { communication: 'modules/m.imljson' } };
    await write('makecomapp.json', {
      fileVersion: 1,
      generalCodeFiles: { base: 'base.imljson' },
      components: { module: { m: module } },
    });
  });

  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['qs', { qs: [[1]] }, '/qs/shared'],
    ['headers', { header: 'a\nb' }, '/headers/x-shared'],
    ['body', { field: DEEP }, '/body/shared'],
  ])('is found there: %s', async (_, parameters, pointer) => {
    const { transport } = service(() => ({ json: {} }));
    const engine = createEngine({ app: await loadApp(folder), http: { transport }, checkParameters: false });
    const { error } = await engine.module('m').run({ parameters });
    expect(error?.place).toMatchObject({ file: 'base.imljson', pointer, line: expect.any(Number) });
  });
});

describe('a collection in qs', () => {
  it('is sent as its name, with one warning per run at its location', async () => {
    const { transport, requests } = service((_, call) => ({
      json: { items: call < 3 ? [{ id: call }] : [] },
    }));
    const spec = {
      url: '/x',
      qs: { test: '{{temp}}', list: ['{{temp}}', 'b'] },
      response: { iterate: '{{body.items}}' },
      pagination: { qs: { page: '{{pagination.page}}' } },
    };
    const report = await engineOf(spec, { http: { transport } }).run();
    expect(requests.map(({ url }) => url.split('?')[1])).toEqual([
      'test=&list=&list=b',
      'test=&list=&list=b&page=2',
      'test=&list=&list=b&page=3',
    ]);
    expect(report.warnings.map(({ code, place }) => [code, inSpec(place?.pointer)])).toEqual([
      ['qs-collection', '/qs/test'],
      ['qs-collection', '/qs/list'],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const BOOKSHOP = 'spec-fixtures/bookshop';

describe('iml info', () => {
  it('shows components with their types, labels, connections and parameters', async () => {
    const { code, out } = await cli(['info', BOOKSHOP]);
    expect(code).toBe(0);
    expect(out).toContain('modules (4)\n  listBooks    search     List books  (connection bookshopKey)\n');
    expect(out).toContain('      limit   uinteger  default 10\n');
    expect(out).toContain('      author     collection\n        name     text\n');
    expect(out).toContain(
      'connections (1)\n  bookshopKey  basic  Bookshop\n      apiKey  password  required\n',
    );
    expect(out).toContain('functions (1)\n  formatPrice\n');
    expect(out).toMatch(/no diagnostics at loading; iml check .* checks more\n/);
  });

  it('prints the same as JSON', async () => {
    const { out } = await cli(['info', BOOKSHOP, '--json']);
    const info = JSON.parse(out) as { modules: { name: string }[]; warnings: unknown[] };
    expect(info.modules.map((module) => module.name)).toEqual([
      'listBooks',
      'getBook',
      'createBook',
      'makeApiCall',
    ]);
    expect(info.modules[1]).toEqual({
      name: 'getBook',
      type: 'action',
      label: 'Get a book',
      description: 'Returns one book by its number.',
      connection: 'bookshopKey',
      parameters: [{ name: 'isbn', type: 'text', required: true, label: 'ISBN' }],
    });
    expect(info.warnings).toEqual([]);
  });

  it('reports diagnostics with file, line and column, and exits with 0', async () => {
    const cwd = writeApp({
      'shop/makecomapp.json': manifest({ list: 'list.iml.json' }),
      'shop/list.iml.json': '{\n  "url": "/x",\n  "methdo": "GET",\n  "qs": {"a": "{{if(}}"}\n}',
    });
    const { code, out } = await cli(['info', 'shop'], { cwd });
    expect(code).toBe(0);
    expect(out).toContain('loading has 3 findings; iml check shop reports all\n');
    const one = await cli(['info', 'shop', 'list'], { cwd });
    expect(one.code).toBe(0);
    expect(one.out).toContain('modules (1)\n  list');
    expect(one.out).toContain('shop/list.iml.json:3:3: warning: Unknown key "methdo"');
    expect(one.out).toMatch(/shop\/list\.iml\.json:4:\d+: error: .*\[syntax\]/);
  });

  it('shows one component with the diagnostics of its dependencies', async () => {
    const { code, out } = await cli(['info', BOOKSHOP, 'getBook']);
    expect(code).toBe(0);
    expect(out).toContain('modules (1)\n  getBook');
    expect(out).not.toContain('listBooks');
    expect(out).toContain('\nno findings\n');
    expect(await cli(['info', BOOKSHOP, 'getBok'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "getBook"?'),
    });
  });

  it('shows fields that come from an RPC, and items of arrays', async () => {
    const cwd = writeApp({
      'makecomapp.json': manifest({ list: 'list.iml.json' }, { mappableParams: 'params.json' }),
      'list.iml.json': { url: '/x' },
      'params.json': ['rpc://fields', { name: 'tags', type: 'array', spec: { name: 'tag', type: 'text' } }],
    });
    const { out } = await cli(['info', '.'], { cwd });
    expect(out).toContain('      -     rpc://fields\n      tags  array\n        tag  text\n');
  });

  it('shows the options of a field with their nested fields', async () => {
    const cwd = writeApp({
      'makecomapp.json': manifest({ list: 'list.iml.json' }, { mappableParams: 'params.json' }),
      'list.iml.json': { url: '/x' },
      'params.json': [
        {
          name: 'region',
          type: 'select',
          options: [
            { label: 'Europe', value: 'eu' },
            { label: 'same', value: 'same' },
            { label: 'Own', value: 'own', nested: [{ name: 'host', type: 'text', required: true }] },
          ],
        },
        {
          name: 'table',
          type: 'select',
          options: { store: 'rpc://tables', nested: [{ name: 'row', type: 'number' }] },
        },
        {
          name: 'loud',
          type: 'boolean',
          nested: { true: [{ name: 'how', type: 'text' }], false: [{ name: 'why', type: 'text' }] },
        },
        { type: 'html', label: '<p>To be read</p>' },
        { type: 'separator' },
        { name: 'many', type: 'select', options: Array.from({ length: 23 }, (_, value) => ({ value })) },
      ],
    });
    const { out } = await cli(['info', '.'], { cwd });
    expect(out).toContain(
      [
        '      region  select',
        '        = "eu"    Europe',
        '        = "same"',
        '        = "own"   Own',
        '            host  text  required',
        '      table   select   options from rpc://tables',
        '        with any value:',
        '          row  number',
        '      loud    boolean',
        '        while true:',
        '          how  text',
        '        while false:',
        '          why  text',
        '      many    select',
      ].join('\n'),
    );
    expect(out).toContain('        = 19\n        3 more: --json shows all\n');
    const json = JSON.parse((await cli(['info', '.', '--json'], { cwd })).out) as {
      modules: { parameters: object[] }[];
    };
    expect(json.modules[0]?.parameters).toMatchObject([
      {
        options: [
          { value: 'eu', label: 'Europe' },
          { value: 'same', label: 'same' },
          { value: 'own', label: 'Own', nested: [{ name: 'host', type: 'text', required: true }] },
        ],
      },
      { optionsFrom: 'rpc://tables', nested: [{ name: 'row' }] },
      { nested: [{ name: 'how' }], nestedWhenFalse: [{ name: 'why' }] },
      ...[{ type: 'html' }, { type: 'separator' }],
      { options: { length: 23 } },
    ]);
  });

  it.each([
    ['absent', 'There is no folder'],
    ['test/cli', 'There is no app in'],
  ])('exits with 2 for %s', async (folder, message) => {
    expect(await cli(['info', folder])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(message),
    });
  });

  it('exits with 1 for an app that cannot be loaded, with the source location', async () => {
    const cwd = writeApp({ 'makecomapp.json': manifest({ list: 'absent.iml.json' }) });
    const { code, err } = await cli(['info', '.'], { cwd });
    expect(code).toBe(1);
    expect(err).toContain('SpecError');
    expect(err).toMatch(/makecomapp\.json:\d+:\d+/);
    expect(err).toContain('SPEC_MISSING');
  });
});

function manifest(communications: Record<string, string>, more: Record<string, string> = {}): unknown {
  const modules = Object.entries(communications).map(([name, communication]) => [
    name,
    { label: name, moduleType: 'search', codeFiles: { communication, ...more } },
  ]);
  return { fileVersion: 1, generalCodeFiles: {}, components: { module: Object.fromEntries(modules) } };
}

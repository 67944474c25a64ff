import { describe, expect, it } from 'vitest';
import { parseForm as readParameters } from '../../src/engine/parameters/index.js';
import { listSecretPaths } from '../../src/engine/parameters/secret-values.js';

const pathsOf = (form: unknown, values: unknown): readonly string[] =>
  listSecretPaths(readParameters(form, () => ({})).elements, values);

const TEXT = { name: 'to', type: 'text' };
const PIN = { name: 'pin', type: 'password' };

describe('listSecretPaths', () => {
  it.each<[string, unknown, unknown, readonly string[]]>([
    ['a field of a secret type', [TEXT, PIN], { to: 'a', pin: 'b' }, ['/pin']],
    ['a name that says so', [{ name: 'apiKey', type: 'text' }], { apiKey: 'x' }, ['/apiKey']],
    ['what no field describes', [TEXT, 'rpc://more'], { to: 'a', 'a/b~c': 'x' }, ['/a~1b~0c']],
    [
      'a member of a collection that an RPC describes',
      [{ name: 'row', type: 'collection', spec: [TEXT, 'rpc://more'] }],
      { row: { to: 'a', code: 'x', inner: { deep: 'y' } } },
      ['/row/code', '/row/inner'],
    ],
    [
      'all of a collection whose fields are an RPC',
      [{ name: 'row', type: 'collection', spec: 'rpc://more' }],
      { row: { to: 'a', n: 1 } },
      ['/row/to', '/row/n'],
    ],
    [
      'all of a collection without fields',
      [{ name: 'row', type: 'collection' }],
      { row: { to: 'a' } },
      ['/row/to'],
    ],
    [
      'members of the items of an array',
      [{ name: 'rows', type: 'array', spec: [TEXT, PIN] }],
      { rows: [{ to: 'a', pin: 'b' }, { other: 'c' }] },
      ['/rows/0/pin', '/rows/1/other'],
    ],
    ['items of a secret type', [{ name: 'rows', type: 'array', spec: PIN }], { rows: ['a'] }, ['/rows']],
    [
      'items whose fields are an RPC, also where they are no collections',
      [{ name: 'rows', type: 'array', spec: 'rpc://more' }],
      { rows: ['a', { b: 'c' }] },
      ['/rows/0', '/rows/1/b'],
    ],
    [
      'what an expression is to give a collection',
      [{ name: 'row', type: 'collection', spec: [TEXT] }],
      { row: '{{1.row}}' },
      ['/row'],
    ],
    [
      'what names say inside of data',
      [{ name: 'data', type: 'any' }],
      { data: { a: [{ password: 'x', b: 1 }] } },
      ['/data/a/0/password'],
    ],
    [
      'a field nested in an option',
      [
        {
          name: 'how',
          type: 'select',
          options: [{ label: 'a', value: 'a', nested: [PIN, { name: 'shown', type: 'text' }] }],
        },
      ],
      { how: 'a', pin: 'x', shown: 'y' },
      ['/pin'],
    ],
    ['what is no collection at all', [TEXT], 'text', ['']],
  ])('lists %s', (_, form, values, expected) => {
    expect(pathsOf(form, values)).toEqual(expected);
  });

  it('lists no values of public fields', () => {
    const form = [
      TEXT,
      { name: 'row', type: 'collection', spec: [TEXT, { name: 'n', type: 'number' }] },
      { name: 'list', type: 'array', spec: { type: 'text' } },
      { name: 'many', type: 'select', multiple: true, options: 'rpc://many' },
      { name: 'data', type: 'json' },
    ];
    const values = { to: 'a', row: { to: 'b', n: 1 }, list: ['c'], many: ['d'], data: { e: ['f'] } };
    expect(pathsOf(form, values)).toEqual([]);
  });

  it('lists values that are nested too deep', () => {
    let value: unknown = 'x';
    for (let depth = 0; depth < 100; depth++) value = { a: value };
    const [path = ''] = pathsOf([{ name: 'data', type: 'any' }], { data: value });
    expect(path).toMatch(/^\/data(\/a)+$/);
  });
});

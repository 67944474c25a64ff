import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Module } from '../../src/index.js';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';

type ParameterElement = Awaited<ReturnType<Module['parameters']>>['static'][number];

/** Responses of the API by the name of the RPC. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  many: Array.from({ length: 130_000 }, (_, index) => ({ name: `f${index}`, type: 'text' })),
  most: Array.from({ length: 10_000 }, (_, index) => ({ name: `f${index}`, type: '?' })),
  objects: Array.from({ length: 4000 }, (_, id) => ({ value: { id }, nested: ['rpc://deeper'] })),
  fields: [{ name: 'extra', type: 'number' }, 'rpc://deeper'],
  deeper: [{ name: 'deep', type: 'text' }],
  self: ['rpc://self', { name: 'once', type: 'text' }],
  options: [
    { label: 'A', value: 'a', nested: ['rpc://deeper'] },
    { label: 'B', value: 'b', nested: ['rpc://fields'] },
  ],
};

function form(parts: { readonly fixed?: unknown; readonly mappable?: unknown; readonly output?: unknown }): {
  readonly list: (
    parameters?: Record<string, unknown>,
    resolve?: boolean,
  ) => ReturnType<Module['parameters']>;
  readonly asked: () => readonly string[];
} {
  const { transport, requests } = service(({ url }) => {
    const answer = ANSWERS[new URL(url).pathname.slice(1)];
    return answer === undefined ? { status: 404, json: {} } : { json: answer };
  });
  const rpcs = Object.fromEntries(
    [...Object.keys(ANSWERS), 'broken'].map((name) => [
      name,
      { communication: { url: `/${name}`, qs: { t: '{{parameters.t}}' }, response: { output: '{{body}}' } } },
    ]),
  );
  const { fixed, mappable, output } = parts;
  const module = { type: 'action' as const, communication: { url: '/x' } };
  const { engine } = engineOf(
    {
      modules: { act: { ...module, staticParams: fixed, mappableParams: mappable, interface: output } },
      rpcs,
    },
    { http: { transport } },
  );
  return {
    list: (parameters, resolve = true) => engine.module('act').parameters({ parameters, resolve }),
    asked: () => requests.map(({ url }) => url.slice('https://api.example.test/'.length)),
  };
}

const names = (elements: readonly ParameterElement[] | undefined): unknown =>
  elements?.map((element) => (element.kind === 'reference' ? element.text : element.name));

describe('the form of a module', () => {
  it('is listed as written, without requests', async () => {
    const { list, asked } = form({
      fixed: [{ name: 'a', type: 'text' }],
      mappable: 'rpc://fields',
      output: ['rpc://deeper'],
    });
    const listed = await list({}, false);
    expect([names(listed.static), names(listed.mappable)]).toEqual([['a'], ['rpc://fields']]);
    expect(listed.metadata).toEqual({
      parameters: [{ name: 'a', type: 'text' }],
      expect: ['rpc://fields'],
      interface: ['rpc://deeper'],
    });
    expect(asked()).toEqual([]);
  });

  it('includes results of RPCs on request: fields, whole lists, nested lists, the interface', async () => {
    const { list, asked } = form({
      fixed: ['rpc://fields?t={{parameters.table}}', { name: 'z', type: 'text' }],
      mappable: 'rpc://deeper',
      output: 'rpc://deeper',
    });
    const listed = await list({ table: 'x' });
    expect(names(listed.static)).toEqual(['extra', 'deep', 'z']);
    expect(names(listed.mappable)).toEqual(['deep']);
    expect(listed.metadata.interface).toEqual([{ name: 'deep', type: 'text' }]);
    expect(asked()).toEqual(['fields?t=x', 'deeper', 'deeper', 'deeper']);
    expect(listed.failures).toEqual([]);
  });

  it('includes options, and the nested fields of chosen ones', async () => {
    const { list, asked } = form({
      mappable: [{ name: 'kind', type: 'select', options: 'rpc://options' }],
    });
    const options = async (parameters: Record<string, unknown>): Promise<unknown> => {
      const [field] = (await list(parameters)).mappable;
      return field?.kind === 'parameter'
        ? field.choices?.options?.map(({ value, nested }) => [value, names(nested)])
        : undefined;
    };
    expect(await options({})).toEqual([
      ['a', ['rpc://deeper']],
      ['b', ['rpc://fields']],
    ]);
    expect(await options({ kind: 'a' })).toEqual([
      ['a', ['deep']],
      ['b', ['rpc://fields']],
    ]);
    expect(asked()).toEqual(['options', 'options', 'deeper']);
  });

  it('loads only the nested fields that the values show', async () => {
    const placeholder = { label: 'Choose', nested: ['rpc://fields'] };
    const store = [{ value: 'a', nested: [{ name: 'own' }] }, { value: 'b' }];
    const kind = { name: 'kind', type: 'select', nested: ['rpc://deeper'], options: { placeholder, store } };
    for (const [parameters, expected] of [
      [{ kind: 'a' }, []],
      [{ kind: 'b' }, ['deeper']],
      [{}, ['fields', 'deeper']],
    ] as const) {
      const { list, asked } = form({ mappable: [kind] });
      await list(parameters);
      expect(asked()).toEqual(expected);
    }
  });

  it('includes fields of collections and arrays, and fields nested in a filled field', async () => {
    const { list } = form({
      mappable: [
        { name: 'c', type: 'collection', spec: ['rpc://deeper'] },
        { name: 'l', type: 'array', spec: { type: 'select', options: 'rpc://options' } },
        { name: 'on', type: 'boolean', nested: ['rpc://deeper'] },
        { name: 'off', type: 'boolean', nested: ['rpc://deeper'] },
      ],
    });
    const { mappable } = await list({ on: true });
    const [c, l, on, off] = mappable.map((field) => (field.kind === 'parameter' ? field : undefined));
    expect(c?.spec?.kind === 'fields' && names(c.spec.fields)).toEqual(['deep']);
    expect(l?.spec?.kind === 'item' && l.spec.item.choices?.options?.length).toBe(2);
    expect([names(on?.nested), names(off?.nested)]).toEqual([['deep'], ['rpc://deeper']]);
  });

  it('keeps references that fail to resolve, and reports the reason', async () => {
    const { list } = form({
      mappable: [
        'rpc://broken',
        'rpc://nowhere',
        { name: 'c', type: 'collection', spec: ['rpc://broken'] },
        { name: 'after', type: 'text' },
      ],
    });
    const { mappable, failures } = await list();
    expect(names(mappable)).toEqual(['rpc://broken', 'rpc://nowhere', 'c', 'after']);
    expect(failures.map(({ text, path, error }) => [text, path, error.name])).toEqual([
      ['rpc://broken', '', 'RuntimeError'],
      ['rpc://nowhere', '', 'InvalidConfigurationError'],
      ['rpc://broken', 'c', 'RuntimeError'],
    ]);
  });

  it('truncates the fields of an RPC result at a limit, and reports this', async () => {
    const { list } = form({ fixed: ['rpc://most'], mappable: ['rpc://many'] });
    const listed = await list();
    expect(listed.static).toHaveLength(10_000);
    expect(listed.warnings).toHaveLength(101);
    expect(names(listed.mappable)).toEqual(['rpc://many']);
    expect(listed.failures.map(({ error }) => [error.code, error.message])).toEqual([
      ['SPEC_INVALID', 'More than 10000 fields and options in an RPC result.'],
    ]);
  });

  it('finds options that are collections by their content', async () => {
    const { list, asked } = form({
      mappable: [{ name: 'o', type: 'select', multiple: true, options: 'rpc://objects' }],
    });
    const o = Array.from({ length: 4000 }, (_, index) => ({ id: 3999 + index }));
    const [field] = (await list({ o })).mappable;
    const options = field?.kind === 'parameter' ? (field.choices?.options ?? []) : [];
    expect(names(options.at(-1)?.nested)).toEqual(['deep']);
    expect(asked()).toEqual(['objects', 'deeper']);
  });

  it('reports values that are too many to be searched for secrets', async () => {
    const { list } = form({ mappable: [{ name: 'o', type: 'select', options: 'rpc://options' }] });
    const wide = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`n${index}`, index]));
    expect((await list(wide)).failures).toMatchObject([{ error: { name: 'BundleValidationError' } }]);
  });

  it('shows an RPC the values around it, and those inside of a collection before them', async () => {
    const { list, asked } = form({
      mappable: [
        { name: 'c', type: 'collection', spec: ['rpc://fields?t={{parameters.table}}{{parameters.x}}'] },
      ],
    });
    await list({ table: 'outer', x: 1, c: { table: 'inner' } });
    expect(asked()).toEqual(['fields?t=inner1', 'deeper']);
  });

  it('ends where a list names itself, and after 100 calls', async () => {
    const circle = form({ mappable: ['rpc://self'] });
    expect(names((await circle.list()).mappable)).toEqual(['rpc://self', 'once']);
    const many = form({ mappable: Array.from({ length: 103 }, () => 'rpc://deeper') });
    const { mappable, failures } = await many.list();
    expect([mappable.length, failures.length, many.asked().length]).toEqual([103, 3, 100]);
  });
});

it('calls up to four RPCs of a form at the same time and keeps the order of fields and failures', async () => {
  const { transport } = service(({ url }) =>
    url.endsWith('fails') ? { status: 404, json: {} } : { json: [{ name: url.at(-1), type: 'text' }] },
  );
  let inFlight = 0;
  let most = 0;
  const names = ['a', 'b', 'first-fails', 'c', 'd', 'e', 'last-fails', 'f'];
  const { engine } = engineOf(
    {
      modules: { act: { type: 'action', mappableParams: names.map((name) => `rpc://${name}`) } },
      rpcs: Object.fromEntries(
        names.map((name) => [name, { communication: { url: `/${name}`, response: { output: '{{body}}' } } }]),
      ),
    },
    {
      http: {
        transport: async (request) => {
          inFlight++;
          most = Math.max(most, inFlight);
          // Later responses arrive first.
          await setTimeout(request.url.endsWith('-fails') ? 1 : 20 - 4 * inFlight);
          inFlight--;
          return transport(request);
        },
      },
    },
  );
  const { mappable, failures } = await engine.module('act').parameters({ parameters: {}, resolve: true });
  expect(most).toBe(4);
  expect(mappable.map((element) => (element.kind === 'reference' ? element.text : element.name))).toEqual(
    names.map((name) => (name.endsWith('fails') ? `rpc://${name}` : name)),
  );
  expect(failures.map(({ text }) => text)).toEqual(['rpc://first-fails', 'rpc://last-fails']);
});

import { describe, expect, it } from 'vitest';
import { engineOf, service } from './helpers.js';

/** Runs a search with one response whose body has `list`. */
function runOn(response: object, list: unknown) {
  const { transport } = service(() => ({ json: { list } }));
  return engineOf({ url: '/items', response }, { http: { transport } }).run();
}

const bundlesOf = async (response: object, list: unknown): Promise<unknown> => {
  const { bundles, error } = await runOn(response, list);
  expect(error).toBeUndefined();
  return bundles;
};

const ITEMS = [{ id: 1 }, { id: 2 }, { id: 3 }];

describe('iterate', () => {
  it('returns one bundle per item, and exposes the first and the last item to later expressions', async () => {
    const { transport, requests } = service((_request, call) => ({ json: call === 1 ? ITEMS : [] }));
    const communication = {
      url: '/items',
      response: { iterate: '{{body}}', output: { id: '{{item.id}}' } },
      pagination: { qs: { ends: '{{iterate.container.first.id}}-{{iterate.container.last.id}}' } },
    };
    const { bundles } = await engineOf(communication, { http: { transport } }).run();
    expect(bundles).toEqual(ITEMS);
    expect(new URL(requests[1]?.url ?? '').searchParams.get('ends')).toBe('1-3');
  });

  it('skips items without an output and items that do not meet the condition', async () => {
    const list = [{ v: { id: 1 } }, {}, { v: null }, { v: { id: 2 }, no: true }, { v: { id: 3 } }];
    const iterate = { container: '{{body.list}}', condition: '{{!item.no}}' };
    expect(await bundlesOf({ iterate, output: '{{item.v}}' }, list)).toEqual([{ id: 1 }, { id: 3 }]);
  });

  it.each([
    ['a collection', { a: 1 }, [{ a: 1 }]],
    ['null', null, []],
    ['nothing', undefined, []],
    ['an empty text', '', []],
  ])('accepts %s', async (_, list, bundles) => {
    expect(await bundlesOf({ iterate: '{{body.list}}' }, list)).toEqual(bundles);
  });

  it.each(['text', 5, true])('rejects %j', async (list) => {
    expect((await runOn({ iterate: '{{body.list}}' }, list)).error).toMatchObject({
      type: 'RuntimeError',
      message: expect.stringMatching(/^An array is expected to iterate over, not /),
    });
  });

  it('sets `item` only inside of iterate', async () => {
    const { transport, requests } = service((_request, call) => ({ json: call === 1 ? ITEMS : [] }));
    const pagination = { qs: { last: 'x{{item.id}}' } };
    const communication = { url: '/items', response: { iterate: '{{body}}' }, pagination };
    expect((await engineOf(communication, { http: { transport } }).run()).bundles).toEqual(ITEMS);
    expect(new URL(requests[1]?.url ?? '').searchParams.get('last')).toBe('x');
  });
});

describe('a response without iterate', () => {
  it.each([
    ['nothing', undefined, []],
    ['null', null, []],
    ['a collection', { a: 1 }, [{ a: 1 }]],
    ['a list', [{ id: 1 }, null, { id: 2 }], [{ id: 1 }, { id: 2 }]],
  ])('returns its output, one bundle per element of a list: %s', async (_, list, bundles) => {
    expect(await bundlesOf({ output: '{{body.list}}' }, list)).toEqual(bundles);
  });

  it.each([1, 2, 3, 4])('counts the elements of a list against `limit`: %i', async (limit) => {
    expect(await bundlesOf({ limit, output: '{{body.list}}' }, ITEMS)).toEqual(ITEMS.slice(0, limit));
  });

  it('counts anything else as one record', async () => {
    expect(await bundlesOf({ limit: 1, output: '{{body.list}}' }, { length: 7 })).toEqual([{ length: 7 }]);
  });

  it.each([1, 2, 4])('cuts a list at the limit of records and warns: %i', async (maxRecords) => {
    const { transport } = service((_request, call) => (call === 1 ? { json: { list: ITEMS } } : {}));
    const communication = {
      url: '/items',
      response: { output: '{{body.list}}' },
      pagination: { qs: { page: '{{pagination.page}}' } },
    };
    const run = engineOf(communication, { http: { transport }, limits: { maxRecords } }).run;
    const { bundles, warnings } = await run();
    expect(bundles).toEqual(ITEMS.slice(0, maxRecords));
    expect(warnings.some(({ code }) => code === 'limit-reached')).toBe(maxRecords < 3);
  });
});

import { describe, expect, it } from 'vitest';
import { compileResponse } from '../../src/engine/document/compile-request.js';
import {
  collectOutputs,
  countRecords,
  listBundles,
  type Page,
  singlePage,
} from '../../src/engine/run/collect-outputs.js';
import { toEnvironment } from '../../src/language/environment.js';
import { contextOf } from './context-of.js';

async function collect(response: unknown, body: unknown, wanted = 10) {
  const spec = compileResponse(response, { environment: toEnvironment({}), functions: {} });
  return collectOutputs(spec, wanted, contextOf({ body }));
}

async function pageOf(response: unknown, body: unknown, wanted = 10): Promise<Page> {
  return (await collect(response, body, wanted)).page;
}

const ITEMS = [{ id: 1 }, { id: 2 }, { id: 3 }];

describe('a response that is taken apart', () => {
  it('gives an output an item, and the first and the last one to what comes after', async () => {
    const { page, context } = await collect({ iterate: '{{body}}', output: '{{item.id}}' }, ITEMS);
    expect(page).toEqual({
      isIterated: true,
      outputs: [1, 2, 3],
      keys: [],
      held: 3,
      isEmpty: false,
      isCut: false,
    });
    expect(context.scope['iterate']).toEqual({ container: { first: { id: 1 }, last: { id: 3 } } });
  });

  it.each([
    [0, [], true],
    [2, [1, 2], true],
    [3, [1, 2, 3], false],
    [4, [1, 2, 3], false],
  ])('gives %i at most', async (wanted, outputs, isCut) => {
    expect(await pageOf({ iterate: '{{body}}', output: '{{item.id}}' }, ITEMS, wanted)).toMatchObject({
      outputs,
      isCut,
      held: 3,
    });
  });

  it('passes over items that give nothing or do not meet the condition', async () => {
    const body = [{ id: 1 }, {}, { id: null }, { id: 2, no: true }, { id: 3 }];
    const iterate = { container: '{{body}}', condition: '{{!item.no}}' };
    expect(await pageOf({ iterate, output: '{{item.id}}' }, body)).toMatchObject({
      outputs: [1, 3],
      held: 5,
      isCut: false,
    });
  });

  it('tells what identifies each output of a trigger', async () => {
    const trigger = { id: '{{item.id}}', date: '{{item.at}}' };
    const body = [{ id: 1, at: 'x' }, { id: 2, no: true }, { id: 3 }];
    const iterate = { container: '{{body}}', condition: '{{!item.no}}' };
    expect((await pageOf({ iterate, trigger }, body)).keys).toEqual([
      { id: 1, date: 'x' },
      { id: 3, date: undefined },
    ]);
  });

  it.each([
    ['a collection', { a: 1 }, [{ a: 1 }]],
    ['null', null, []],
    ['nothing', undefined, []],
    ['an empty text', '', []],
  ])('may be %s', async (_, body, outputs) => {
    expect(await pageOf({ iterate: '{{body}}' }, body)).toMatchObject({
      outputs,
      isEmpty: outputs.length === 0,
    });
  });

  it.each(['text', 5, true])('may not be %j', async (body) => {
    await expect(collect({ iterate: '{{body}}' }, body)).rejects.toMatchObject({
      type: 'RuntimeError',
      message: expect.stringMatching(/^An array is expected to iterate over, not /),
    });
  });
});

describe('a response that is not taken apart', () => {
  it.each([
    ['nothing', undefined, [], true],
    ['null', null, [], true],
    ['an empty text', '', [''], true],
    ['an empty list', [], [[]], true],
    ['an empty collection', {}, [{}], true],
    ['false', false, [], false],
    ['0', 0, [0], false],
    ['a text', 'a', ['a'], false],
    ['a list', [1], [[1]], false],
    ['a collection', { a: 1 }, [{ a: 1 }], false],
  ])('puts its body out where no output is written: %s', async (_, body, outputs, isEmpty) => {
    expect(await pageOf({}, body)).toMatchObject({ isIterated: false, outputs, isEmpty });
  });

  it.each([
    [0, { outputs: [], held: 0, isCut: true }],
    [1, { outputs: [[1]], held: 3, isCut: true }],
    [2, { outputs: [[1, 2]], held: 3, isCut: true }],
    [3, { outputs: [[1, 2, 3]], held: 3, isCut: false }],
  ])('counts the items of a list that is put out: %i', async (wanted, expected) => {
    expect(await pageOf({ output: '{{body.list}}' }, { list: [1, 2, 3] }, wanted)).toMatchObject(expected);
  });

  it('counts anything else as one', async () => {
    expect(await pageOf({}, { length: 7 }, 1)).toMatchObject({ held: 1, isCut: false });
  });

  it('tells what identifies its output', async () => {
    const response = { output: '{{body.x}}', trigger: { id: '{{body.id}}', date: '{{body.at}}' } };
    expect((await pageOf(response, { x: 1, id: 5, at: 'd' })).keys).toEqual([{ id: 5, date: 'd' }]);
    expect((await pageOf(response, { id: 5 })).keys).toEqual([]);
    expect((await pageOf({}, { id: 5 })).keys).toEqual([]);
  });
});

describe('a page', () => {
  it('of a single value has none where there is no value', () => {
    expect(singlePage(undefined).outputs).toEqual([]);
    expect(singlePage(null).outputs).toEqual([]);
    expect(singlePage(0)).toEqual({
      isIterated: false,
      outputs: [0],
      keys: [],
      held: 0,
      isEmpty: false,
      isCut: false,
    });
  });

  it('has a bundle an item, or one an element of the list that is its only output', () => {
    const list = singlePage([1, null, [2], undefined, 3]);
    expect([listBundles(list), countRecords(list)]).toEqual([[1, [2], 3], 5]);
    const iterated = { ...list, isIterated: true, outputs: [[1, 2], 3] };
    expect([listBundles(iterated), countRecords(iterated)]).toEqual([[[1, 2], 3], 2]);
    expect([listBundles(singlePage({ a: 1 })), countRecords(singlePage({ a: 1 }))]).toEqual([[{ a: 1 }], 1]);
  });
});

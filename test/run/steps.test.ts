import { describe, expect, it } from 'vitest';
import { engineOf, service } from './helpers.js';

const records = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `Name ${id}` }));
const LIMITS = { maxSteps: 50_000 };

describe('what is more work at a time than limits.maxSteps allows', () => {
  it.each([
    ['createJSON(body)'],
    ['join(map(body; "name"); ",")'],
    ['sort(body; "desc"; "name")'],
    ['distinct(body)'],
    ['replace(toString(map(body; "name")); "/N/g"; "n")'],
    ['toString(toArray(body))'],
  ])('ends the run at the expression %s', async (expression) => {
    const { transport } = service(() => ({ json: records }));
    const communication = { url: '/x', response: { output: `{{${expression}}}` } };
    const { error } = await engineOf(communication, { transport, limits: LIMITS }).run();
    expect(error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/response/output' },
    });
    expect(error?.message).toContain('limits.maxSteps');
    const { error: none } = await engineOf(communication, { transport }).run();
    expect(none).toBeUndefined();
  });

  it.each([
    ['json', '{{temp.records}}'],
    ['urlencoded', { records: '{{temp.records}}' }],
    ['multipart/form-data', { records: '{{temp.records}}' }],
    ['text', '{{temp.records}}'],
  ])('ends the run at a body of type %s', async (type, body) => {
    const { transport, requests } = service(() => ({ json: records }));
    const communication = [
      { url: '/records', response: { temp: { records: '{{body}}' } } },
      { url: '/x', method: 'POST', type, body },
    ];
    const { error } = await engineOf(communication, { transport, limits: LIMITS }).run();
    expect(error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/1/body' },
    });
    expect(requests).toHaveLength(1);
    const { error: none } = await engineOf(communication, { transport }).run();
    expect(none).toBeUndefined();
  });

  it('ends the run before parameters are looked through', async () => {
    const parameters = Object.fromEntries(records.map(({ id }) => [`name${id}`, id]));
    const run = async (maxSteps: number): Promise<unknown> =>
      (await engineOf({ response: { output: 1 } }, { limits: { maxSteps } }).run({ parameters })).error;
    expect(await run(100_000)).toMatchObject({ type: 'BundleValidationError' });
    expect(await run(2_000_000)).toBeUndefined();
  });

  it('is counted over all expressions of a request', async () => {
    const { transport } = service(() => ({ json: {} }));
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const qs = Object.fromEntries(names.map((name) => [name, '{{length(join(parameters.list))}}']));
    const list = Array.from({ length: 1000 }, (_, index) => index);
    const run = async (maxSteps: number): Promise<unknown> =>
      (await engineOf({ url: '/x', qs }, { transport, limits: { maxSteps } }).run({ parameters: { list } }))
        .error;
    expect(await run(100_000)).toBeUndefined();
    expect(await run(20_000)).toMatchObject({ type: 'RuntimeError' });
  });

  it('is counted anew for each item', async () => {
    const { transport } = service(() => ({ json: records.slice(0, 2000) }));
    const response = { iterate: '{{body}}', output: '{{createJSON(item)}}' };
    const { bundles } = await engineOf({ url: '/x', response }, { transport, limits: LIMITS }).run();
    expect(bundles).toHaveLength(2000);
  });

  it('lets anything pass where it is Infinity', async () => {
    const { transport } = service(() => ({ json: records }));
    const limits = { maxSteps: Number.POSITIVE_INFINITY };
    const response = { output: '{{length(createJSON(body))}}' };
    const { error } = await engineOf({ url: '/x', response }, { transport, limits }).run();
    expect(error).toBeUndefined();
  });
});

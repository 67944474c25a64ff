import { describe, expect, it } from 'vitest';
import { fakeSecret } from '../../src/tools/testing/cases/placeholders.js';
import { type CaseReading, readCase } from '../../src/tools/testing/cases/read-case.js';

const read = (text: string): Promise<CaseReading> =>
  readCase(text, {
    file: 'tests/list/one.test.json',
    name: 'list/one',
    readBody: async (name) =>
      name === 'page.json'
        ? { ok: true, bytes: Buffer.from('{"id": 1}') }
        : { ok: false, problem: 'is not in one.bodies/' },
  });

/** Errors as `line:column message`. */
const problemsOf = async (text: string): Promise<readonly string[]> => {
  const reading = await read(text);
  if (reading.ok) return [];
  return reading.errors.map(({ message, place }) => `${place?.line}:${place?.column} ${message}`);
};

describe('readCase', () => {
  it('reads JSON with comments', async () => {
    const reading = await read('// one\n{ "component": "module:list", "expect": { "bundleCount": 0, }, }');
    expect(reading.ok && reading.case.name).toBe('list/one');
  });

  it('fills in fake secrets and bodies, and keeps the written case', async () => {
    const text = JSON.stringify({
      component: 'module:list',
      input: { connection: { apiKey: '{{secret:apiKey}}' } },
      exchanges: [{ request: { bodyFile: 'page.json' }, response: { bodyFile: 'page.json' } }],
      expect: { bundleCount: 1 },
    });
    const reading = await read(text);
    if (!reading.ok) throw reading.errors[0];
    const { written, played } = reading.case;
    expect(written).toEqual(JSON.parse(text));
    expect(played.input?.connection).toEqual({ apiKey: fakeSecret('apiKey') });
    expect(played.exchanges?.[0]).toEqual({
      request: { body: { id: 1 } },
      response: { bodyText: '{"id": 1}', headers: { 'content-type': 'application/json' } },
    });
  });

  it('fills in placeholders of the case: numbers for whole texts, and member names', async () => {
    const text = JSON.stringify({
      component: 'module:list',
      secrets: { pin: 4711, region: 'abc-us1' },
      input: {
        connection: {
          pin: '{{secret:pin}}',
          key: 'x-{{secret:region}}',
          both: '{{secret:pin}}/{{secret:key}}',
        },
      },
      exchanges: [{ response: { body: { '{{secret:key}}': 1 } } }],
      expect: { bundleCount: 1 },
    });
    const reading = await read(text);
    if (!reading.ok) throw reading.errors[0];
    const { played } = reading.case;
    expect(played.input?.connection).toEqual({
      pin: 4711,
      key: 'x-abc-us1',
      both: `4711/${fakeSecret('key')}`,
    });
    expect(played.exchanges?.[0]?.response?.body).toEqual({ [fakeSecret('key')]: 1 });
  });

  it.each([
    ['no JSON', '{ "component": }', '1:16 Expected a value, found }.'],
    ['no object', '[]', '1:1 A case must be an object.'],
    [
      'no component',
      '{ "expect": { "bundleCount": 1 } }',
      '1:1 The case names no component, such as "component": "module:listOrders".',
    ],
    [
      'a component that is none',
      '{ "component": "list", "expect": { "bundleCount": 1 } }',
      /^1:16 component must be a component such as module:NAME/,
    ],
    [
      'an unknown member',
      '{ "component": "module:list",\n  "expect": { "bundelCount": 1 } }',
      '2:15 Unknown member "bundelCount". Did you mean "bundleCount"?',
    ],
    [
      'an unknown matcher',
      '{ "component": "module:list",\n  "expect": { "bundles": [{ "id": { "$regx": "a" } }] } }',
      '2:37 Unknown matcher "$regx". Did you mean "$regex"?',
    ],
    [
      'a matcher with a wrong argument',
      '{ "component": "module:list", "expect": { "bundles": [{ "id": { "$regex": "(" } }] } }',
      '1:65 $regex needs a regular expression that is not empty.',
    ],
    [
      'a member written twice',
      '{ "component": "module:list", "component": "module:b", "expect": { "bundleCount": 1 } }',
      '1:31 The member "component" is written twice; only the last one counts.',
    ],
    [
      'no expectation',
      '{ "component": "module:list", "expect": {} }',
      '1:41 The case has no expectation and cannot fail.',
    ],
    [
      'a part that any value has',
      '{ "component": "module:list", "expect": { "bundles": { "$contains": [] } } }',
      '1:56 $contains needs a part of the value that is not empty.',
    ],
    [
      'a path that skips an expectation',
      '{ "component": "module:list", "ignore": ["bundles"], "expect": { "bundles": [1] } }',
      '1:42 It skips the whole of expect.bundles. Remove one of them.',
    ],
    [
      'a dispute without a reason',
      '{ "component": "module:list", "disputed": false, "expect": { "bundleCount": 1 } }',
      '1:43 disputed must be string.',
    ],
    ['no expect', '{ "component": "module:list" }', '1:1 The case lacks the member "expect".'],
    [
      'a value of another type',
      '{ "component": "module:list", "expect": { "bundleCount": "1" } }',
      /^1:58 expect\.bundleCount must be integer or must be object\.$/,
    ],
    [
      'a body file that is missing',
      '{ "component": "module:list", "exchanges": [{ "response": { "bodyFile": "b.json" } }], "expect": { "bundleCount": 1 } }',
      '1:73 The body file "b.json" is not in one.bodies/.',
    ],
    [
      'two bodies',
      '{ "component": "module:list", "exchanges": [{ "response": { "body": 1, "bodyFile": "page.json" } }], "expect": { "bundleCount": 1 } }',
      '1:84 The response has bodyFile and body, which exclude each other.',
    ],
  ])('refuses %s with its location', async (_title, text, problem) => {
    const problems = await problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/index.js';
import { readCaseLists } from '../../src/tools/testing/conformance/run-cases.js';
import { type Fixture, runFixture } from '../../src/tools/testing/index.js';

const FIXTURE: Fixture = {
  name: 'one',
  kind: 'action',
  app: { communication: { url: 'https://a.example/x', response: { output: '{{body}}' } } },
  input: {},
  exchanges: [{ request: { method: 'GET' }, response: { status: 200, body: { a: 1 } } }],
  expect: { bundles: [{ a: 1 }] },
};

describe('runFixture', () => {
  it('runs a valid fixture and reports an invalid one', async () => {
    expect(await runFixture(FIXTURE)).toEqual([]);
  });

  it.each<[string, object]>([
    ['a misspelt expectation', { expect: { bundels: [{ a: 2 }] } }],
    ['a kind nobody runs', { kind: 'actoin' }],
    ['a component type nobody runs', { component: { type: 'endpoint', name: 'x' } }],
    ['a member of an exchange nobody reads', { exchanges: [{ requests: {}, response: {} }] }],
  ])('refuses %s instead of passing', async (_title, change) => {
    const fixture = { ...FIXTURE, ...change } as Fixture; // as a file might hold it
    expect(await runFixture(fixture)).toEqual([expect.stringMatching(/^Invalid fixture: /)]);
  });

  it('refuses a path of ignore that skips nothing', async () => {
    const expected = { bundles: [{ a: 2 }] };
    const ignore = ['bundles.*.a'];
    expect(await runFixture({ ...FIXTURE, expect: expected, ignore })).toEqual([]);
    const exchanges = [
      { ...FIXTURE.exchanges?.[0], request: { url: 'https://a.example/x', headers: { accept: 'x' } } },
    ];
    const skipped = { ...FIXTURE, exchanges, ignore: ['request.headers.accept', 'expect.bundles.*.b'] };
    expect(await runFixture(skipped)).toEqual([
      'ignore expect.bundles.*.b: expected "a value to skip", got nothing',
    ]);
  });

  it.each([
    ['endless recursion', '($f := function($n) { $f($n + 1) }; $f(0))', 'timeout after 5000 milliseconds'],
    ['deep recursion', '($f := function($n) { 1 + $f($n + 1) }; $f(0))', 'Stack overflow'],
    ['a long list', '$count([1..1000000]) > 0', 'maximum sequence length'],
  ])('ends a query with %s and reports why', async (_title, query, reason) => {
    const fixture = { ...FIXTURE, expect: { query } };
    expect((await runFixture(fixture)).join()).toContain(reason);
  });

  it('matches regular expressions of a case in bounded time', async () => {
    const body = { text: `${'a'.repeat(50)}c` };
    const exchanges = [{ request: {}, response: { body } }];
    const expectText = (pattern: string) =>
      runFixture({ ...FIXTURE, exchanges, expect: { bundles: [{ text: { $regex: pattern } }] } });
    expect(await expectText('^(a+)+c$')).toEqual([]);
    expect(await expectText('^(a+)+$')).toHaveLength(1);
    const query = '$contains(bundles[0].text, /^(a+)+$/) = false';
    expect(await runFixture({ ...FIXTURE, exchanges, expect: { query } })).toEqual([]);
  });

  it('checks parameters as a run does if the fixture requests it', async () => {
    const communication = { url: 'https://a.example/{{parameters.n + 1}}', response: { output: '{{body}}' } };
    const app = defineApp({
      name: 'app',
      modules: { m: { communication, mappableParams: [{ name: 'n', type: 'number', required: true }] } },
    });
    const { app: _parts, ...rest } = FIXTURE;
    const run = (input: Fixture['input']) =>
      runFixture(
        {
          ...rest,
          component: { type: 'module', name: 'm' },
          input,
          exchanges: [{ request: { url: 'https://a.example/3' }, response: { body: { a: 1 } } }],
        },
        app,
      );
    expect(await run({ parameters: { n: '2' }, checkParameters: true })).toEqual([]);
    expect((await run({ parameters: {}, checkParameters: true })).join()).toContain('Missing value');
    expect((await run({ parameters: { n: '2' }, checkParameters: false })).join()).not.toBe('');
  });

  describe('parameters of a fixture without parameter check', () => {
    const form = [
      { name: 'n', type: 'number', required: true },
      { name: 'day', type: 'date' },
    ];
    const communication = {
      url: 'https://a.example/{{parameters.n + 1}}',
      qs: { day: '{{parameters.day}}' },
      response: { output: '{{body}}' },
    };
    const app = defineApp({ name: 'app', modules: { m: { communication, mappableParams: form } } });
    const { app: _parts, ...rest } = FIXTURE;
    const run = async (
      parameters: Record<string, unknown>,
      options?: Parameters<typeof runFixture>[2],
      change = {},
    ) => {
      const notes: string[] = [];
      const fixture: Fixture = {
        ...rest,
        component: { type: 'module', name: 'm' },
        input: { parameters },
        exchanges: [{ request: { url: 'https://a.example/3', query: change }, response: { body: { a: 1 } } }],
      };
      const onNote = (note: string): void => void notes.push(note);
      return { differences: await runFixture(fixture, app, { ...options, onNote }), notes };
    };

    it('are checked and converted as in a run', async () => {
      expect(await run({ n: '2' })).toEqual({ differences: [], notes: [] });
      const { differences } = await run({ n: 'two' });
      expect(differences.join()).toContain("Invalid number in parameter 'n'");
    });

    it('are passed unchecked if only that passes, with a note', async () => {
      const day = { day: '2026-01-01' };
      expect(await run({ n: 2, ...day }, {}, day)).toEqual({
        differences: [],
        notes: [expect.stringContaining('a run converts them')],
      });
      const { differences } = await run({ n: 2, ...day }, { checkParameters: true }, day);
      expect(differences.join()).toContain('2026-01-01T00:00:00.000Z');
    });

    it('are reported if a run refuses them', async () => {
      const given = { n: 2, day: 'whenever' };
      expect(await run(given, {}, { day: 'whenever' })).toEqual({
        differences: [],
        notes: [expect.stringContaining("a run refuses them: Invalid date in parameter 'day'")],
      });
    });

    it('can be expected to be refused by a run', async () => {
      const refused: Fixture = {
        ...rest,
        component: { type: 'module', name: 'm' },
        input: { parameters: {} },
        exchanges: [],
        expect: { error: { type: 'BundleValidationError' }, requestCount: 0 },
      };
      expect(await runFixture(refused, app)).toEqual([]);
    });
  });

  it('passes the common data of the fixture to a connection of a loaded app', async () => {
    const communication = { url: 'https://a.example/{{common.id}}' };
    const app = defineApp({ name: 'app', connections: { c: { communication, common: { id: 'kept' } } } });
    const { app: _parts, ...rest } = FIXTURE;
    const fixture: Fixture = {
      ...rest,
      kind: 'connection',
      component: { type: 'connection', name: 'c' },
      common: { id: 'given' },
      exchanges: [{ request: { url: 'https://a.example/given' }, response: { status: 200 } }],
      expect: { requestCount: 1 },
    };
    expect(await runFixture(fixture, app)).toEqual([]);
  });
});

describe('lists of cases', () => {
  it('are empty if the files are missing, as in the package', async () => {
    const { gaps, disputed } = await readCaseLists(new URL('file:///nowhere/'));
    expect([gaps.size, disputed.size]).toEqual([0, 0]);
  });
});

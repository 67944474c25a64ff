import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { readCaseLists } from '../../src/testing/conformance/case-lists.js';
import type { Fixture } from '../../src/testing/fixtures/fixture.js';
import { runFixture } from '../../src/testing/fixtures/run-fixture.js';

const FIXTURE: Fixture = {
  name: 'one',
  kind: 'action',
  app: { communication: { url: 'https://a.example/x', response: { output: '{{body}}' } } },
  input: {},
  exchanges: [{ request: { method: 'GET' }, response: { status: 200, body: { a: 1 } } }],
  expect: { bundles: [{ a: 1 }] },
};

describe('runFixture', () => {
  it('runs what is written as a fixture', async () => {
    expect(await runFixture(FIXTURE)).toEqual([]);
  });

  it.each<[string, object]>([
    ['a misspelt expectation', { expect: { bundels: [{ a: 2 }] } }],
    ['a kind nobody runs', { kind: 'actoin' }],
    ['a component type nobody runs', { component: { type: 'endpoint', name: 'x' } }],
    ['a member of an exchange nobody reads', { exchanges: [{ requests: {}, response: {} }] }],
  ])('refuses %s instead of passing', async (_title, change) => {
    const fixture = { ...FIXTURE, ...change } as Fixture; // as a file might hold it
    expect(await runFixture(fixture)).toEqual([
      expect.stringMatching(/^The fixture is not written as one: /),
    ]);
  });

  it('checks parameters as a run does where the fixture asks for it', async () => {
    const communication = { url: 'https://a.example/{{parameters.n + 1}}', response: { output: '{{body}}' } };
    const app = defineApp({
      name: 'app',
      modules: { m: { communication, mappableParams: [{ name: 'n', type: 'number', required: true }] } },
    });
    const { app: _parts, ...rest } = FIXTURE;
    const run = (input: Fixture['input']) =>
      runFixture(
        {
          ...{ ...rest, component: { type: 'module', name: 'm' }, input },
          exchanges: [{ request: { url: 'https://a.example/3' }, response: { body: { a: 1 } } }],
        },
        app,
      );
    expect(await run({ parameters: { n: '2' }, checkParameters: true })).toEqual([]);
    expect((await run({ parameters: {}, checkParameters: true })).join()).toContain('Missing value');
    expect((await run({ parameters: { n: '2' } })).join()).not.toBe('');
  });

  it('gives a connection of a loaded app the common data of the fixture', async () => {
    const communication = { url: 'https://a.example/{{common.id}}' };
    const app = defineApp({ name: 'app', connections: { c: { communication, common: { id: 'kept' } } } });
    const { app: _parts, ...rest } = FIXTURE;
    const fixture: Fixture = {
      ...rest,
      kind: 'connection',
      component: { type: 'connection', name: 'c' },
      common: { id: 'given' },
      exchanges: [{ request: { url: 'https://a.example/given' }, response: { status: 200 } }],
      expect: {},
    };
    expect(await runFixture(fixture, app)).toEqual([]);
  });
});

describe('lists of cases', () => {
  it('are empty where there are none, as in the package', async () => {
    const { gaps, disputed } = await readCaseLists(new URL('file:///nowhere/'));
    expect([gaps.size, disputed.size]).toEqual([0, 0]);
  });
});

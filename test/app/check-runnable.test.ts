import { describe, expect, it } from 'vitest';
import { type AppDefinition, createEngine, defineApp, loadApp } from '../../src/index.js';
import { warningsOf, writeApp } from './temp-app.js';

const found = (definition: Omit<AppDefinition, 'name'>): string[] =>
  warningsOf(defineApp({ name: 'app', ...definition })).filter((line) => /-url|-name|-function/.test(line));

const HERE = { baseUrl: 'https://api.example' };
const TRIGGER = { type: 'trigger', staticParams: [] } as const;
const RESPONSE = { trigger: { type: 'id', id: '{{item.id}}' }, iterate: '{{body}}' };

describe('defects that prevent a run are reported when an app is loaded', () => {
  it.each<[string, Omit<AppDefinition, 'name'>, readonly string[]]>([
    [
      'reports a polling trigger without url',
      { base: HERE, modules: { t: { ...TRIGGER, communication: { response: RESPONSE } } } },
      ['missing-url'],
    ],
    [
      'reports a trigger whose last request has no url',
      { base: HERE, modules: { t: { ...TRIGGER, communication: [{ url: '/a' }, {}] } } },
      ['missing-url'],
    ],
    [
      'accepts one with a url',
      { base: HERE, modules: { t: { ...TRIGGER, communication: { url: '/a' } } } },
      [],
    ],
    [
      'accepts a static action',
      { base: HERE, modules: { a: { communication: { response: { output: 1 } } } } },
      [],
    ],
    [
      'reports a connection without url',
      { connections: { c: { communication: { response: {} } } } },
      ['missing-url'],
    ],
    ['accepts an empty connection', { connections: { c: { communication: {} } } }, []],
    [
      'reports a section of OAuth without url',
      {
        connections: {
          c: { type: 'oauth', communication: { authorize: { url: 'https://a.example' }, token: {} } },
        },
      },
      ['missing-url'],
    ],
    [
      'reports a connection with a relative url, with or without base',
      { base: HERE, connections: { c: { communication: { url: '/me' } } } },
      ['unusable-url'],
    ],
    [
      'reports a base url without scheme',
      { base: { baseUrl: 'api.example' }, modules: { a: { communication: { url: '/a' } } } },
      ['unusable-url'],
    ],
    [
      'accepts a base url from an expression',
      { base: { baseUrl: '{{connection.url}}' }, modules: { a: { communication: { url: '/a' } } } },
      [],
    ],
    [
      'reports relative urls without a base url',
      {
        modules: { a: { communication: [{ url: '/a' }, { url: 'https://b.example' }] } },
        rpcs: { r: { communication: { url: 'b' } } },
      },
      ['unusable-url', 'unusable-url'],
    ],
    [
      'reports relative urls of attached webhooks',
      { webhooks: { w: { attach: { url: '/hooks' }, detach: { url: '{{data.url}}' } } } },
      ['unusable-url'],
    ],
    [
      'reports a function named like a built-in one',
      { functions: { upper: { code: 'function upper() {}' } } },
      ['builtin-name'],
    ],
    [
      'reports a function longer than the limit of the platform',
      { functions: { long: { code: `function long() {}${' '.repeat(5000)}` } } },
      ['long-function'],
    ],
    ['accepts a function of exactly that length', { functions: { long: { code: 'x'.repeat(5000) } } }, []],
  ])('%s', (_title, definition, codes) => {
    expect(found(definition).map((line) => line.split(' ')[0])).toEqual(codes);
  });

  it('reports the file and the line', async () => {
    const app = await loadApp(
      writeApp({
        'base.imljson': '{\n  "baseUrl": "api.example"\n}',
        'module/t/api.imljson': '{\n  "response": {}\n}',
        'module/t/metadata.json': { type: 'trigger' },
        'connection/c/api.imljson': '{\n  "url": "/me"\n}',
        'connection/c/metadata.json': { type: 'basic' },
      }),
    );
    expect(warningsOf(app)).toEqual([
      'unusable-url base.imljson#/baseUrl:2:14',
      'missing-url module/t/api.imljson#:1:1',
      'unusable-url connection/c/api.imljson#/url:2:10',
    ]);
  });
});

describe('a run with such a defect', () => {
  it('ends with an InvalidConfigurationError at the source location of a trigger without url', async () => {
    const app = defineApp({
      name: 'app',
      modules: { t: { ...TRIGGER, communication: { response: RESPONSE } } },
    });
    const { error, stats } = await createEngine({ app }).module('t').run();
    expect(error).toMatchObject({
      type: 'InvalidConfigurationError',
      place: { pointer: '/modules/t/communication' },
    });
    expect(error?.message).toContain('needs a url');
    expect(stats.requests).toBe(0);
  });

  it('ends with the same error for a connection without url', async () => {
    const app = defineApp({
      name: 'app',
      connections: { c: { communication: [{ url: 'https://a.example' }, { response: {} }] } },
    });
    const made = createEngine({ app }).connection('c').create({});
    const outcome = await made.then(
      (report) => ('error' in report ? report.error : undefined),
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({
      type: 'InvalidConfigurationError',
      place: { pointer: '/connections/c/communication/1' },
    });
  });
});

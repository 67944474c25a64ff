import { describe, expect, it } from 'vitest';
import { type AppDefinition, createEngine, defineApp } from '../../src/index.js';
import { specErrorOf, warningsOf } from './temp-app.js';

const DEFINITION: AppDefinition = {
  name: 'fonts',
  base: { baseUrl: 'https://x.test' },
  common: { a: 1 },
  groups: [{ label: 'All', modules: ['listFonts'] }],
  modules: {
    listFonts: {
      type: 'search',
      label: 'List fonts',
      crud: null,
      connection: 'key',
      communication: { url: 'https://x.test/fonts' },
      mappableParams: [{ name: 'limit', type: 'uinteger' }],
    },
    watch: { type: 'instant_trigger', webhook: 'hook' },
  },
  connections: { key: { communication: { url: 'https://x.test/me' }, common: { id: 1 } } },
  rpcs: { list: { communication: { url: 'https://x.test/list' } } },
  webhooks: { hook: { attach: { url: 'https://x.test/hooks' } } },
  functions: { up: { code: 'function up() {}' } },
  endpoints: { end: { communication: { url: 'https://x.test/e' } } },
};

/** Calls without types. */
function define(definition: unknown): unknown {
  return defineApp(definition as AppDefinition);
}

describe('defineApp', () => {
  it('returns the same model as a folder', () => {
    const app = defineApp(DEFINITION);
    expect(warningsOf(app)).toEqual([]);
    expect(app.name).toBe('fonts');
    expect(app.base?.value).toEqual({ baseUrl: 'https://x.test' });
    expect(app.modules.get('listFonts')).toMatchObject({
      type: 'search',
      crud: undefined,
      connection: 'key',
      mappableParams: { value: [{ name: 'limit', type: 'uinteger' }], file: undefined },
    });
    expect(app.modules.get('listFonts')?.communication?.locationOf('/url')).toEqual({
      pointer: '/modules/listFonts/communication/url',
    });
    expect(app.connections.get('key')).toMatchObject({ type: 'basic', common: { value: { id: 1 } } });
    expect(app.webhooks.get('hook')?.type).toBe('web');
    expect(app.functions.get('up')).toMatchObject({ code: 'function up() {}', file: undefined });
  });

  it('is not affected by later changes of the definition', () => {
    const communication = { url: 'https://x.test/a' };
    const app = defineApp({ name: 'x', modules: { m: { communication } } });
    communication.url = '/b';
    expect(app.modules.get('m')?.communication?.value).toEqual({ url: 'https://x.test/a' });
  });

  it.each<[unknown, string[]]>([
    [{ base: { headrs: {} } }, ['unknown-key #/base/headrs']],
    [{ rpcs: { r: { communication: { url: '{{a b}}' } } } }, ['syntax #/rpcs/r/communication/url']],
    [{ rpcs: { r: { connection: 'x', communication: {} } } }, ['unknown-reference #/rpcs/r/connection']],
  ])('warns about %j', (definition, expected) => {
    const app = defineApp({ name: 'x', ...(definition as object) });
    expect(warningsOf(app)).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [null, ''],
    [[], ''],
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 'x', module: {} }, '/module'],
    [{ name: 'x', modules: { m: { comunication: {} } } }, '/modules/m/comunication'],
    [{ name: 'x', modules: [] }, '/modules'],
    [{ name: 'x', modules: { m: null } }, '/modules/m'],
    [{ name: 'x', modules: { m: { type: 'serach', communication: {} } } }, '/modules/m/type'],
    [{ name: 'x', modules: { m: { label: 5, communication: {} } } }, '/modules/m/label'],
    [{ name: 'x', connections: { 'a/b': { type: 'magic' } } }, '/connections/a~1b/type'],
    [{ name: 'x', functions: { f: { code: 5 } } }, '/functions/f/code'],
    [{ name: 'x', functions: { f: {} } }, '/functions/f'],
    [{ name: 'x', functions: { f: { code: () => 1 } } }, '/functions/f/code'],
    [{ name: 'x', base: new Map() }, '/base'],
  ])('refuses %j', async (definition, pointer) => {
    const error = await specErrorOf(() => define(definition));
    expect(error).toMatchObject({ code: 'SPEC_INVALID', place: { pointer } });
  });

  it('refuses an object with too many names', async () => {
    const wide = Object.fromEntries(Array.from({ length: 50_001 }, (_, index) => [`n${index}`, 1]));
    const error = await specErrorOf(() => define({ name: 'x', common: { a: [wide] } }));
    expect(error).toMatchObject({ code: 'SPEC_INVALID', place: { pointer: '/common/a/0' } });
    delete wide['n0'];
    expect(() => define({ name: 'x', common: { a: [wide] } })).not.toThrow();
  });

  it('suggests the intended type', async () => {
    const error = await specErrorOf(() => define({ name: 'x', modules: { m: { type: 'serach' } } }));
    expect(error.message).toContain('Did you mean "search"?');
  });
});

describe('finding components', () => {
  const app = defineApp(DEFINITION);

  it('returns the component of a name', () => {
    const engine = createEngine({ app });
    expect(engine.module('listFonts').name).toBe('listFonts');
    expect(engine.connection('key').name).toBe('key');
    expect(engine.rpc('list').name).toBe('list');
    expect(engine.webhook('hook').name).toBe('hook');
    expect(app.functions.get('up')?.name).toBe('up');
    expect(app.endpoints.get('end')?.name).toBe('end');
  });

  it.each([
    ['listFont', 'Did you mean "listFonts"?'],
    ['somethingElse', 'It has listFonts, watch.'],
    ['constructor', 'It has listFonts, watch.'],
    ['__proto__', 'It has listFonts, watch.'],
  ])('lists the alternatives to %s', async (name, hint) => {
    const error = await specErrorOf(() => createEngine({ app }).module(name));
    expect(error).toMatchObject({ code: 'SPEC_MISSING' });
    expect(error.message).toBe(`The app "fonts" has no module "${name}". ${hint}`);
  });

  it('reports that an app has no components', async () => {
    const error = await specErrorOf(() => createEngine({ app: defineApp({ name: 'x' }) }).rpc('a'));
    expect(error.message).toBe('The app "x" has no RPC "a". It has none.');
  });
});

import { describe, expect, it } from 'vitest';
import { createEngine, defineApp } from '../../src/index.js';
import { traceLine } from '../../src/tools/cli/output/trace-line.js';
import { service } from '../run/helpers.js';

function appOf(functions: Readonly<Record<string, string>>, output: unknown) {
  return defineApp({
    name: 'functions',
    modules: { run: { type: 'action', communication: { response: { output } } } },
    functions: Object.fromEntries(Object.entries(functions).map(([name, code]) => [name, { code }])),
  });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function moduleOf(parts: object) {
  return { type: 'action', communication: {}, ...parts } as const;
}

async function runOf(
  functions: Readonly<Record<string, string>>,
  output: unknown,
  input: Parameters<ReturnType<ReturnType<typeof createEngine>['module']>['run']>[0] = {},
) {
  await using engine = createEngine({ app: appOf(functions, output) });
  return await engine.module('run').run(input);
}

describe('the custom functions of an app', () => {
  it.each([[true], [false]])('end at the limit of their engine, trusted: %s', async (trustFunctions) => {
    const app = appOf(
      { wait: 'function wait() { while (true); }', fast: 'function fast() { return 1 }' },
      '{{wait()}}',
    );
    const limits = { functionTimeoutMs: 30 };
    await using engine = createEngine({ app, limits, trustFunctions });
    const { error } = await engine.module('run').run();
    expect(error?.message).toContain('ran longer than 0.03 s');
    const unbounded = { functionTimeoutMs: Number.POSITIVE_INFINITY };
    const fast = appOf({ fast: 'function fast() { return 1 }' }, { n: '{{fast()}}' });
    await using patient = createEngine({ app: fast, limits: unbounded, trustFunctions });
    expect((await patient.module('run').run()).bundles).toEqual([{ n: 1 }]);
  });

  it.each([[true], [false]])(
    'reach functions of the runtime without iml, trusted: %s',
    async (trustFunctions) => {
      const functions = {
        last: 'function last(list) { return [pop(list), shift(list), list.length] }',
        days: "function days(end, start) { return dateDiff(end, start, 'D') + iml.dateDiff(end, start, 'RH') }",
        fail: "function fail() { return errorFactory('DataError', 'No.') }",
        has: 'function has() { return typeof cryptoSign + typeof generateJwtWithKeyId }',
        own: 'function own() { const pop = (value) => value; return pop(1) }',
      };
      const output = {
        last: '{{last(split(parameters.text; space))}}',
        days: "{{days('2026-03-02T05:00:00Z'; '2026-03-01T00:00:00Z')}}",
        fail: '{{fail()}}',
        has: '{{has()}}',
        own: '{{own()}}',
      };
      await using engine = createEngine({ app: appOf(functions, output), trustFunctions });
      const { bundles } = await engine.module('run').run({ parameters: { text: 'a b c' } });
      expect(bundles).toEqual([
        {
          last: ['c', 'a', 3],
          days: 6,
          fail: { name: 'DataError', message: 'No.' },
          has: 'functionfunction',
          own: 1,
        },
      ]);
    },
  );

  it('take precedence over built-in functions, with a warning', async () => {
    const functions = {
      upper: "function upper(x) { return 'own ' + x }",
      if: 'function iif(a, b) { return b }',
    };
    const { bundles, warnings } = await runOf(functions, {
      a: "{{upper('x')}}",
      b: "{{if(false; 'b'; 'c')}}",
    });
    expect(bundles).toEqual([{ a: 'own x', b: 'b' }]);
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringMatching(/^function: Custom function 'upper' replaces the built-in function/),
      expect.stringMatching(/^function: Custom function 'if' replaces the built-in function/),
      expect.stringMatching(/^function: .* declares no function 'if'/),
    ]);
  });

  it('are not declared by an empty file', async () => {
    const { bundles, warnings } = await runOf({ upper: '\n' }, { text: "{{upper('x')}}" });
    expect({ bundles, warnings }).toEqual({ bundles: [{ text: 'X' }], warnings: [] });
  });

  it('write debug output to the trace, without secrets', async () => {
    const functions = { f: 'function f(x) {\n  debug("got", x, { password: "hunter22" });\n  return 1\n}' };
    const connection = { apiKey: 'key-of-the-connection' };
    const { trace } = await runOf(functions, { n: '{{f(connection.apiKey)}}' }, { connection });
    const events = trace.filter((event) => event.kind === 'debug');
    expect(events).toMatchObject([
      {
        kind: 'debug',
        function: 'f',
        place: { line: 2 },
        values: ['got', expect.any(String), expect.anything()],
      },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/key-of-the-connection|hunter22/);
    const [event] = events;
    expect(event && traceLine(event)).toMatch(/debug f \(.*:2:\d+\): got /);
  });

  it.each([
    [
      'a communication',
      { modules: { run: moduleOf({ communication: { response: { output: { text: '{{shout(1)}}' } } } }) } },
    ],
    [
      'the base',
      { base: { response: { output: { text: '{{shout(1)}}' } } }, modules: { run: moduleOf({}) } },
    ],
    [
      'a form',
      {
        modules: {
          run: moduleOf({
            mappableParams: [{ name: 'x', type: 'text', default: '{{shout(1)}}' }],
            communication: { response: { output: { text: '{{parameters.x}}' } } },
          }),
        },
      },
    ],
    [
      'the query of an RPC',
      {
        modules: {
          run: moduleOf({
            mappableParams: ['rpc://fields?x={{shout(1)}}'],
            communication: { response: { output: { text: '{{parameters.shouted}}' } } },
          }),
        },
        rpcs: {
          fields: {
            communication: {
              response: {
                output: [{ name: 'shouted', type: 'text', default: '{{parameters.x}}' }],
              },
            },
          },
        },
      },
    ],
    [
      'the response of an RPC',
      {
        modules: {
          run: moduleOf({
            mappableParams: ['rpc://fields'],
            communication: { response: { output: { text: '{{parameters.shouted}}' } } },
          }),
        },
        rpcs: {
          fields: {
            communication: {
              temp: { at: '{{"{{"}}sh' },
              response: {
                output: [{ name: 'shouted', type: 'text', default: '{{temp.at}}out(1)}}' }],
              },
            },
          },
        },
      },
    ],
  ])('are available for names in %s', async (_, definition) => {
    const functions = { shout: { code: 'function shout(x) { return x + "!" }' } };
    await using engine = createEngine({ app: defineApp({ name: 'named', functions, ...definition }) });
    const checkParameters = { defaults: true, resolve: 'fields' } as const;
    const { bundles, error } = await engine.module('run').run({ checkParameters });
    expect({ bundles, error }).toEqual({ bundles: [{ text: '1!' }], error: undefined });
  });

  it('are available for webhooks and connections that name them', async () => {
    const functions = { shout: { code: 'function shout(x) { return x + "!" }' } };
    const app = defineApp({
      name: 'named',
      functions,
      webhooks: { hook: { type: 'web', communication: { output: '{{shout(body.a)}}' } } },
      connections: {
        key: {
          type: 'basic',
          communication: {
            url: 'https://api.example.test/me',
            response: { data: { a: '{{shout(1)}}' } },
          },
        },
      },
    });
    const { transport } = service(() => ({ json: {} }));
    await using engine = createEngine({ app, http: { transport } });
    const call = new Request('http://hook.example/', { method: 'POST', body: 'a=b', headers: FORM });
    expect((await engine.webhook('hook').handle(call)).bundles).toEqual(['b!']);
    const { stored } = await engine.connection('key').create().orThrow();
    expect(stored.connection).toMatchObject({ a: '1!' });
  });

  it('are reported by runs that use one, and by no others', async () => {
    const warningsOf = async (output: string) =>
      (await runOf({ broken: 'function broken( {' }, output)).warnings;
    expect(await warningsOf('{{broken()}}')).toMatchObject([{ code: 'function' }]);
    expect(await warningsOf('{{body}}')).toEqual([]);
  });

  it('cause a warning when the app is loaded', () => {
    const { warnings } = appOf(
      {
        long: 'function long() {}'.padEnd(5001),
        map: 'function map() {}',
        broken: 'function broken( {',
        upper: '',
      },
      1,
    );
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringMatching(/^long-function: .*'long' has 5001 characters/),
      expect.stringMatching(/^builtin-name: .*'map' replaces the built-in function/),
      expect.stringMatching(/^syntax: .*'broken' does not compile/),
    ]);
  });
});

describe('parseXML and createXML', () => {
  it('have the shape of response.type xml, in expressions and in custom functions', async () => {
    const functions = { f: "function f() { return iml.createXML({ r: iml.parseXML('<a>1</a>') }) }" };
    const { bundles } = await runOf(
      functions,
      {
        parsed: `{{parseXML('<a x="1"><b>2</b></a>')}}`,
        first: `{{get(parseXML('<a><b>2</b></a>'); 'a.1.b.1')}}`,
        created: '{{createXML(parameters)}}',
        inside: '{{f()}}',
      },
      { parameters: { a: { b: ['1', '2'] } } },
    );
    expect(bundles).toEqual([
      {
        parsed: { a: [{ b: ['2'], _attributes: { x: '1' } }] },
        first: '2',
        created: '<a><b>1</b><b>2</b></a>',
        inside: '<r><a>1</a></r>',
      },
    ]);
  });

  it('throw errors like other functions', async () => {
    const { error } = await runOf({}, "{{parseXML('<a>')}}");
    expect(error?.message).toContain("Function 'parseXML' finished with error! Invalid XML");
  });
});

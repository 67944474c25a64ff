import { describe, expect, it } from 'vitest';
import { APP_FUNCTIONS } from '../../src/engine/loading/app-functions.js';
import { createEngine, defineApp } from '../../src/index.js';
import { SIGNED_NAMES } from '../../src/language/functions/signatures.js';
import { checkApp } from '../../src/tools/check/check-app.js';
import { runVector } from '../../src/tools/testing/index.js';
import { service } from '../run/helpers.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function moduleOf(parts: object) {
  return { type: 'action', communication: {}, ...parts } as const;
}

describe('the built-in functions of an app', () => {
  it('are the same list for the engine, the check, the language server and the vectors', async () => {
    const names = Object.keys(APP_FUNCTIONS).sort();
    expect([...SIGNED_NAMES].sort()).toEqual(names);
    const output = Object.fromEntries(names.map((name) => [name, `{{${name}()}}`]));
    const app = defineApp({
      name: 'names',
      modules: { run: moduleOf({ communication: { response: { output } } }) },
    });
    expect((await checkApp(app)).filter(({ rule }) => rule === 'unknown-function')).toEqual([]);
    for (const name of names) {
      const outcome = runVector({ id: name, template: `{{isArray(${name}())}}`, expect: 'anything' });
      expect(outcome.join()).not.toContain('not found');
    }
  });

  it('do not include functions that exist only in Make, which the check accepts', async () => {
    const output = {
      a: '{{toDataStructure(body)}}',
      b: '{{safeSerialize(body)}}',
      c: '{{getFieldMapping()}}',
    };
    const app = defineApp({
      name: 'names',
      modules: { run: moduleOf({ communication: { response: { output } } }) },
    });
    expect((await checkApp(app)).filter(({ rule }) => rule === 'unknown-function')).toEqual([]);
    expect(runVector({ id: 'a', template: '{{toDataStructure(1)}}', error: 'unknown-function' })).toEqual([]);
  });

  it.each([
    [
      'a communication',
      { modules: { run: moduleOf({ communication: { response: { output: { text: "{{upper('x')}}" } } } }) } },
    ],
    [
      'a member name',
      {
        modules: {
          run: moduleOf({
            communication: { temp: { "{{lower('A')}}": 'X' }, response: { output: { text: '{{temp.a}}' } } },
          }),
        },
      },
    ],
    [
      'a list without braces',
      {
        modules: {
          run: moduleOf({
            type: 'search',
            communication: { response: { iterate: "split('X'; ',')", output: { text: '{{item}}' } } },
          }),
        },
      },
    ],
    [
      'paths of log.sanitize',
      {
        modules: {
          run: moduleOf({
            communication: {
              log: { sanitize: ["request.body<upper('x')>"] },
              response: { output: { text: 'X' } },
            },
          }),
        },
      },
    ],
    [
      'the base',
      { base: { response: { output: { text: "{{upper('x')}}" } } }, modules: { run: moduleOf({}) } },
    ],
    [
      'a form',
      {
        modules: {
          run: moduleOf({
            mappableParams: [{ name: 'x', type: 'text', default: "{{upper('x')}}" }],
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
            mappableParams: ["rpc://fields?x={{upper('x')}}"],
            communication: { response: { output: { text: '{{parameters.shown}}' } } },
          }),
        },
        rpcs: {
          fields: {
            communication: {
              response: { output: [{ name: 'shown', type: 'text', default: '{{parameters.x}}' }] },
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
            communication: { response: { output: { text: '{{parameters.shown}}' } } },
          }),
        },
        rpcs: {
          fields: {
            communication: {
              temp: { at: '{{"{{"}}up' },
              response: {
                output: [{ name: 'shown', type: 'text', default: "{{temp.at}}per('x')}}" }],
              },
            },
          },
        },
      },
    ],
  ])('are available for calls in %s', async (_, definition) => {
    await using engine = createEngine({ app: defineApp({ name: 'called', ...definition }) });
    const checkParameters = { defaults: true, resolve: 'fields' } as const;
    const { bundles, error } = await engine.module('run').run({ checkParameters });
    expect({ bundles, error }).toEqual({ bundles: [{ text: 'X' }], error: undefined });
  });

  it('are available for epochs, responders, webhooks and connections that call them', async () => {
    const app = defineApp({
      name: 'called',
      modules: {
        watch: {
          type: 'trigger',
          communication: {
            url: 'https://api.example.test/items',
            response: { trigger: { type: 'id', id: '{{item.id}}' } },
          },
          epoch: {
            response: {
              iterate: "{{split('a,b'; ',')}}",
              output: { label: '{{upper(item)}}', data: '{{item}}' },
            },
          },
        },
        answer: { type: 'responder', communication: { response: { body: "{{upper('x')}}" } } },
      },
      webhooks: { hook: { type: 'web', communication: { output: '{{upper(body.a)}}' } } },
      connections: {
        key: {
          type: 'basic',
          communication: { url: 'https://api.example.test/me', response: { data: { a: "{{upper('x')}}" } } },
        },
      },
    });
    const { transport } = service(() => ({ json: {} }));
    await using engine = createEngine({ app, http: { transport } });
    const { result: listed } = await engine.module('watch', 'trigger').epoch().orThrow();
    expect(listed).toMatchObject([{ label: 'A' }, { label: 'B' }]);
    const { result } = await engine.module('answer', 'responder').respond().orThrow();
    expect(String(result.body)).toBe('X');
    const call = new Request('http://hook.example/', { method: 'POST', body: 'a=b', headers: FORM });
    expect((await engine.webhook('hook').handle(call)).bundles).toEqual(['B']);
    const { stored } = await engine.connection('key').create().orThrow();
    expect(stored.connection).toMatchObject({ a: 'X' });
  });

  it('are suggested by the error for an unknown function with a similar name', async () => {
    const communication = { response: { output: "{{formatdate(now; 'YYYY')}}" } };
    const app = defineApp({ name: 'called', modules: { run: moduleOf({ communication }) } });
    await using engine = createEngine({ app });
    const { error } = await engine.module('run').run();
    expect(`${error?.message} ${(error?.cause as { hint?: string } | undefined)?.hint}`).toContain(
      'formatDate',
    );
  });
});

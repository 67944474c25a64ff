import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';
import { respond } from './helpers.js';

// What is too much at a time is done in turns, and its expression is begun anew: nobody may be able to tell.

const BODY = {
  list: Array.from({ length: 300 }, (_, id) => ({ id: (id * 7919) % 300, name: `N${id % 40}` })),
  other: Array.from({ length: 200 }, (_, id) => `t${(id * 31) % 200}`),
};

/** Enough for the small parts of a template, far too few for any of its lists. */
const FEW_STEPS = 2500;

/** What a run says and does, with a source of chance and a clock that go on by one each time they are asked. */
async function outcome(template: string, maxSteps: number, trustFunctions: boolean) {
  let drawn = 0;
  const clock = createVirtualClock();
  const requests: unknown[] = [];
  const chance = (): number => (drawn++ * 0.37) % 1;
  // Trusted functions have the chance of the process.
  const chanceIn = trustFunctions ? '0.7' : 'Math.random()';
  const app = defineApp({
    name: 'test',
    base: { baseUrl: 'https://api.example.test' },
    functions: {
      choose: {
        code: `function choose(a, b) { debug("picks"); return ${chanceIn} > 0.5 ? a : iml.sort(b); }`,
      },
      id: { code: `function id() { return "f" + ${chanceIn}; }` },
    },
    modules: {
      m: {
        type: 'search',
        communication: [
          {
            url: '/list',
            response: { temp: { list: '{{body.list}}', other: '{{body.other}}', made: template } },
          },
          {
            url: '/send',
            method: 'POST',
            type: 'multipart/form-data',
            headers: { x: '{{uuid}}', 'content-length': '1' },
            body: { a: template, b: '{{random}} {{missing}}', c: '{{temp.made}}' },
            response: { iterate: '{{sort(temp.list; "asc"; "id")}}', output: '{{item.id}}' },
          },
          {
            response: {
              output: { a: template, b: '{{uuid}}' },
              wrapper: { w: '{{createJSON(temp.list)}}', u: '{{uuid}}' },
            },
          },
        ],
      },
    },
  });
  const engine = createEngine({
    app,
    clock,
    trustFunctions,
    random: chance,
    uuid: () => `u${drawn++}`,
    trace: 'deep',
    limits: { maxSteps },
    transport: async (request) => {
      const { method, url, headers, body = new Uint8Array() } = request;
      requests.push({ method, url, headers, body: Buffer.from(body).toString('latin1') });
      return respond({ json: BODY }, request.url);
    },
  });
  const { bundles, error, warnings, trace } = await engine.module('m').run({});
  await engine.close();
  return { bundles, error: error?.message, warnings, trace, requests };
}

const lists = fc.constantFrom('temp.list', 'temp.other', 'body.list', 'body.other');
const long = fc.oneof(
  lists.map((list) => `sort(${list})`),
  lists.map((list) => `sort(${list}; "desc"; "name")`),
  lists.map((list) => `distinct(${list}; "name")`),
  lists.map((list) => `createJSON(${list})`),
  fc.tuple(lists, lists).map(([a, b]) => `choose(${a}; ${b})`),
);
const small = fc.constantFrom(
  'random',
  'uuid',
  'id()',
  'timestamp',
  'random > 0.5',
  'absent.name',
  'first(shuffle(split("a,b,c"; ",")))',
);
const expression = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    small,
    long,
    fc.tuple(tie('node'), tie('node'), tie('node')).map(([a, b, c]) => `if(${a}; ${b}; ${c})`),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `if(random > 0.4; ${a}; ${b})`),
    tie('node').map((a) => `sort(choose(${a}; temp.other))`),
  ),
})).node;
const templates = fc
  .array(expression, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map((part) => `{{${part}}}`).join(' '));

describe('an expression that is begun anew', () => {
  it.each([[true], [false]])(
    'gives, draws and tells what it does in one piece (functions are trusted: %s)',
    async (isTrusted) => {
      await fc.assert(
        fc.asyncProperty(templates, async (template) => {
          const whole = await outcome(template, Number.POSITIVE_INFINITY, isTrusted);
          const inTurns = await outcome(template, FEW_STEPS, isTrusted);
          // A list that becomes text is too much and takes no turns.
          if (inTurns.error?.includes('limits.maxSteps') === true) return;
          expect(inTurns).toEqual(whole);
        }),
        { numRuns: isTrusted ? 100 : 20 },
      );
    },
    120_000,
  );

  it('takes turns in these tests', async () => {
    const whole = await outcome('{{join(map(temp.list; "id"); ",")}}', FEW_STEPS, true);
    expect(whole).toMatchObject({ error: expect.stringContaining('limits.maxSteps') });
  });
});

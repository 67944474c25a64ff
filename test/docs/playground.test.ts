import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULTS, runModule, showValue } from '../../docs/.vitepress/theme/playground.js';
import { AppError, createEngine, defineApp } from '../../src/index.js';
import * as iml from '../../src/language/index.js';
import { service } from '../run/helpers.js';

interface Outcome {
  readonly bundles: readonly string[];
  readonly goesOn: boolean;
}

/** What the playground shows, or undefined for an error. */
function played(communication: object, body: unknown): Outcome | undefined {
  const module = JSON.stringify(communication);
  const outcome = runModule(iml, { ...DEFAULTS, tab: 'module', module, body: JSON.stringify(body) });
  if (!outcome.ok) return undefined;
  const { bundles, paging } = outcome.result;
  return { bundles, goesOn: paging === 'The module requests the next page.' };
}

/** The bundles of the first page of a run, and whether the run requests a second one. Undefined for an error. */
async function run(communication: object, body: unknown): Promise<Outcome | undefined> {
  const api = service((_request, call) => (call === 1 ? { json: body } : { status: 500 }));
  // A universal module outputs any value.
  const m = {
    type: 'universal' as const,
    communication: { url: 'https://api.example.test', ...communication },
  };
  const app = defineApp({ name: 'test', modules: { m } });
  const engine = createEngine({ app, http: { transport: api.transport } });
  const bundles: string[] = [];
  try {
    for await (const bundle of engine.module('m').run()) bundles.push(showValue(bundle, 2).text);
  } catch (error) {
    if (api.requests.length < 2) return undefined;
    expect(error).toBeInstanceOf(AppError);
  }
  return { bundles, goesOn: api.requests.length > 1 };
}

const TABLE = {
  limit: [undefined, 1, 2, '2', '{{1 + 1}}', '', 0, 'many', 3.5],
  iterate: [
    undefined,
    '{{body.items}}',
    'body.items',
    '{{body.none}}',
    '{{body.one}}',
    '{{body.name}}',
    { container: '{{body.items}}', condition: '{{item.id > 1}}' },
    { container: '{{body.items}}', condition: 'false' },
    { container: '{{body}}' },
  ],
  output: [
    undefined,
    '{{item}}',
    '{{item.id}}',
    { id: '{{item.id}}', of: '{{body.name}}' },
    '{{body.items}}',
  ],
  condition: [
    undefined,
    '{{body.next}}',
    'false',
    '{{pagination.page < 3}}',
    '{{iterate.container.last.id > 2}}',
  ],
  body: [
    { items: [{ id: 1 }, { id: 2 }, { id: 3 }], name: 'list', one: { id: 7 }, next: true },
    { items: [{ id: 1 }, null, { id: 3 }], name: 'gaps', next: '' },
    { items: [], name: 'none', next: true },
    [{ id: 1 }, { id: 2 }],
    {},
    null,
    'text',
  ],
} as const;

const members = fc.record({
  limit: fc.constantFrom(...TABLE.limit),
  iterate: fc.constantFrom(...TABLE.iterate),
  output: fc.constantFrom(...TABLE.output),
  pagination: fc.option(
    fc
      .constantFrom(...TABLE.condition)
      .map((condition) => ({ qs: { page: '{{pagination.page}}' }, condition })),
  ),
  body: fc.constantFrom(...TABLE.body),
});

it('the playground shows the bundles and the paging of a run', async () => {
  await fc.assert(
    fc.asyncProperty(members, async ({ limit, iterate, output, pagination, body }) => {
      const response = { limit, iterate, output };
      const communication = pagination === null ? { response } : { response, pagination };
      expect(played(communication, body)).toEqual(await run(communication, body));
    }),
    { numRuns: 500 },
  );
});

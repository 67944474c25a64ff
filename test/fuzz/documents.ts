import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  type App,
  type AppDefinition,
  AppError,
  createEngine,
  defineApp,
  EngineError,
  SpecError,
} from '../../src/index.js';
import { checkApp } from '../../src/tools/check/check-app.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { isPlainObject } from '../plain-object.js';
import { service } from '../run/helpers.js';
import { edits, mutateJson } from './mutate-json.js';
import { assertPrototypes, type Target } from './target.js';

const FIXTURES = new URL('../../spec-fixtures/runtime/', import.meta.url);

/** An app of one module for each fixture that has a communication. */
const DEFINITIONS: readonly unknown[] = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file): unknown[] => {
    const content: unknown = JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8'));
    return Array.isArray(content) ? content : [content];
  })
  .flatMap((fixture) => {
    const app = isPlainObject(fixture) ? fixture['app'] : undefined;
    if (!isPlainObject(app) || app['communication'] === undefined) return [];
    const { base, common, communication } = app;
    const mappableParams = [{ name: 'q', type: 'text', required: false }, 'rpc://list'];
    const interfaces = [{ name: 'id', type: 'uinteger', label: 'ID' }];
    return [
      {
        name: 'mutated',
        ...(base !== undefined && { base }),
        ...(common !== undefined && { common }),
        modules: { m: { type: 'search', label: 'M', communication, mappableParams, interface: interfaces } },
        connections: { c: { type: 'basic', communication: { url: '/me' }, parameters: mappableParams } },
        rpcs: { list: { communication: { url: '/list', response: { output: '{{body.items}}' } } } },
        webhooks: { hook: { communication: { output: '{{body}}' }, attach: { url: '/hooks' } } },
      },
    ];
  });

const definitions = fc
  .tuple(fc.constantFrom(...DEFINITIONS), edits)
  .map(([definition, changes]) => ({ definition: mutateJson(definition, changes) }));

interface Input {
  readonly definition: unknown;
}

const ANSWER = { items: [{ id: 1, name: 'a' }, { id: 2 }], next: null, id: 7, data: { a: 1 } };

/**
 * Apps with some errors in their documents: they load and run, or fail with a typed error. Every lint rule checks
 * them and never fails.
 */
export const documents: Target<Input> = {
  name: 'documents',
  input: definitions,
  survive: async ({ definition }) => {
    const app = defineOrRefuse(definition);
    if (app === undefined) return;
    await runAll(app);
    for (const { message } of await checkApp(app)) {
      if (message === '' || message.includes('[object Object]'))
        throw new Error(`A finding says "${message}".`);
    }
    assertPrototypes();
  },
};

async function runAll(app: App): Promise<void> {
  const { transport, requests } = service(() => ({ json: ANSWER }));
  await using engine = createEngine({
    app,
    http: { transport },
    clock: createVirtualClock(),
    limits: { maxRequests: 6, maxPages: 4 },
  });
  for (const name of app.modules.keys()) {
    await expected(async () => {
      const { error } = await engine.module(name).run({ parameters: { q: 'x' } });
      if (error !== undefined && !(error instanceof AppError)) throw error;
    });
    await expected(async () => void (await engine.module(name).parameters({})));
  }
  if (requests.length > 6 * app.modules.size) throw new Error(`${requests.length} requests were sent`);
}

function defineOrRefuse(definition: unknown): App | undefined {
  try {
    return defineApp(definition as AppDefinition);
  } catch (error) {
    if (error instanceof SpecError) return undefined;
    throw error;
  }
}

async function expected(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
  }
}

import type { Context, Hono } from 'hono';
import { EngineError, SpecError, StoreError } from '../../shared/errors/engine-error.js';
import {
  flag,
  freeForm,
  integer,
  list,
  number,
  object,
  oneOf,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import { compileSchema } from '../../shared/schema/compile-schema.js';
import type { SchemaCheck } from '../../shared/schema/schema-check.js';
import type { Backend } from './backend.js';
import { MOMENTS } from './expressions/moments.js';
import { MAX_BODY_SHOWN } from './history/history.js';
import type { ApiProblem } from './protocol.js';

/** Maximum size of a request body and of a trace. */
const MAX_CALL_BYTES = 4 * 1024 * 1024;
export const MAX_TRACE_BYTES: number = 64 * 1024 * 1024;

/** Maximum length of the text that runs are filtered by. */
const MAX_FILTER = 200;

/** Maximum number of events per response. */
const MAX_EVENTS = 2000;

/** Adds the API below `/api`. Authorization was checked before. */
export function addApi(app: Hono, backend: Backend, onProblem: (error: unknown) => void): void {
  app.get('/api/app', async (c) => c.json(await backend.state()));
  app.post('/api/form', async (c) =>
    c.json(await backend.form({ parameters: {}, ...(await readBody(c, FORM)) })),
  );
  app.post('/api/calls', async (c) =>
    c.json({ id: await backend.call({ ...NEW_CALL, ...(await readBody(c, CALL)) }) }, 201),
  );
  app.post('/api/steps', async (c) =>
    c.json(await backend.step({ parameters: {}, ...(await readBody(c, STEP)) }), 201),
  );
  addRuns(app, backend);
  addExpressions(app, backend);
  addFiles(app, backend);
  addTests(app, backend, onProblem);
  addBodies(app, backend);
  app.all('/api/*', (c) => problem(c, 404, 'NOT_FOUND', 'The API has no such operation.'));
}

function addRuns(app: Hono, backend: Backend): void {
  const { history, runner } = backend;
  app.get('/api/runs', async (c) => {
    const { state, name, text, before, limit } = c.req.query();
    const filter = {
      state,
      name,
      text: text?.slice(0, MAX_FILTER),
      before,
      limit: limit === undefined ? undefined : Number(limit) || undefined,
    };
    return c.json({ runs: await history.list(filter) });
  });
  app.post('/api/runs', async (c) =>
    c.json({ id: await runner.start({ parameters: {}, ...(await readBody(c, RUN)) }) }, 201),
  );
  app.delete('/api/runs', async (c) => {
    await backend.clear();
    return c.json({});
  });
  app.get('/api/runs/:id', async (c) => c.json(await backend.run(c.req.param('id'))));
  app.delete('/api/runs/:id', async (c) => {
    await backend.clear(c.req.param('id'));
    return c.json({});
  });
  app.get('/api/runs/:id/events', async (c) => {
    const after = Number(c.req.query('after') ?? -1);
    const events = await history.events(c.req.param('id'), Number.isFinite(after) ? after : -1, MAX_EVENTS);
    return c.json({ events });
  });
  app.post('/api/runs/:id/stop', (c) => c.json({ stopped: backend.stop(c.req.param('id')) }));
  app.post('/api/runs/:id/send-again', async (c) =>
    c.json({ id: await runner.receiveAgain(c.req.param('id')) }, 201),
  );
}

/** Routes for the expressions of a run. */
function addExpressions(app: Hono, backend: Backend): void {
  app.get('/api/runs/:id/explain', async (c) => {
    const { seq = '-1', item = '0' } = c.req.query();
    return c.json(await backend.explain(c.req.param('id'), Number(seq), Number(item)));
  });
  app.get('/api/runs/:id/items', async (c) =>
    c.json(await backend.items(c.req.param('id'), Number(c.req.query('seq') ?? -1))),
  );
  app.post('/api/runs/:id/evaluate', async (c) => {
    const asked = { expression: '', seq: 0, item: 0, moment: undefined, ...(await readBody(c, EVALUATION)) };
    return c.json(await backend.evaluate(c.req.param('id'), asked));
  });
}

/** Routes that export a run: trace, HAR, case. */
function addFiles(app: Hono, backend: Backend): void {
  app.get('/api/runs/:id/trace', async (c) => {
    const { name, text } = await backend.traceFile(c.req.param('id'));
    return c.body(text, 200, {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': writeDisposition(name),
    });
  });
  app.get('/api/runs/:id/har', async (c) => {
    const { name, text } = await backend.harFile(c.req.param('id'));
    return c.body(text, 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': writeDisposition(name),
    });
  });
  app.post('/api/traces', async (c) => {
    const text = await readUpTo(c, MAX_TRACE_BYTES);
    return c.json({ id: await backend.importTrace(text) }, 201);
  });
  app.post('/api/runs/:id/case', async (c) => c.json(await backend.draftCase(c.req.param('id'))));
  app.post('/api/runs/:id/infer', async (c) => c.json(await backend.infer(c.req.param('id'))));
  app.post('/api/runs/:id/case/write', async (c) => {
    const choice = { name: '', shown: '', replace: false, ...(await readBody(c, CHOICE)) };
    return c.json({ test: await backend.saveCase(c.req.param('id'), choice) }, 201);
  });
}

function addTests(app: Hono, { tests }: Backend, onProblem: (error: unknown) => void): void {
  app.get('/api/tests', async (c) => c.json(await tests.state()));
  app.get('/api/tests/one', async (c) => c.json(await tests.find(c.req.query('id') ?? '')));
  app.post('/api/tests/run', async (c) => {
    const { id } = await readBody(c, TEST);
    if (id !== undefined) await tests.find(id);
    // The result follows as server-sent event.
    void tests.run(id === undefined ? undefined : (test) => test.id === id).catch(onProblem);
    return c.json({});
  });
}

function addBodies(app: Hono, backend: Backend): void {
  const { history } = backend;
  app.get('/api/bodies/:ref', async (c) => {
    const body = await history.body(c.req.param('ref'));
    if (body === undefined) return problem(c, 404, 'NOT_FOUND', 'The history no longer has this body.');
    const isWhole = c.req.query('whole') === '1' || body.text.length <= MAX_BODY_SHOWN;
    const text = isWhole ? body.text : body.text.slice(0, MAX_BODY_SHOWN);
    return c.json({ kind: body.kind, text, size: body.text.length, isCut: !isWhole });
  });
  app.get('/api/diff', async (c) => {
    const { a = '', b = '' } = c.req.query();
    return c.json(await backend.diff(a, b));
  });
}

/** Converts an exception of a call to a response with a readable message. */
export function answerError(error: Error, c: Context): Response {
  if (error instanceof BodyTooLarge) return problem(c, 413, 'TOO_LARGE', error.message);
  if (error instanceof StoreError) return problem(c, 500, error.code, error.message);
  if (error instanceof SpecError) return problem(c, 422, error.code, error.message);
  if (error instanceof EngineError)
    return problem(c, error.code === 'HOST_MISSING' ? 404 : 400, error.code, error.message);
  return problem(c, 500, 'INTERNAL', `Internal error: ${error.message}`);
}

type Status = 400 | 401 | 403 | 404 | 413 | 415 | 421 | 422 | 500;

function problem(c: Context, status: Status, code: string, message: string): Response {
  const body: ApiProblem = { code, message };
  return c.json(body, status);
}

class BodyTooLarge extends Error {}

async function readUpTo(c: Context, maxBytes: number): Promise<string> {
  const announced = Number(c.req.header('content-length') ?? 0);
  const tooLarge = (): BodyTooLarge =>
    new BodyTooLarge(`More than ${Math.floor(maxBytes / 1024 / 1024)} MB are not accepted.`);
  if (announced > maxBytes) throw tooLarge();
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.byteLength > maxBytes) throw tooLarge();
  return new TextDecoder().decode(bytes);
}

/** @throws EngineError (USAGE) with the first invalid member */
async function readBody<T>(c: Context, schema: Schema<T>): Promise<T> {
  const text = await readUpTo(c, MAX_CALL_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new EngineError('USAGE', 'The body is not valid JSON.', { cause });
  }
  const check = checks.get(schema) ?? compileSchema(schema);
  checks.set(schema, check);
  const [problem] = check(value);
  if (problem === undefined) return value as T;
  const member = problem.path.length === 0 ? 'The body' : `"${problem.path.join('.')}"`;
  throw new EngineError('USAGE', `${member} ${problem.message}.`);
}

/** Compiled on first use. */
const checks = new Map<Schema<unknown>, SchemaCheck>();

/** Non-ASCII names. Source: https://www.rfc-editor.org/rfc/rfc8187. */
function writeDisposition(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
}

const TEXT = text({ maxLength: 10_000 });
const NAME = text({ minLength: 1, maxLength: 10_000 });
const COUNT = integer({ minimum: 1 });
const ANY: Schema<unknown> = {};
const RUN_KINDS = ['module', 'rpc', 'endpoint'] as const;
/** By name only: credentials never come from the page. */
const VALUES = { parameters: freeForm(), connection: TEXT };

const FORM = object(
  { kind: oneOf([...RUN_KINDS, 'webhook', 'connection']), name: NAME },
  { ...VALUES, defaults: flag() },
);
const RUN = object(
  { kind: oneOf(RUN_KINDS), name: NAME },
  {
    ...{
      ...VALUES,
      defaults: flag(),
      limit: COUNT,
      start: oneOf(['all', 'saved']),
      state: ANY,
      payload: ANY,
    },
    ...{ replayOf: TEXT, again: TEXT, fromPage: COUNT },
  },
  { additionalProperties: false },
);
const STEP = object(
  { step: oneOf(['epoch', 'attach', 'detach', 'connect', 'test']), name: NAME },
  { ...VALUES, as: TEXT },
);
const EVALUATION = object({}, { expression: TEXT, seq: number(), item: number(), moment: oneOf(MOMENTS) });
const CHOICE = object({}, { name: TEXT, shown: TEXT, replace: flag() });
const TEST = object({}, { id: NAME });

/** Name and value without line breaks. */
const HEADER = {
  type: 'array',
  prefixItems: [
    text({ pattern: "^[\\w!#$%&'*+.^`|~-]{1,200}$", description: 'must be the name of a header' }),
    text({ pattern: '^[^\\r\\n\\0]*$', description: 'must have no line breaks' }),
  ],
  minItems: 2,
  items: false,
} as Schema<readonly [name: string, value: string]>;
const NEW_CALL = { webhook: '', of: undefined, method: 'POST', query: '', headers: [], body: undefined };
const CALL = object(
  {},
  {
    webhook: TEXT,
    of: TEXT,
    method: text({ pattern: '^[A-Z]{1,20}$', description: 'must be a method in capitals' }),
    query: TEXT,
    headers: list(HEADER),
    body: text({ maxLength: MAX_CALL_BYTES }),
  },
);

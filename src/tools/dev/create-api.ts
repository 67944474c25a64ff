import type { Context, Hono } from 'hono';
import { EngineError, SpecError, StoreError } from '../../shared/errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import type { Backend } from './backend.js';
import { MOMENTS } from './expressions/moments.js';
import { MAX_BODY_SHOWN } from './history/history.js';
import type {
  ApiProblem,
  CallRequest,
  FormRequest,
  MomentName,
  RunRequest,
  StepRequest,
} from './protocol.js';

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
  app.post('/api/form', async (c) => c.json(await backend.form(readFormRequest(await readObject(c)))));
  app.post('/api/calls', async (c) =>
    c.json({ id: await backend.call(readCallRequest(await readObject(c))) }, 201),
  );
  app.post('/api/steps', async (c) => c.json(await backend.step(readStepRequest(await readObject(c))), 201));
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
    c.json({ id: await runner.start(readRunRequest(await readJson(c))) }, 201),
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
    const body = await readObject(c);
    const expression = readTextMember(body, 'expression') ?? '';
    const [seq = 0, item = 0] = [body['seq'], body['item']].map((value) =>
      typeof value === 'number' ? value : undefined,
    );
    const moment = readMoment(body);
    return c.json(await backend.evaluate(c.req.param('id'), { expression, seq, item, moment }));
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
    const body = await readObject(c);
    const [name = '', shown = ''] = [readTextMember(body, 'name'), readTextMember(body, 'shown')];
    const replace = body['replace'] === true;
    return c.json({ test: await backend.saveCase(c.req.param('id'), { name, shown, replace }) }, 201);
  });
}

function addTests(app: Hono, { tests }: Backend, onProblem: (error: unknown) => void): void {
  app.get('/api/tests', async (c) => c.json(await tests.state()));
  app.get('/api/tests/one', async (c) => c.json(await tests.find(c.req.query('id') ?? '')));
  app.post('/api/tests/run', async (c) => {
    const id = readTextMember(await readObject(c), 'id');
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

async function readJson(c: Context): Promise<unknown> {
  const text = await readUpTo(c, MAX_CALL_BYTES);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineError('USAGE', 'The body is not valid JSON.', { cause });
  }
}

async function readObject(c: Context): Promise<PlainObject> {
  const value = await readJson(c);
  if (!isPlainObject(value)) throw new EngineError('USAGE', 'The body: expected an object.');
  return value;
}

/** Non-ASCII names. Source: https://www.rfc-editor.org/rfc/rfc8187. */
function writeDisposition(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
}

/** Maximum length of a body. */
const MAX_BODY = 4 * 1024 * 1024;

/** @throws EngineError (USAGE) with the invalid member and the expected type */
function readCallRequest(given: PlainObject): CallRequest {
  const { headers = [], body } = given;
  const method = readTextMember(given, 'method') ?? 'POST';
  if (!/^[A-Z]{1,20}$/.test(method)) throw invalidCall('method', 'a method in capitals');
  if (!Array.isArray(headers) || !headers.every(isHeader)) {
    throw invalidCall('headers', 'a list of pairs: name and value, without line breaks');
  }
  if (body !== undefined && (typeof body !== 'string' || body.length > MAX_BODY)) {
    throw invalidCall('body', 'a text of 4 MB at most');
  }
  return {
    webhook: readTextMember(given, 'webhook') ?? '',
    of: readTextMember(given, 'of'),
    method,
    query: readTextMember(given, 'query') ?? '',
    headers,
    body,
  };
}

function isHeader(value: unknown): value is readonly [name: string, value: string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, text] = value;
  return (
    /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(String(name)) && typeof text === 'string' && !/[\r\n\0]/.test(text)
  );
}

function invalidCall(name: string, expected: string): EngineError {
  return new EngineError('USAGE', `"${name}": expected ${expected}.`);
}

const MEMBERS: ReadonlySet<string> = new Set([
  'kind',
  'name',
  'parameters',
  'connection',
  'limit',
  'defaults',
  'start',
  'state',
  'payload',
  'replayOf',
  'again',
  'fromPage',
]);

/** @throws EngineError (USAGE) with the invalid member and the expected type */
function readFormRequest(body: PlainObject): FormRequest {
  const { kind, name, parameters = {} } = body;
  const known = FORM_KINDS.find((one) => one === kind);
  if (known === undefined) throw invalidMember('kind', `one of ${FORM_KINDS.join(', ')}`, kind);
  if (typeof name !== 'string' || name === '') throw invalidMember('name', 'the name of a component', name);
  if (!isPlainObject(parameters)) throw invalidMember('parameters', 'an object', parameters);
  const connection = readTextMember(body, 'connection');
  return { kind: known, name, parameters, connection, defaults: body['defaults'] === true };
}

const RUN_KINDS = ['module', 'rpc', 'endpoint'] as const;
const FORM_KINDS = [...RUN_KINDS, 'webhook', 'connection'] as const;

/** @throws EngineError (USAGE) with the invalid member and the expected type */
function readRunRequest(body: unknown): RunRequest {
  if (!isPlainObject(body)) throw invalidMember('', 'an object', body);
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) throw new EngineError('USAGE', `"${unknown}" is not a member of a run.`);
  const { name, parameters = {}, start, payload } = body;
  const kind = RUN_KINDS.find((one) => one === body['kind']);
  if (kind === undefined) throw invalidMember('kind', `one of ${RUN_KINDS.join(', ')}`, body['kind']);
  if (typeof name !== 'string' || name === '') throw invalidMember('name', 'the name of a component', name);
  if (!isPlainObject(parameters)) throw invalidMember('parameters', 'an object', parameters);
  if (start !== undefined && start !== 'all' && start !== 'saved')
    throw invalidMember('start', 'all or saved', start);
  return {
    kind,
    name,
    parameters,
    start,
    payload,
    state: body['state'],
    // By name only: credentials never come from the page.
    connection: readTextMember(body, 'connection'),
    replayOf: readTextMember(body, 'replayOf'),
    again: readTextMember(body, 'again'),
    limit: readCountMember(body, 'limit'),
    fromPage: readCountMember(body, 'fromPage'),
    defaults: body['defaults'] === true,
  };
}

const STEPS = ['epoch', 'attach', 'detach', 'connect', 'test'] as const;

/** @throws EngineError (USAGE) with the invalid member and the expected type */
function readStepRequest(body: PlainObject): StepRequest {
  const { parameters = {} } = body;
  const step = STEPS.find((name) => name === body['step']);
  if (step === undefined) throw invalidMember('step', `one of ${STEPS.join(', ')}`, body['step']);
  const name = readTextMember(body, 'name');
  if (name === undefined) throw invalidMember('name', 'the name of a component', body['name']);
  if (!isPlainObject(parameters)) throw invalidMember('parameters', 'an object', parameters);
  const [connection, as] = [readTextMember(body, 'connection'), readTextMember(body, 'as')];
  return { step, name, parameters, connection, as };
}

/** @throws EngineError (USAGE) */
function readTextMember(body: PlainObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || value.length > 10_000) throw invalidMember(name, 'a text', value);
  return value;
}

/** @throws EngineError (USAGE) */
function readMoment(body: PlainObject): MomentName | undefined {
  const value = body['moment'];
  if (value === undefined || value === null) return undefined;
  const known = MOMENTS.find((name) => name === value);
  if (known === undefined) throw invalidMember('moment', `one of ${MOMENTS.join(', ')}`, value);
  return known;
}

/** @throws EngineError (USAGE) */
function readCountMember(body: PlainObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw invalidMember(name, 'a whole number of at least 1', value);
  }
  return value;
}

function invalidMember(name: string, expected: string, given: unknown): EngineError {
  const got = given === undefined ? 'nothing' : Array.isArray(given) ? 'an array' : `a ${typeof given}`;
  return new EngineError(
    'USAGE',
    `${name === '' ? 'The body' : `"${name}"`}: expected ${expected}, got ${got}.`,
  );
}

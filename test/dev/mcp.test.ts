import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, startDev, type TestDev } from './start-dev.js';

let dev: TestDev;
let client: Client;
const heard: string[] = [];

beforeAll(async () => {
  dev = await startDev({ prepare: addCases });
  client = await connect({ authorization: `Bearer ${dev.server.token}` });
});
afterAll(async () => {
  await client?.close();
  await dev?.close();
});

/** One case that passes and one that does not. */
function addCases(root: string): void {
  const folder = path.join(root, 'tests', 'listGenres');
  mkdirSync(folder, { recursive: true });
  const exchanges = [{ response: { body: { genres: [{ id: 'crime', name: 'Crime' }] } } }];
  const expected = { passes: [{ value: 'crime', label: 'Crime' }], fails: [] };
  for (const [name, result] of Object.entries(expected)) {
    const text = JSON.stringify({ component: 'rpc:listGenres', exchanges, expect: { result } });
    writeFileSync(path.join(folder, `${name}.test.json`), text);
  }
}

async function connect(headers: Record<string, string>): Promise<Client> {
  const made = new Client({ name: 'test', version: '0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${dev.server.origin}/mcp`), {
    requestInit: { headers },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      heard.push(await response.clone().text());
      return response;
    },
  });
  // The types of the SDK are not written for `exactOptionalPropertyTypes`.
  await made.connect(transport as Parameters<Client['connect']>[0]);
  return made;
}

interface Told {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: what a tool tells is looked at, member by member.
  readonly value: any;
}

async function call(name: string, input: Record<string, unknown> = {}): Promise<Told> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [part] = content as readonly { readonly type: string; readonly text: string }[];
  return { isError: isError === true, value: JSON.parse(part?.text ?? '') };
}

describe('an assistant', () => {
  it('lists the tools with their input', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['list_components', 'check', 'test', 'run', 'stop_run', 'read_run', 'list_runs', 'search_runs'],
      'evaluate',
    ]);
    for (const tool of tools) {
      expect(tool.description?.length).toBeGreaterThan(20);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
    expect(client.getInstructions()).toContain('list_components');
  });

  it('lists components with their fields, and one with the schema of its parameters', async () => {
    const { value } = await call('list_components');
    const list = value.modules.find(({ name }: { name: string }) => name === 'listBooks');
    expect(list.parameters).toContainEqual({ name: 'genre', type: 'select', required: false });
    expect(value.keptConnections).toEqual([{ name: 'shop', component: 'bookshopKey', label: 'Test shop' }]);
    const one = (await call('list_components', { name: 'getBook' })).value;
    expect(one).toMatchObject({
      kind: 'module',
      parameters: { type: 'object', required: ['isbn'], properties: { isbn: { type: 'string' } } },
    });
  });

  it('runs a module and reads requests, responses, stop reason, limits and bundles', async () => {
    const ran = (await call('run', { name: 'listBooks', connection: 'shop', parameters: { limit: 15 } }))
      .value;
    expect(ran).toMatchObject({
      state: 'ok',
      requests: 2,
      bundles: 15,
      stopReason: 'response-limit',
      limits: { requests: { used: 2, limit: 100 }, followUpPages: { used: 1, limit: 50 } },
    });
    expect(ran.bundleList).toHaveLength(15);
    const read = (await call('read_run', { id: ran.id })).value;
    expect(read).toEqual(ran);
    const requests = read.steps.filter(({ kind }: { kind: string }) => kind === 'request');
    expect(requests[1]).toMatchObject({
      method: 'GET',
      page: 2,
      url: expect.stringContaining('page=2'),
      response: { status: 200, body: { books: expect.any(Array) } },
      made: { itemsLookedAt: 5, outputs: 5, isCut: true },
    });
    const one = (await call('read_run', { id: ran.id, seq: requests[1].seq })).value;
    expect(one.steps[0]).toEqual(requests[1]);
    expect(one).not.toHaveProperty('bundleList');
  });

  it('cuts long responses and reports their length', async () => {
    const { history } = dev.server.backend;
    const ran = (await call('run', { name: 'listBooks', connection: 'shop', parameters: { limit: 1 } }))
      .value;
    const [response] = (await history.events(ran.id, -1, 100)).filter(({ kind }) => kind === 'response');
    if (response?.kind !== 'response') throw new Error('There is no response.');
    const body = { ref: 'long', size: 100_000 };
    await history.addBody(ran.id, {
      ...body,
      kind: 'text',
      text: 'x'.repeat(100_000),
      place: 'response body',
    });
    await history.addEvents(ran.id, [{ event: { ...response, body }, bodies: [] }]);
    const read = (await call('read_run', { id: ran.id })).value;
    const cut = read.steps.find(({ kind }: { kind: string }) => kind === 'request').response.body;
    expect(cut).toEqual({ isCut: true, size: 100_000, text: 'x'.repeat(64 * 1024) });
  });

  it('replays recorded responses without a request', async () => {
    const ran = (await call('run', { name: 'listBooks', connection: 'shop' })).value;
    const asked = dev.shop.requests.length;
    const again = (await call('run', { name: 'listBooks', connection: 'shop', replayOf: ran.id })).value;
    expect(again).toMatchObject({ state: 'ok', bundles: 42, source: 'replay', replayOf: ran.id });
    expect(dev.shop.requests.length).toBe(asked);
  });

  it('lists and searches runs', async () => {
    const { value: failed } = await call('run', {
      name: 'getBook',
      connection: 'shop',
      parameters: { isbn: 'none' },
    });
    expect(failed.error).toMatchObject({
      type: 'DataError',
      status: 404,
      frame: expect.stringContaining('^'),
    });
    const { runs } = (await call('list_runs', { state: 'failed', limit: 1 })).value;
    expect(runs).toMatchObject([{ id: failed.id, error: { type: 'DataError' } }]);
    const { hits } = (await call('search_runs', { text: 'there is no BOOK none' })).value;
    expect(hits[0].run.id).toBe(failed.id);
  });

  it('evaluates an expression at a moment of a run', async () => {
    const ran = (await call('run', { name: 'listBooks', connection: 'shop' })).value;
    const first = ran.steps.find(({ kind }: { kind: string }) => kind === 'request');
    const at = { id: ran.id, seq: first.seq };
    const title = (await call('evaluate', { ...at, expression: 'body.books[1].title' })).value;
    expect(title).toEqual({
      kind: 'value',
      text: JSON.stringify(ran.bundleList[0].title),
      isCut: false,
      moment: 'item',
    });
    const next = (await call('evaluate', { ...at, moment: 'next', expression: 'pagination.page' })).value;
    expect(next).toMatchObject({ text: '2', moment: 'next' });
    const { moments, items } = (await call('evaluate', at)).value;
    expect(items).toBe(10);
    expect(moments.map(({ name }: { name: string }) => name)).toEqual(['request', 'answer', 'item', 'next']);
    expect(moments[1].names).toContainEqual({ name: 'statusCode', text: '200' });
    const third = (await call('evaluate', { ...at, expression: '{{upper(item.title)}}', item: 3 })).value;
    expect(third.text).toBe(JSON.stringify(ran.bundleList[2].title.toUpperCase()));
    const secret = (await call('evaluate', { id: ran.id, expression: 'connection.apiKey' })).value;
    expect(secret.text).toBe('"[SANITIZED]"');
  });

  it('checks the current files', async () => {
    expect((await call('check')).value).toEqual({ findings: [] });
    const file = 'modules/get-book/get-book.communication.iml.json';
    const before = readFileSync(path.join(dev.root, file), 'utf8');
    dev.write(file, '{"url": "/books/{{formatdate(parameters.isbn)}}"}');
    const { findings } = (await call('check')).value;
    expect(findings[0]).toMatchObject({ level: 'error', message: expect.stringContaining('formatdate') });
    dev.write(file, '{"url": ');
    expect((await call('check')).value.doesNotLoad.message).toBeTypeOf('string');
    dev.write(file, before);
    expect((await call('check')).value).toEqual({ findings: [] });
  });

  it('runs the tests of the app as iml test does', async () => {
    const { value } = await call('test', { filter: 'listGenres' });
    expect(value).toMatchObject({ ok: false, passed: 1, failed: 1 });
    const failed = value.tests.find(({ status }: { status: string }) => status === 'failed');
    expect(failed).toMatchObject({ name: 'listGenres/fails', file: 'tests/listGenres/fails.test.json' });
    expect(failed.failures[0]).toMatchObject({
      message: expect.stringContaining('result'),
      place: { file: 'tests/listGenres/fails.test.json', line: expect.any(Number) },
    });
    // The same tests as those of the page: their runs are in the history.
    expect((await call('read_run', { id: failed.run })).value).toMatchObject({ source: 'test' });
    const { tests } = await dev.tests();
    expect(tests.find(({ name }) => name === 'listGenres/fails')?.run).toBe(failed.run);
    expect((await call('test', { filter: 'passes' })).value).toMatchObject({
      ok: true,
      passed: 1,
      failed: 0,
    });
  });

  it('gets a code and a message for an invalid call', async () => {
    const wrong: readonly (readonly [
      tool: string,
      input: Record<string, unknown>,
      code: string,
      message: string,
    ])[] = [
      ['run', {}, 'USAGE', '"name" is missing.'],
      ['run', { name: 'listBook' }, 'USAGE', 'There is no module "listBook". Did you mean "listBooks"?'],
      [
        'run',
        { name: 'listBooks', parameter: {} },
        'USAGE',
        '"parameter" is not a member of the input. Did you mean "parameters"?',
      ],
      ['run', { name: 'listBooks', limit: 0 }, 'USAGE', '"limit" must be >= 1.'],
      [
        'run',
        { name: 'listBooks', replayOf: 'none' },
        'USAGE',
        'The responses of this run are no longer available. Run it again first.',
      ],
      ['read_run', { id: 'none' }, 'HOST_MISSING', 'This run is not in the history.'],
      ['stop_run', { id: 'none' }, 'HOST_MISSING', 'This run is not in the history.'],
      ['evaluate', { id: 'none', expression: '1' }, 'HOST_MISSING', 'This run is not in the history.'],
      ['search_runs', { text: 'x' }, 'USAGE', '"text" must NOT have fewer than 2 characters.'],
      [
        'list_runs',
        { state: 'bad' },
        'USAGE',
        '"state" must be one of "running", "ok", "failed", "stopped".',
      ],
      [
        'list_components',
        { name: 'getBok' },
        'USAGE',
        'There is no module, RPC or endpoint "getBok". Did you mean "getBook"?',
      ],
      ['test', { filter: 'nothing of it' }, 'USAGE', 'No test has a name with "nothing of it".'],
      ['check', { file: '/etc/passwd' }, 'USAGE', '"file" is not a member of the input.'],
      ['read_file', {}, 'USAGE', 'There is no tool "read_file".'],
    ];
    for (const [tool, input, code, message] of wrong) {
      expect(await call(tool, input), tool).toEqual({ isError: true, value: { code, message } });
    }
  });
});

describe('a caller without access', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (headers: Record<string, string>, text = body): Promise<Response> =>
    fetch(`${dev.server.origin}/mcp`, { method: 'POST', headers: { ...json, ...headers }, body: text });
  const own = (): Record<string, string> => ({ authorization: `Bearer ${dev.server.token}` });

  it('is refused without the token, from another origin, and with a form', async () => {
    await expect(connect({})).rejects.toThrow(/NO_TOKEN/);
    await expect(connect({ authorization: 'Bearer wrong' })).rejects.toThrow(/NO_TOKEN/);
    expect((await post({ ...own(), origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ ...own(), 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(own())).status).toBe(200);
  });

  it('gets 405 for streams and sessions, which do not exist', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await fetch(`${dev.server.origin}/mcp`, { method, headers: own() })).status).toBe(405);
    }
  });

  it('gets an error for an invalid or oversized call', async () => {
    expect((await post(own(), 'hello')).status).toBe(400);
    expect(
      (await post(own(), JSON.stringify({ ...JSON.parse(body), x: 'y'.repeat(5_000_000) }))).status,
    ).toBe(413);
  });

  it('sees no secret in any response', () => {
    expect(heard.length).toBeGreaterThan(20);
    expect(heard.filter((text) => text.includes(API_KEY) || text.includes(dev.server.token))).toEqual([]);
    expect(dev.problems).toEqual([]);
  });
});

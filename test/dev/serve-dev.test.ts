import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBooks } from '../../spec-fixtures/bookshop/service.mjs';
import { readTraceFile } from '../../src/tools/testing/suite/read-trace-file.js';
import { API_KEY, startDev, type TestDev } from './start-dev.js';

let dev: TestDev;
beforeAll(async () => {
  dev = await startDev();
});
afterAll(() => dev.close());

/** A request with headers that `fetch` does not let a caller set. */
function ask(path: string, headers: Record<string, string>, method = 'GET'): Promise<number | undefined> {
  const { port } = new URL(dev.server.origin);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('access is refused', () => {
  const own = (): Record<string, string> => ({ authorization: `Bearer ${dev.server.token}` });

  it('without the token of this start', async () => {
    expect(await ask('/api/app', {})).toBe(401);
    expect(await ask('/api/app', { authorization: 'Bearer x' })).toBe(401);
    expect(await ask('/api/live', {})).toBe(401);
    expect(await ask('/api/app', own())).toBe(200);
  });

  it('by another host name, as with DNS rebinding', async () => {
    for (const host of ['evil.example', 'evil.example:80', '127.0.0.1', 'localhost.evil.example']) {
      expect(await ask('/api/app', { ...own(), host })).toBe(421);
      expect(await ask('/', { host })).toBe(421);
    }
    const { port } = new URL(dev.server.origin);
    expect(await ask('/api/app', { ...own(), host: `localhost:${port}` })).toBe(200);
  });

  it('from a page of another origin, token or not', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect(await ask('/api/app', { ...own(), origin })).toBe(403);
      expect(await ask('/api/runs', { ...own(), origin, 'content-type': 'application/json' }, 'POST')).toBe(
        403,
      );
    }
    expect(await ask('/api/app', { ...own(), 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await ask('/api/app', { ...own(), origin: dev.server.origin })).toBe(200);
  });

  it('with a form, which needs no preflight', async () => {
    expect(await ask('/api/runs', { ...own(), 'content-type': 'text/plain' }, 'POST')).toBe(415);
    expect(
      await ask('/api/runs', { ...own(), 'content-type': 'multipart/form-data; boundary=x' }, 'POST'),
    ).toBe(415);
  });

  it('to files that are not part of the page', async () => {
    const paths = [
      '/../serve-dev.ts',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/makecomapp.json',
      '//etc/passwd',
      '/.iml/dev.db',
      '/api/../app',
    ];
    for (const path of paths) expect(await ask(path, own())).not.toBe(200);
    expect(await ask('/', {})).toBe(200);
  });

  it('and each response forbids inline scripts, frames and other origins', async () => {
    for (const path of ['/', '/api/app', '/api/none', '/api/runs/none']) {
      const { headers } = await dev.fetch(path);
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('and browsers cache only files with a content hash in their names', async () => {
    const kept = async (target: string): Promise<string | null> =>
      (await dev.fetch(target)).headers.get('cache-control');
    expect(await kept('/main-ABCD2345.js')).toBe('private, max-age=31536000, immutable');
    for (const target of ['/', '/index.html', '/none', '/api/app'])
      expect(await kept(target)).toBe('no-store');
  });

  it('and the files of the page contain no token', async () => {
    expect(await (await dev.fetch('/')).text()).not.toContain(dev.server.token);
    expect(new URL(dev.server.address).search).toBe('');
    expect(new URL(dev.server.address).hash).toBe(`#token=${dev.server.token}`);
  });

  it('and uploads are limited', async () => {
    // A large declared length is refused before the body is read.
    const json = { ...own(), 'content-type': 'application/json', 'content-length': '5000000' };
    expect(await ask('/api/runs', json, 'POST')).toBe(413);
    const trace = { ...json, 'content-length': String(65 * 1024 * 1024) };
    expect(await ask('/api/traces', trace, 'POST')).toBe(413);
  });
});

describe('the API', () => {
  it('returns the app, its findings and the stored connections', async () => {
    const state = await dev.app();
    expect(state).toMatchObject({
      name: 'bookshop',
      revision: 1,
      kept: [{ name: 'shop' }],
    });
    expect(state.modules.map(({ name }) => name)).toContain('listBooks');
  });

  it('returns the form of a module with options of its RPCs', async () => {
    const form = await dev.form({
      kind: 'module',
      name: 'listBooks',
      connection: 'shop',
    });
    expect(form.failures).toEqual([]);
    const genre = form.fields.find(({ name }) => name === 'genre');
    expect(genre?.options?.map(({ value }) => value)).toEqual(['crime', 'travel', 'poetry', 'science']);
  });

  it('reports invalid values as a run does', async () => {
    const wish = {
      kind: 'module',
      name: 'createBook',
      parameters: { price: 'cheap', author: 'x' },
    };
    const { problems } = await dev.form(wish);
    expect(problems.map(({ path, isMissing }) => [path, isMissing])).toEqual([
      ['title', true],
      ['author', false],
      ['price', false],
    ]);
    const run = await dev.run({ ...wish });
    expect(run.failure?.type).toBe('BundleValidationError');
    expect([run.failure?.message, ...(run.failure?.suberrors ?? [])].join('\n')).toContain(
      problems[2]?.message,
    );
  });

  it('calls the RPCs of a form once during typing', async () => {
    const asked = (): number => dev.shop.requests.filter(({ url }) => url.includes('genres')).length;
    const wish = { kind: 'module', name: 'createBook', connection: 'shop' };
    await dev.post('/api/form', { ...wish, parameters: { title: 'a' } });
    const before = asked();
    const { fields } = await dev.form({ ...wish, parameters: { title: 'ab' } });
    expect(fields.find(({ name }) => name === 'genre')?.options).toHaveLength(4);
    expect(asked()).toBe(before);
  });

  it('reports the value that an RPC waits for, and its errors only with that value', async () => {
    const rpc = 'rpcs/list-genres/list-genres.communication.iml.json';
    const form = 'modules/create-book/create-book.mappable-params.iml.json';
    const before = [rpc, form].map(
      (file) => [file, readFileSync(path.join(dev.root, file), 'utf8')] as const,
    );
    dev.write(rpc, '{"url": "/none/{{parameters.of}}"}');
    dev.write(
      form,
      before[1]?.[1].replace('rpc://listGenres', 'rpc://listGenres?of={{parameters.title}}') ?? '',
    );
    await dev.server.backend.look();
    const wish = { kind: 'module', name: 'createBook', connection: 'shop' };
    const failures = async (parameters: object): Promise<readonly string[]> =>
      (await dev.form({ ...wish, parameters })).failures;
    expect(await failures({})).toEqual(['Enter of to load the options of listGenres.']);
    expect(await failures({ title: 'x' })).toEqual([expect.stringMatching(/^rpc:.*Page not found/)]);
    for (const [file, text] of before) dev.write(file, text);
    await dev.server.backend.look();
  });

  it('runs a module and emits each request without body and secrets', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: { limit: 15 } });
    expect(run).toMatchObject({
      state: 'ok',
      bundles: 15,
      requests: 2,
      stopReason: 'response-limit',
      source: 'run',
    });
    expect(run.limits).toEqual({ requests: 100, followUpPages: 50, records: 3200, timeMs: 40_000 });
    const events = await dev.events(run.id);
    expect(events.filter(({ kind }) => kind === 'request')).toHaveLength(2);
    const text = JSON.stringify([run, events]);
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain('Quiet Lighthouse');
    const runs = await dev.runs('?name=listBooks&state=ok');
    expect(runs[0]).toMatchObject({ id: run.id, name: 'listBooks' });
    expect(runs[0]).not.toHaveProperty('input');
  });

  it('returns bodies by reference, cut unless the whole body is requested', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: {} });
    const body = await dev.get<{ text: string; isCut: boolean }>(`/api/bodies/${run.bundleList?.ref}`);
    expect(body.isCut).toBe(false);
    expect(JSON.parse(body.text)).toHaveLength(42);
    expect((await dev.fetch('/api/bodies/none')).status).toBe(404);
    expect(dev.problems).toEqual([]);
  });

  it('shows an error with its source location and line', async () => {
    const run = await dev.run({ name: 'getBook', parameters: { isbn: '978-0-00-999999-9' } });
    expect(run).toMatchObject({ state: 'failed', bundles: 0 });
    expect(run.failure).toMatchObject({ status: 404, place: { file: expect.stringContaining('.json') } });
    expect(run.failure?.frame).toContain('^');
  });

  it('describes an invalid request', async () => {
    const wrong = [
      [{ kind: 'module', name: 'listBook' }, 'There is no module "listBook". Did you mean "listBooks"?'],
      [{ kind: 'x', name: 'y' }, '"kind" must be one of "module", "rpc", "endpoint".'],
      [{ kind: 'module', name: 'listBooks', connection: { apiKey: 'x' } }, '"connection" must be string.'],
      [{ kind: 'module', name: 'listBooks', folder: '/' }, 'The body must not have a member "folder".'],
    ] as const;
    for (const [wish, message] of wrong) expect(await dev.post('/api/runs', wish)).toMatchObject({ message });
  });

  it('reports a run with an unknown connection as failed', async () => {
    const run = await dev.run({ name: 'listBooks', connection: 'other' });
    expect(run).toMatchObject({ state: 'failed', error: { type: 'InvalidConfigurationError' } });
  });

  it('replays responses, and sends requests from a page on', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: {} });
    const before = dev.shop.requests.length;
    const again = await dev.run({ name: 'listBooks', parameters: {}, replayOf: run.id });
    expect(again).toMatchObject({ state: 'ok', bundles: 42, source: 'replay', replayOf: run.id });
    expect(dev.shop.requests.length).toBe(before);
    const from = await dev.run({ name: 'listBooks', parameters: {}, replayOf: run.id, fromPage: 3 });
    expect(from).toMatchObject({ state: 'ok', bundles: 42, requests: 5 });
    expect(dev.shop.requests.length - before).toBe(3);
  });

  it('shows the value of an expression at a moment of a run, and evaluates others there', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: {} });
    const events = await dev.events(run.id);
    const second = events.find((event) => event.kind === 'request' && event.page === 2);
    const { documents, items, moments } = await dev.get<{
      documents: {
        role: string;
        text: string;
        expressions: { source: string; value: { text: string }; start: number; end: number }[];
      }[];
      items: number;
      moments: { name: string }[];
    }>(`/api/runs/${run.id}/explain?seq=${second?.seq}&item=1`);
    expect(items).toBe(10);
    expect(moments.map(({ name }) => name)).toEqual(['request', 'answer', 'item', 'next']);
    const [own] = documents;
    const title = own?.expressions.find(({ source }) => source.includes('item.title'));
    expect(title?.value.text).toMatch(/^"The /);
    expect(own?.text.slice(title?.start, title?.end)).toBe(title?.source);
    const at = { seq: second?.seq, item: 0 };
    const page = await dev.evaluate(run.id, {
      ...at,
      expression: 'pagination.page',
    });
    expect(page).toEqual({ kind: 'value', text: '2', isCut: false, moment: 'item' });
    const before = await dev.evaluate(run.id, {
      seq: events.find(({ kind }) => kind === 'request')?.seq,
      moment: 'request',
      expression: 'body.books[1].title',
    });
    expect(before).toEqual({ kind: 'nothing', text: 'undefined', isCut: false, moment: 'request' });
    const secret = await dev.evaluate(run.id, {
      ...at,
      expression: 'connection.apiKey',
    });
    expect(secret.text).toBe('"[SANITIZED]"');
    const wrong = await dev.evaluate(run.id, {
      ...at,
      expression: 'formatdate(now)',
    });
    expect(wrong).toMatchObject({ kind: 'error', hint: 'Did you mean "formatDate"?' });
    const typo = await dev.evaluate(run.id, { ...at, expression: 'parametrs.limit' });
    expect(typo).toMatchObject({
      kind: 'nothing',
      hint: 'There is no variable "parametrs". Did you mean "parameters"?',
    });
  });

  it('compares two runs', async () => {
    const a = await dev.run({ name: 'listBooks', parameters: { limit: 3 } });
    const b = await dev.run({ name: 'listBooks', parameters: { limit: 4 } });
    const diff = await dev.diff(a.id, b.id);
    expect(diff.steps).toMatchObject([{ change: 'same' }]);
    expect(diff.bundles.changes.every(({ path }) => path.startsWith('[4]'))).toBe(true);
    expect(diff.bundles.changes.length).toBeGreaterThan(0);
  });

  it('finds texts in bodies, addresses and errors', async () => {
    const [, book] = createBooks();
    const run = await dev.run({ name: 'getBook', parameters: { isbn: book?.isbn } });
    for (const text of [book?.isbn ?? '', 'northern ORCHARD']) {
      const found = await dev.runs(`?text=${encodeURIComponent(text)}`);
      expect(found.some(({ id }) => id === run.id)).toBe(true);
    }
    expect(await dev.runs(`?text=${API_KEY}`)).toEqual([]);
  });

  it('exports and imports a run as a trace file', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: { limit: 12 } });
    const text = await (await dev.fetch(`/api/runs/${run.id}/trace`)).text();
    expect(text).not.toContain(API_KEY);
    expect(readTraceFile(text)).toMatchObject({ name: 'listBooks', end: { state: 'ok', bundles: 12 } });
    const headers = { 'content-type': 'application/x-ndjson' };
    const taken = (await (
      await dev.fetch('/api/traces', { method: 'POST', headers, body: text })
    ).json()) as { id: string };
    const copy = await dev.detail(taken.id);
    expect(copy).toMatchObject({
      source: 'file',
      bundles: 12,
      requests: 2,
      stopReason: 'response-limit',
      canReplay: false,
    });
    const none = await dev.fetch('/api/traces', { method: 'POST', headers, body: 'hello' });
    expect(none.status).toBe(400);
    expect(await none.json()).toMatchObject({ code: 'TRACE_FILE' });
  });

  it('shows the effect of a saved file on the last run', async () => {
    const file = 'modules/list-books/list-books.communication.iml.json';
    const live = async () => (await dev.app()).live;
    const run = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    dev.write(file, dev.read(file).replace('{{item.title}}', '{{upper(item.title)}}'));
    await dev.server.backend.look();
    await expect.poll(live).toMatchObject({ of: run.id });
    const next = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    expect(await live()).toBeUndefined();
    await dev.restore(file);
    await expect.poll(live).toMatchObject({ of: next.id });
  });

  it('reports no problem if a file is incomplete while the last run is repeated', async () => {
    const file = 'modules/list-books/list-books.communication.iml.json';
    await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    const text = dev.read(file);
    for (let round = 0; round < 2; round++) {
      dev.write(file, `${text}${'\n'.repeat(round + 1)}`);
      await dev.server.backend.look();
      // The worker has not read the file yet.
      dev.write(file, '{"url": ');
      await dev.server.backend.look();
    }
    await dev.restore(file);
    await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    expect(dev.problems).toEqual([]);
  });

  it('removes a run', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    expect((await dev.fetch(`/api/runs/${run.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await dev.fetch(`/api/runs/${run.id}`)).status).toBe(404);
  });
});

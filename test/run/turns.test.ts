import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import type { RunReport } from '../../src/component/module-run.js';
import { decodeBody, decodeLargeBody } from '../../src/http/body/body-decoding.js';
import type { ResponseType } from '../../src/http/body/select-response-type.js';
import type { TransportResponse } from '../../src/http/message/transport.js';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';
import { Turns } from '../../src/util/turns.js';
import { type Answer, engineOf, service } from './helpers.js';

/** 50 ms are promised. Time of the processor, as others may use the machine; with that of the collector's threads. */
const GENEROUS_MS = 250;

/** The longest time that others had to wait for the thread while `work` went on. */
async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const watch = (async () => {
    for (let last = process.cpuUsage(); !isDone; last = process.cpuUsage()) {
      await setImmediate();
      const { user, system } = process.cpuUsage(last);
      longest = Math.max(longest, (user + system) / 1000);
    }
  })();
  await work().finally(() => {
    isDone = true;
  });
  await watch;
  return longest;
}

const record = (id: number): object => ({
  id,
  name: `Name ${id}`,
  tags: ['a', 'b'],
  at: { x: id, y: 'z'.repeat(20) },
});
const records = (count: number): object[] => Array.from({ length: count }, (_, id) => record(id));

const XML = `<rows>${'<row a="1"><id>7</id><name>Name &amp; more</name></row>'.repeat(200_000)}</rows>`;
const FORM = Array.from({ length: 400_000 }, (_, id) => `name${id % 50_000}=value%20${id}`).join('&');

describe('others wait for a short time only', () => {
  it.each([
    [
      'JSON',
      { text: JSON.stringify({ items: records(150_000), total: 1 }) },
      'application/json',
      '{{body.total}}',
    ],
    ['a form', { text: FORM }, 'application/x-www-form-urlencoded', '{{body.name7[1]}}'],
    ['XML', { text: XML }, 'application/xml', '{{body.rows[1].row[1].id[1]}}'],
    ['text in UTF-16', { text: 'ä'.repeat(8_000_000) }, 'text/plain; charset=utf-16le', '{{length(body)}}'],
  ])('while %s of many megabytes is read', { retry: 3 }, async (_, answer, type, output) => {
    const { transport } = service((): Answer => ({ ...answer, headers: { 'content-type': type } }));
    const test = engineOf({ url: '/x', response: { output } }, { transport });
    let bundles: readonly unknown[] | undefined;
    const waited = await longestWait(async () => {
      const report = await test.run();
      expect(report.error).toBeUndefined();
      ({ bundles } = report);
    });
    expect(bundles).toHaveLength(1);
    expect(waited).toBeLessThan(GENEROUS_MS);
  });

  it('while many items are taken out of an answer', { retry: 3 }, async () => {
    const text = JSON.stringify(records(40_000));
    const { transport } = service(() => ({ text, headers: { 'content-type': 'application/json' } }));
    const output = { id: '{{item.id}}', text: '{{replace(item.name; "a"; sha256(item.name))}}' };
    const test = engineOf({ url: '/x', response: { iterate: '{{body}}', output } }, { transport });
    const waited = await longestWait(async () => {
      const report = await test.run();
      expect(report.bundles).toHaveLength(40_000);
    });
    expect(waited).toBeLessThan(GENEROUS_MS);
  });
});

describe('others wait for a short time only, whatever is made of an answer', () => {
  const numbers = JSON.stringify(Array.from({ length: 2_000_000 }, (_, id) => (id * 7919) % 2_000_003));
  const names = JSON.stringify(
    Object.fromEntries(Array.from({ length: 45_000 }, (_, id) => [`key${id}`, 'v'])),
  );

  it.each<[title: string, text: string, response: object, bundles: number]>([
    ['a list is the output', numbers, { output: '{{body}}' }, 2_000_000],
    ['items go into a wrapper', numbers, { iterate: '{{body}}', wrapper: { all: '{{output}}' } }, 1],
    ['a collection goes into temp', names, { temp: { all: '{{body}}' }, output: 1 }, 1],
  ])('%s', { retry: 3 }, async (_title, text, response, bundles) => {
    const { transport } = service(() => ({ text, headers: { 'content-type': 'application/json' } }));
    const test = engineOf({ url: '/x', response }, { transport });
    let report: RunReport | undefined;
    const waited = await longestWait(async () => {
      report = await test.run();
    });
    expect(report?.error).toBeUndefined();
    expect(report?.bundles?.length).toBe(bundles);
    expect(waited).toBeLessThan(GENEROUS_MS);
  });

  it('a trigger orders many items, of one date, too', { retry: 3 }, async () => {
    const text = JSON.stringify(Array.from({ length: 100_000 }, (_, id) => (id * 7919) % 100_003));
    const { transport } = service(() => ({ text, headers: { 'content-type': 'application/json' } }));
    const trigger = { type: 'date', id: '{{item}}', date: '2024-01-05', order: 'desc' };
    const communication = { url: '/x', response: { iterate: '{{body}}', trigger } };
    const base = { baseUrl: 'https://api.example.test' };
    const app = defineApp({ name: 'test', base, modules: { m: { type: 'trigger', communication } } });
    // Of its own time: however long it takes here, none of it passes there.
    const engine = createEngine({ app, transport, clock: createVirtualClock() });
    let report: RunReport | undefined;
    const waited = await longestWait(async () => {
      report = await engine.module('m').run({ start: 'all' });
    });
    expect(report?.bundles?.slice(0, 2)).toEqual([0, 1]);
    expect(report?.bundles?.length).toBe(100_000);
    const state = report?.state;
    expect(state !== undefined && 'lastDate' in state && state.sameDateIds.length).toBe(100_000);
    expect(waited).toBeLessThan(GENEROUS_MS);
  });

  it('a trigger has put out very many items of one date before', { retry: 3 }, async () => {
    const { transport } = service(() => ({ json: ['7', 'a new one'] }));
    const trigger = { type: 'date', id: '{{item}}', date: '2024-01-05', order: 'desc' };
    const communication = { url: '/x', response: { iterate: '{{body}}', trigger } };
    const base = { baseUrl: 'https://api.example.test' };
    const app = defineApp({ name: 'test', base, modules: { m: { type: 'trigger', communication } } });
    const engine = createEngine({ app, transport, clock: createVirtualClock() });
    const sameDateIds = Array.from({ length: 140_000 }, (_, id) => `${id}`);
    let report: RunReport | undefined;
    const waited = await longestWait(async () => {
      report = await engine.module('m').run({ data: { lastDate: '2024-01-05', sameDateIds } });
    });
    expect(report?.bundles).toEqual(['a new one']);
    expect(waited).toBeLessThan(GENEROUS_MS);
  });

  it('bundles are taken one by one without a pause', async () => {
    const { transport } = service(() => ({ json: Array.from({ length: 300_000 }, (_, id) => id) }));
    const test = engineOf({ url: '/x', response: { iterate: '{{body}}' } }, { transport });
    let others = 0;
    let taken = 0;
    for await (const bundle of test.engine.module('m').run()) {
      if (bundle === 0) globalThis.setImmediate(() => others++);
      if (bundle === 299_999) expect(others).toBe(1);
      taken++;
    }
    expect(taken).toBe(300_000);
  });
});

describe('while an answer is taken apart', () => {
  const items = Array.from({ length: 200 }, (_, id) => ({ id }));
  const spec = { response: { iterate: '{{parameters.items}}', output: '{{uuid}}' } };

  /** Runs over items each of which takes a while; `told` hears of each. */
  const slowly = (told: (count: number) => void, takeMs = 20) => {
    let taken = 0;
    const uuid = (): string => {
      told(++taken);
      const end = performance.now() + takeMs;
      while (performance.now() < end);
      return `id ${taken}`;
    };
    return { uuid, taken: () => taken };
  };

  it('the time limit ends the run', async () => {
    const { uuid, taken } = slowly(() => test.clock.advance(100));
    const test = engineOf(spec, { uuid, limits: { timeoutMs: 1000 } });
    const report = await test.run({ parameters: { items } });
    expect(report.error).toMatchObject({ type: 'ModuleTimeoutError' });
    expect(taken()).toBeLessThan(20);
  });

  it('the signal of the caller ends the run', async () => {
    const controller = new AbortController();
    const { uuid, taken } = slowly((count) => count === 5 && controller.abort(new Error('Enough.')));
    const run = engineOf(spec, { uuid }).run({ parameters: { items }, signal: controller.signal });
    await expect(run).rejects.toThrow('Enough.');
    expect(taken()).toBeLessThan(15);
  });

  it('the signal ends the reading of a large body', async () => {
    const controller = new AbortController();
    const { transport } = service(() => {
      globalThis.setImmediate(() => controller.abort(new Error('Enough.')));
      return { json: { items: records(100_000) } };
    });
    const test = engineOf({ url: '/x' }, { transport });
    await expect(test.run({ signal: controller.signal })).rejects.toThrow('Enough.');
  });

  it('outputs stop at the cut', async () => {
    const { uuid, taken } = slowly(() => {}, 0);
    const { transport } = service(() => ({ json: {} }));
    const paged = { url: '/x', ...spec, pagination: { condition: false } };
    const test = engineOf(paged, { transport, uuid, limits: { maxRecords: 1 } });
    expect((await test.run({ parameters: { items } })).bundles).toHaveLength(1);
    expect(taken()).toBe(1);
    const limited = engineOf({ response: { ...spec.response, limit: 2 } }, { uuid });
    expect((await limited.run({ parameters: { items } })).bundles).toHaveLength(2);
    expect(taken()).toBe(3);
  });
});

describe('a large body', () => {
  const response = (body: Uint8Array, contentType: string, status = 200): TransportResponse => ({
    status,
    body,
    url: 'https://api.example.test/',
    headers: { 'content-type': contentType },
  });
  const bom = '\ufeff';

  it.each<[title: string, body: Uint8Array, contentType: string, type: ResponseType, status?: number]>([
    ['JSON', Buffer.from('{"a":[1,{"b":"ä"}]}'), 'application/json', 'automatic'],
    ['JSON with a byte order mark', Buffer.from(`${bom}[1]`), 'application/json', 'automatic'],
    ['JSON in UTF-16', Buffer.from(`${bom}["ä"]`, 'utf16le'), 'application/json', 'automatic'],
    ['JSON that is one text', Buffer.from('"a"'), 'application/json', 'automatic'],
    ['JSON of white space', Buffer.from(' \n'), 'application/json', 'automatic'],
    ['no content type, and JSON', Buffer.from('[1]'), '', 'automatic'],
    ['no content type, and text', Buffer.from('[1'), '', 'automatic'],
    ['JSON that is none, of an error', Buffer.from('[1'), 'application/json', 'automatic', 500],
    ['a form', Buffer.from('a=1&a=2&b=%C3%A4&c&=d'), 'application/x-www-form-urlencoded', 'automatic'],
    ['XML', Buffer.from('  <a b="1"><c>ä</c></a>'), 'text/xml', 'automatic'],
    ['XML of white space', Buffer.from('  '), 'text/xml', 'automatic'],
    ['XML that is none, of an error', Buffer.from('<a>'), 'text/xml', 'automatic', 404],
    ['text', Buffer.from(`${bom}äöü€`), 'text/plain', 'automatic'],
    [
      'text with broken characters',
      Buffer.from([0x61, 0xc3, 0x28, 0xff, 0xe2, 0x82]),
      'text/plain',
      'automatic',
    ],
    ['text in Windows-1252', Buffer.from([0x80, 0xe4, 0x9f]), 'text/plain; charset=latin1', 'automatic'],
    ['bytes', Buffer.from([1, 2]), 'image/png', 'automatic'],
  ])('is read as a small one: %s', async (_, body, contentType, type, status) => {
    const answer = response(body, contentType, status);
    const large = await decodeLargeBody(answer, type, new Turns(() => {}));
    expect(large).toEqual(decodeBody(answer, type));
  });

  it('that is not what its type says is an error', async () => {
    const answer = response(Buffer.from('[1,'), 'application/json');
    expect(await decodeLargeBody(answer, 'automatic', new Turns(() => {}))).toMatchObject({
      ok: false,
      error: { type: 'RuntimeError', message: expect.stringContaining('not valid JSON') },
    });
  });
});

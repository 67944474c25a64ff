import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import type { RunObserver } from '../../src/run/scope/run-observer.js';
import { countTurns, engineOf, service } from './helpers.js';

const BASE = { baseUrl: 'https://api.example.test' };
const numbers = Array.from({ length: 200_000 }, (_, id) => id % 10);

/** Takes 800,000 steps. */
const HALF = '{{sum(body.list)}}';

describe('all that is evaluated for one item', () => {
  const iterate = { container: '{{slice(body.list; 0; 2)}}', condition: HALF };

  it('shares the steps of one piece of work', async () => {
    const { transport } = service(() => ({ json: { list: numbers } }));
    const most = { transport, limits: { maxSteps: 2_500_000 } };
    const { run } = engineOf({ url: '/x', response: { iterate, output: HALF } }, most);
    expect((await run()).error).toBeUndefined();
    const heavy = { url: '/x', response: { iterate, output: HALF.repeat(3) } };
    expect((await engineOf(heavy, most).run()).error?.message).toContain('limits.maxSteps');
  });
});

describe('evaluations of one run', () => {
  it('have a turn each where those before have taken all of it', async () => {
    const { transport } = service((_request, call) => ({ json: call === 1 ? { list: numbers } : {} }));
    const sorted = '{{length(sort(temp.l))}}';
    const chain = [
      { url: '/a', response: { temp: { l: '{{body.list}}' } } },
      {
        url: '/b',
        qs: { n: sorted },
        repeat: { condition: `{{${sorted.slice(2, -2)} < 0}}`, limit: 1 },
        response: { valid: sorted, output: sorted },
      },
    ];
    const { run } = engineOf(chain, { transport });
    expect((await countTurns(run)).turns).toBeGreaterThan(3);
  });

  it('that take all of a turn leave none to the request they are made for', async () => {
    let isOthersTurn = false;
    const observer: RunObserver = {
      onDirective: (_document, pointer) => {
        if (pointer !== '/url') return;
        for (const end = performance.now() + 20; performance.now() < end; );
        setImmediate(() => {
          isOthersTurn = true;
        });
      },
      onDecision: () => {},
    };
    const { transport } = service(() => ({ json: isOthersTurn }));
    const { run } = engineOf({ url: '/x', response: { output: '{{body}}' } }, { transport, observer });
    expect((await run()).bundles).toEqual([true]);
  });

  it('are told once, however often they are begun anew', async () => {
    const told: string[] = [];
    const observer: RunObserver = {
      onDirective: (_document, pointer) => void told.push(pointer),
      onDecision: (_document, pointer, isYes) => void told.push(`${pointer} ${isYes}`),
    };
    const { transport } = service(() => ({ json: { list: numbers } }));
    const response = {
      valid: '{{first(sort(body.list)) >= 0}}',
      output: '{{if(last(sort(body.list)) > 0; first(sort(body.list)); 2)}}',
    };
    const { run } = engineOf({ url: '/x', response }, { transport, observer });
    expect((await run()).error).toBeUndefined();
    const ofAnswer = told.filter((each) => /valid|output/.test(each));
    expect(ofAnswer).toEqual([
      '/response/valid',
      '/response/valid true',
      '/response/output',
      '/response/output true',
    ]);
  });

  it('are done in turns in a webhook, too: a condition may sort a list of any length', async () => {
    const list = JSON.stringify({ list: numbers });
    const app = defineApp({
      name: 'hooked',
      webhooks: {
        w: {
          type: 'web',
          communication: {
            verification: { condition: '{{length(sort(body.list)) < 0}}' },
            condition: '{{length(sort(body.list)) > 0}}',
            output: { n: '{{length(body.list)}}' },
            respond: { status: 201, body: '{{length(sort(body.list))}}' },
          },
        },
      },
    });
    const engine = createEngine({ app });
    const report = await engine.webhook('w').handle({
      method: 'POST',
      url: '/x',
      headers: [['content-type', 'application/json']],
      body: Buffer.from(list),
    });
    await engine.close();
    expect(report).toMatchObject({ ok: true, answer: { status: 201 }, bundles: [{ n: numbers.length }] });
  });
});

describe('a page that is asked for with a long body', () => {
  it('is known again by its hash', async () => {
    const { transport, requests } = service(() => ({ json: { items: [1], next: true } }));
    const paged = {
      url: '/items',
      method: 'POST',
      type: 'text',
      body: '{{parameters.long}}',
      response: { iterate: '{{body.items}}' },
      pagination: { condition: '{{body.next}}', body: '{{parameters.long}}' },
    };
    const long = 'x'.repeat(100_000);
    const report = await engineOf(paged, { transport, onPageLoop: 'stop' }).run({ parameters: { long } });
    expect(report.stats.stopReason).toBe('page-loop');
    expect(requests.length).toBeLessThan(4);
  });
});

describe('what a service gives that is too much to keep from being shown', () => {
  const MANY = { l: Array.from({ length: 600_000 }, (_, id) => id) };

  it('ends the making of a connection with a report', async () => {
    const { transport } = service(() => ({ json: MANY }));
    const communication = { url: 'https://api.example.test/me', response: { data: '{{body}}' } };
    const app = defineApp({ name: 'c', base: BASE, connections: { c: { type: 'basic', communication } } });
    const engine = createEngine({ app, transport });
    const report = await engine.connection('c').create({ parameters: {} });
    await engine.close();
    expect(report.error).toMatchObject({ code: 'APP_ERROR', type: 'RuntimeError' });
    expect(report.error?.message).toContain('500000');
  });

  it('ends the call of an endpoint with a report', async () => {
    const { transport } = service(() => ({ json: MANY }));
    const app = defineApp({
      name: 'e',
      base: BASE,
      endpoints: { e: { communication: { url: '/e' } } },
      modules: {
        m: {
          type: 'action',
          communication: [
            { url: '/a', response: { temp: { c: '{{body}}' } } },
            { endpoint: { name: 'e', connection: '{{temp.c}}' } },
          ],
        },
      },
    });
    const engine = createEngine({ app, transport });
    const report = await engine.module('m').run({});
    await engine.close();
    expect(report.error?.message).toContain('500000');
  });
});

describe('the entries of an epoch', () => {
  it('are listed in turns', async () => {
    const items = Array.from({ length: 60_000 }, (_, id) => ({ id, at: '2024-01-05T00:00:00Z' }));
    const { transport } = service(() => ({ json: items }));
    const trigger = { type: 'date', id: '{{item.id}}', date: '{{item.at}}', order: 'desc' };
    const app = defineApp({
      name: 't',
      base: BASE,
      modules: {
        m: {
          type: 'trigger',
          communication: { url: '/x', response: { iterate: '{{body}}', trigger } },
          epoch: { response: { output: { label: '{{item.id}}', date: '{{item.at}}' } } },
        },
      },
    });
    const engine = createEngine({ app, transport });
    const report = await engine.module('m').epoch({});
    await engine.close();
    expect(report.error).toBeUndefined();
    expect(report.entries).toHaveLength(items.length);
    expect(report.entries?.at(-1)).toMatchObject({ label: items.length - 1, id: items.length - 1 });
  });
});

import { describe, expect, it, vi } from 'vitest';
import type { Document } from '../../src/engine/document/document.js';
import { createEngine, defineApp } from '../../src/index.js';
import { engineOf, service } from './helpers.js';

const answering = (): ReturnType<typeof service> => service(() => ({ json: { ok: true } }));

function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A document that records the pointers whose location is requested. */
function notingPlaces(document: Document, placed: string[]): Document {
  const locationOf = (pointer: string): { readonly pointer: string } => {
    placed.push(pointer);
    return { pointer };
  };
  return { ...document, locationOf };
}

function engineWithForm(mappableParams: readonly unknown[], placed: string[] = []) {
  const communication = { url: 'https://api.example.test/', response: { output: '{{body}}' } };
  const app = defineApp({ name: 'large', modules: { m: { type: 'action', communication, mappableParams } } });
  const module = app.modules.get('m');
  if (module?.mappableParams === undefined) throw new Error('The module has no form.');
  const form = notingPlaces(module.mappableParams, placed);
  const modules = new Map([['m', { ...module, mappableParams: form }]]);
  const { transport } = answering();
  return createEngine({ app: { ...app, modules }, http: { transport } });
}

describe('a form of many fields', () => {
  const fields = list(5000, (index) => ({ name: `f${index}`, type: 'text' }));

  it('is read and checked without computing locations of its fields', async () => {
    const placed: string[] = [];
    const report = await engineWithForm(fields, placed)
      .module('m')
      .run({ parameters: { f1: 'x' } });
    expect(report.error).toBeUndefined();
    expect(placed).toEqual([]);
  });

  it('names one of several invalid fields', async () => {
    const placed: string[] = [];
    const wrong = list(5000, (index) => ({ name: `f${index}`, type: 'text', required: true }));
    const report = await engineWithForm(wrong, placed).module('m').run();
    expect(report.error?.suberrors).toHaveLength(1001);
    expect(placed.length).toBeLessThanOrEqual(2);
  });
});

describe('a communication', () => {
  it('has at most 50,000 members in objects that its requests share with the base', async () => {
    const body = Object.fromEntries(list(499, (id) => [`n${id}`, 1]));
    const report = (count: number) =>
      engineOf(
        list(count, () => ({ body: { own: 1 }, response: { output: { id: 1 } } })),
        { base: { body }, http: { transport: answering().transport } },
      ).run();
    expect((await report(100)).error).toBeUndefined();
    expect((await report(101)).error).toMatchObject({
      type: 'InvalidConfigurationError',
      message: 'The requests of a communication merge more than 50000 members with the base.',
    });
  });

  it('has at most 1000 requests', async () => {
    const { transport } = answering();
    const report = (count: number) =>
      engineOf(
        list(count, () => ({ response: { output: { id: 1 } } })),
        { http: { transport } },
      ).run();
    expect((await report(1000)).error).toBeUndefined();
    expect((await report(1001)).error).toMatchObject({
      type: 'InvalidConfigurationError',
      message: 'A communication has at most 1000 requests, not 1001.',
    });
  });
});

describe('missing values', () => {
  it('are reported up to five hundred, with locations computed when the trace is read', async () => {
    const output = list(3000, (index) => `{{body.x${index}}}`).join(' ');
    const communication = { url: 'https://api.example.test/', response: { output: { text: output } } };
    const app = defineApp({ name: 'large', modules: { m: { type: 'action', communication } } });
    const module = app.modules.get('m');
    if (module?.communication === undefined) throw new Error('The module has no communication.');
    const placed: string[] = [];
    const written = notingPlaces(module.communication, placed);
    const modules = new Map([['m', { ...module, communication: written }]]);
    const report = await createEngine({
      app: { ...app, modules },
      http: { transport: answering().transport },
    })
      .module('m')
      .run();
    expect(report.error).toBeUndefined();
    expect(placed.length).toBeLessThan(10);
    expect(report.trace.filter(({ kind }) => kind === 'missing')).toHaveLength(500);
    expect(placed.length).toBeGreaterThan(500);
  });
});

it('are reported once if an evaluation with more of them is repeated', async () => {
  const holes = list(1500, (index) => `{{body.x${index}}}`).join('');
  const output = `{{random}} ${holes}{{length(sort(body.list))}} {{random}}`;
  const communication = { url: 'https://api.example.test/', response: { output: { text: output } } };
  const app = defineApp({ name: 'large', modules: { m: { type: 'action', communication } } });
  const { transport } = service(() => ({ json: { list: list(30_000, (index) => (index * 7919) % 30_011) } }));
  let drawn = 0;
  const engine = createEngine({ app, http: { transport }, random: () => ++drawn / 8 });
  const report = await engine.module('m').run();
  expect(report.bundles).toEqual([{ text: '0.125 30000 0.25' }]);
  expect(drawn).toBe(2);
  expect(report.trace.filter(({ kind }) => kind === 'missing')).toHaveLength(500);
});

describe('paths of log.sanitize', () => {
  const engineHiding = (count: number, requests: number) => {
    const sanitize = list(count, (index) => `response.body.field${index}`);
    const request = { url: 'https://api.example.test/', log: { sanitize }, response: { output: '{{body}}' } };
    return engineOf(
      list(requests, () => request),
      { http: { transport: answering().transport } },
    );
  };

  it('shared by the requests of a chain are read once', async () => {
    const read = vi.spyOn(String.prototype, 'matchAll');
    try {
      await engineHiding(1000, 1).run();
      const once = read.mock.calls.length;
      read.mockClear();
      await engineHiding(1000, 5).run();
      expect(read).toHaveBeenCalledTimes(once);
    } finally {
      read.mockRestore();
    }
  });

  /** A chain whose requests each name `count` texts that the one before has not named. */
  const runNaming = (requests: number, count: number) => {
    const sanitize = list(count, (index) => `request.body<temp.text + " ${index}">`);
    const chain = list(requests, (index) => ({
      url: 'https://api.example.test/',
      temp: { text: `text of ${index}` },
    }));
    const base = { log: { sanitize } };
    return engineOf(chain, { http: { transport: answering().transport }, base }).run();
  };

  it('in angle brackets may change with each request', async () => {
    expect((await runNaming(95, 5)).error).toBeUndefined();
  });

  it('beyond the limit of a run cause one warning', async () => {
    const { error, warnings } = await runNaming(60, 100);
    expect(error).toBeUndefined();
    expect(warnings.map(({ code }) => code)).toEqual(['many-secrets']);
  });

  const runHiding = (length: number, expressions: readonly (readonly string[])[]) => {
    const chain = expressions.map((texts) => ({
      url: 'https://api.example.test/',
      method: 'POST',
      body: { file: '{{parameters.file}}' },
      log: { sanitize: texts.map((text) => `request.body<${text}>`) },
    }));
    const file = list(length / 10, (index) => `${index}`.padEnd(9)).join('\n');
    const { transport } = answering();
    return engineOf(chain, { http: { transport }, trace: 'full' }).run({ parameters: { file } });
  };

  it('in angle brackets may have the length of a file', async () => {
    const { error, trace, warnings } = await runHiding(3_000_000, [['parameters.file']]);
    expect(error).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(JSON.stringify(trace[0])).not.toContain('1234');
  });
});

describe('the warnings of a request', () => {
  it('name a hundred collections of its query, each once', async () => {
    const qs = {
      many: list(300, () => ({})),
      ...Object.fromEntries(list(300, (index) => [`q${index}`, {}])),
    };
    const { error, warnings } = await engineOf(
      { url: '/x', qs },
      { http: { transport: answering().transport } },
    ).run();
    expect(error).toBeUndefined();
    expect(warnings).toHaveLength(100);
    expect(new Set(warnings.map(({ message }) => message)).size).toBe(100);
  });
});

describe('the page of an authorization', () => {
  it('can sort a long list', async () => {
    const sorted = '{{last(sort(parameters.list; "asc"; "n")).n}}';
    const authorize = { url: 'https://id.example.test/', temp: { last: sorted }, qs: { last: sorted } };
    const communication = { authorize, token: { url: 'https://id.example.test/token' } };
    const app = defineApp({ name: 'large', connections: { c: { type: 'oauth', communication } } });
    const { orThrow } = createEngine({ app, http: { transport: answering().transport } })
      .connection('c')
      .authorize({
        parameters: { list: list(150_000, (index) => ({ n: (index * 7919) % 150_000 })) },
        redirectUri: 'https://app.example.test/callback',
      });
    const { url } = await orThrow();
    expect(new URL(url).searchParams.get('last')).toBe('149999');
  });
});

describe('values that a chain inherits', () => {
  it('are the same for each request, also before and after one with its own values', async () => {
    const { transport, requests } = answering();
    const base = {
      baseUrl: 'https://api.example.test',
      headers: { a: '{{1}}' },
      qs: '{{parameters.shared}}',
    };
    const between = { url: '/', headers: { b: 2 }, qs: { own: 3 } };
    const { run } = engineOf([{ url: '/' }, between, { url: '/' }], { base, http: { transport } });
    expect((await run({ parameters: { shared: { q: 1 } } })).error).toBeUndefined();
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?q=1', '?q=1&own=3', '?q=1']);
    const own = requests.map(({ headers }) => headers.filter(([name]) => /^[ab]$/i.test(name)));
    expect(own.map((list) => list.map(([, value]) => value))).toEqual([['1'], ['1', '2'], ['1']]);
  });

  it('limits the paths of log.sanitize that all requests merge with the base', async () => {
    const sanitize = list(499, (id) => `request.body.n${id}`);
    const report = (count: number) =>
      engineOf(
        list(count, () => ({ log: { sanitize: ['request.body.own'] }, response: { output: { id: 1 } } })),
        { base: { log: { sanitize } }, http: { transport: answering().transport } },
      ).run();
    expect((await report(100)).error).toBeUndefined();
    expect((await report(101)).error).toMatchObject({ type: 'InvalidConfigurationError' });
  });
});

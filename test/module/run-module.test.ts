import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/index.js';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';

describe('an instant trigger', () => {
  const run = async (communication: unknown, payload: unknown): Promise<RunReport> => {
    const { transport } = service(() => ({ json: { rows: [1, 2] } }));
    const modules = {
      on: { type: 'instant_trigger' as const, ...(communication !== undefined && { communication }) },
    };
    return engineOf({ modules }, { http: { transport } }).engine.module('on').run({ payload });
  };

  it.each([undefined, {}, [], [{}]])('outputs the item with the communication %j', async (communication) => {
    expect((await run(communication, { id: 1 })).bundles).toEqual([{ id: 1 }]);
    expect((await run(communication, undefined)).bundles).toEqual([]);
  });

  it('warns about ignored members', async () => {
    const spec = { url: '/x', response: { iterate: '{{body.rows}}' }, pagination: { qs: {} } };
    const { bundles, warnings, stats } = await run(spec, {});
    expect(bundles).toEqual([{ rows: [1, 2] }]);
    expect(warnings.map(({ code, place }) => [code, place?.pointer])).toEqual([
      ['directive-ignored', '/modules/on/communication/response/iterate'],
      ['directive-ignored', '/modules/on/communication/pagination'],
    ]);
    expect(stats.requests).toBe(1);
  });
});

describe('a universal module', () => {
  const call = async (
    url: string,
    given: string,
    base: unknown = { baseUrl: 'https://{{connection.host}}/v1' },
  ): Promise<{ readonly report: RunReport; readonly urls: readonly string[] }> => {
    const { transport, requests } = service(() => ({ json: {} }));
    const communication = { url, response: { output: '{{body}}' } };
    const { engine } = engineOf(
      { base, modules: { any: { type: 'universal', communication } } },
      { http: { transport } },
    );
    const connection = { host: 'api.example.test' };
    const report = await engine.module('any').run({ parameters: { url: given }, connection });
    return { report, urls: requests.map((request) => request.url) };
  };

  it.each([
    ['{{parameters.url}}', '/tasks', 'https://api.example.test/v1/tasks'],
    ['/{{parameters.url}}', 'tasks', 'https://api.example.test/v1/tasks'],
    ['{{parameters.url}}', 'https://api.example.test/v2/tasks', 'https://api.example.test/v2/tasks'],
    ['https://other.example.test{{parameters.url}}', '/tasks', 'https://other.example.test/tasks'],
    ['https://{{connection.host}}:8443/{{parameters.url}}', 'tasks', 'https://api.example.test:8443/tasks'],
    // Slashes in a row are one: this names no host.
    ['{{parameters.url}}', '//evil.test/tasks', 'https://api.example.test/v1/evil.test/tasks'],
  ])('with the url %s calls %s', async (url, given, called) => {
    const { report, urls } = await call(url, given);
    expect(report.error).toBeUndefined();
    expect(urls).toEqual([called]);
  });

  it.each([
    ['{{parameters.url}}', 'https://evil.test/tasks'],
    ['{{parameters.url}}', 'http://api.example.test/tasks'],
    ['https://api.example.test{{parameters.url}}', '.evil.test/tasks'],
    ['https://api.example.test{{parameters.url}}', '@evil.test/tasks'],
    ['https://api.example.test{{parameters.url}}', ':444/tasks'],
    ['{{temp.x}}{{parameters.url}}', 'https://evil.test/'],
  ])('with the url %s and the value %s sends nothing', async (url, given) => {
    const { report, urls } = await call(url, given);
    expect(report.error?.type).toBe('RuntimeError');
    expect(urls).toEqual([]);
  });

  it('causes a warning if the app names no server', async () => {
    const { report, urls } = await call('{{parameters.url}}', 'https://any.example.test/', {});
    expect(urls).toEqual(['https://any.example.test/']);
    expect(report.warnings.map(({ code }) => code)).toEqual(['open-host']);
  });

  it('is the only kind restricted to the server of its app', async () => {
    const { transport, requests } = service(() => ({ json: {} }));
    const communication = { url: '{{parameters.url}}' };
    const { engine } = engineOf(
      { modules: { any: { type: 'action', communication } } },
      { http: { transport } },
    );
    await engine.module('any').run({ parameters: { url: 'https://other.test/' } });
    expect(requests).toHaveLength(1);
  });
});

describe('a responder', () => {
  const { engine } = engineOf({
    modules: {
      answer: { type: 'responder', communication: [{ response: { body: '{{parameters.a}}' } }] },
      get: { type: 'action', communication: { url: '/' } },
    },
  });

  it('cannot run', () => {
    expect(() => engine.module('answer').run()).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('is the only kind that returns a response', async () => {
    expect(() => engine.module('get', 'responder')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    const { result } = await engine
      .module('answer', 'responder')
      .respond({ parameters: { a: new Uint8Array([1, 255]) } });
    expect(result?.headers).toEqual([['Content-Type', 'application/octet-stream']]);
    expect([...(result?.body ?? [])]).toEqual([1, 255]);
  });
});

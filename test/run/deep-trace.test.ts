import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/index.js';
import { engineOf, service } from './helpers.js';

type Of<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>;

function eventsOf<Kind extends TraceEvent['kind']>(
  trace: readonly TraceEvent[],
  kind: Kind,
): readonly Of<Kind>[] {
  return trace.filter((event): event is Of<Kind> => event.kind === kind);
}

const PAGED = {
  url: '/items',
  response: { iterate: '{{body.items}}', output: { id: '{{item.id}}' }, temp: { seen: '{{body.next}}' } },
  pagination: { condition: '{{body.next}}', qs: { cursor: '{{body.next}}' } },
};

const ANSWERS = [
  { items: [{ id: 1 }, { id: 2 }], next: 'b', session_token: 'sess-0123456789' },
  { items: [{ id: 3 }], next: null },
];

async function deepTrace(communication: unknown, input = {}) {
  const { transport } = service((_request, call) => ({ json: ANSWERS[call - 1] ?? {} }));
  const report = await engineOf(communication, { http: { transport }, trace: 'deep' }).run(input);
  return report.trace;
}

describe('a deep trace', () => {
  it('redacts a value in the variables before the request that sends it under a secret name', async () => {
    const { transport } = service(() => ({ json: {} }));
    const communication = {
      url: '/x',
      method: 'POST',
      body: { password: '{{parameters.word}}' },
      response: {},
    };
    const options = { http: { transport }, trace: 'deep', onTrace: () => {} } as const;
    const { trace } = await engineOf(communication, options).run({
      parameters: { word: 'Tr0ub4dor&3-horse' },
    });
    expect(eventsOf(trace, 'scope')[0]?.names).toMatchObject({ parameters: { word: '[SANITIZED]' } });
    expect(JSON.stringify(trace)).not.toContain('Tr0ub4dor');
  });

  it('contains the results of each page', async () => {
    const pages = eventsOf(await deepTrace(PAGED), 'page');
    expect(pages).toMatchObject([
      { page: 1, isIterated: true, looked: 2, isCut: false, outputs: [{ id: 1 }, { id: 2 }] },
      { page: 2, isIterated: true, looked: 1, isCut: false, outputs: [{ id: 3 }] },
    ]);
  });

  it('contains the variables before a request and after its response, and only changes', async () => {
    const scopes = eventsOf(await deepTrace(PAGED, { parameters: { q: 'x' } }), 'scope');
    expect(scopes.map(({ phase, page }) => [phase, page])).toEqual([
      ['request', 1],
      ['response', 1],
      ['request', 2],
      ['response', 2],
    ]);
    expect(scopes[0]?.names).toMatchObject({ parameters: { q: 'x' }, pagination: { page: 1 } });
    expect(scopes[1]?.names).toMatchObject({
      statusCode: 200,
      body: { items: [{ id: 1 }, { id: 2 }] },
      temp: { seen: 'b' },
    });
    expect(scopes[1]?.names).not.toHaveProperty('parameters');
    expect(Object.keys(scopes[2]?.names ?? {})).not.toContain('body');
    expect(scopes[3]?.names).toMatchObject({ body: { items: [{ id: 3 }] } });
  });

  it('holds no secret', async () => {
    const connection = { apiKey: 'key-abcdef-123456' };
    const text = JSON.stringify(await deepTrace(PAGED, { connection }));
    expect(text).not.toContain('key-abcdef-123456');
    expect(text).not.toContain('sess-0123456789');
    expect(text).toContain('"apiKey":"[SANITIZED]"');
  });

  it('redacts values at paths of log.sanitize, including short ones', async () => {
    const trace = await deepTrace({ ...PAGED, log: { sanitize: ['response.body.next'] } });
    const [, response] = eventsOf(trace, 'scope');
    expect(response?.names['body']).toMatchObject({ next: '[SANITIZED]' });
  });

  it('contains the used limits at the end of pagination, and the reason of each wait', async () => {
    const trace = await deepTrace({
      ...PAGED,
      repeat: { condition: '{{body.next = "b"}}', delay: 5, limit: 1 },
    });
    expect(eventsOf(trace, 'wait')).toMatchObject([{ delayMs: 5, reason: 'repeat', repeats: 0 }]);
    const [stop] = eventsOf(trace, 'stop');
    expect(stop?.used).toMatchObject({ requests: 2, followUpPages: 0, records: 1 });
  });

  it('is not deeper than requested', async () => {
    const { transport } = service(() => ({ json: ANSWERS[1] }));
    const { trace } = await engineOf(PAGED, { http: { transport }, trace: 'full' }).run({});
    expect(trace.map(({ kind }) => kind)).toEqual(['request', 'response', 'stop']);
  });
});

import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/index.js';
import { toEnvironment } from '../../src/language/environment.js';
import { functions as FUNCTIONS } from '../../src/language/index.js';
import { evaluateAt, explainDocument } from '../../src/tools/dev/expressions/explain-document.js';
import {
  chooseMoment,
  openMoments,
  type StepMoments,
  showMoments,
} from '../../src/tools/dev/expressions/moments.js';
import { type Moment, momentAt } from '../../src/tools/dev/expressions/scope-at.js';
import { type PackedBody, packEvents } from '../../src/tools/dev/history/history.js';
import { engineOf, service } from '../run/helpers.js';

type Language = Parameters<typeof evaluateAt>[2];
type ExplainedText = Parameters<typeof explainDocument>[0];
type PackedEvent = ReturnType<typeof packEvents>[number]['event'];
type MomentName = NonNullable<Parameters<typeof chooseMoment>[1]>;

const LANGUAGE: Language = { environment: toEnvironment({}), functions: FUNCTIONS };

/** A run as the history has it. */
interface KeptRun {
  readonly events: readonly PackedEvent[];
  readonly texts: readonly ExplainedText[];
  readonly step: (seq: number) => Promise<Moment>;
  readonly open: (seq: number, item?: number) => Promise<StepMoments>;
  /** The seq of the request with this number, from 0. */
  readonly request: (number: number) => number;
}

async function keep(communication: unknown, answers: readonly unknown[]): Promise<KeptRun> {
  const { transport } = service((_request, call) => ({ json: answers[call - 1] ?? {} }));
  const { trace } = await engineOf(communication, { http: { transport }, trace: 'deep' }).run({
    parameters: { q: 'x' },
    connection: { apiKey: 'key-abcdef-123456' },
  });
  const packed = packEvents(trace, 0);
  const bodies = new Map<string, PackedBody>(
    packed.flatMap(({ bodies: own }) => own.map((body) => [body.ref, body] as const)),
  );
  const history = { body: async (ref: string) => bodies.get(ref) };
  const events = packed.map(({ event }) => event);
  const text = JSON.stringify(communication);
  const texts: ExplainedText[] = [{ role: 'communication', file: 'm.json', text }];
  const step = async (seq: number): Promise<Moment> => {
    const found = await momentAt(events, seq, history);
    if (found === undefined) throw new Error('The run told of no names.');
    return found;
  };
  return {
    events,
    texts,
    step,
    open: async (seq, item = 0) => openMoments(await step(seq), { texts, language: LANGUAGE, item }),
    request: (number) => events.filter(({ kind }) => kind === 'request')[number]?.seq ?? Number.NaN,
  };
}

const PAGED = {
  url: '/items',
  response: {
    iterate: '{{body.items}}',
    output: { id: '{{item.id}}' },
    temp: { seen: '{{body.next}}' },
    limit: '{{parameters.limit}}',
  },
  pagination: { condition: '{{body.next}}', qs: { cursor: '{{body.next}}', page: '{{pagination.page}}' } },
};
const PAGES = [{ items: [{ id: 1 }, { id: 2 }], next: 'b' }, { items: [{ id: 3 }] }];

type Row = readonly [request: number, moment: MomentName, item: number, expression: string, text: string];

/** The value of an expression at each moment of a run with two pages. */
const VALUES: readonly Row[] = [
  [0, 'request', 0, 'parameters.q', '"x"'],
  [0, 'request', 0, 'pagination.page', '1'],
  [0, 'request', 0, 'body.items[1].id', 'undefined'],
  [0, 'request', 0, 'connection.apiKey', '"[SANITIZED]"'],
  [0, 'answer', 0, 'body.items[2].id', '2'],
  [0, 'answer', 0, 'statusCode', '200'],
  [0, 'answer', 0, 'headers.`Content-Type`', '"application/json"'],
  [0, 'answer', 0, 'headers', '{ "content-type": "application/json" }'],
  [0, 'answer', 0, 'temp.seen', '"b"'],
  [0, 'answer', 0, 'item.id', 'undefined'],
  [0, 'item', 1, 'item.id', '2'],
  [0, 'item', 7, 'item.id', '2'],
  [0, 'item', Number.NaN, 'item.id', '1'],
  [0, 'next', 0, 'pagination.page', '2'],
  [0, 'next', 0, 'body.next', '"b"'],
  [1, 'request', 0, 'body.next', '"b"'],
  [1, 'request', 0, 'temp.seen', '"b"'],
  [1, 'answer', 0, 'body.items[1].id', '3'],
  [1, 'next', 0, 'pagination.page', '3'],
];

describe('a step of a run', () => {
  it('has the variables before and after each step, and of the page that was not requested', async () => {
    const run = await keep(PAGED, PAGES);
    for (const [request, name, item, expression, text] of VALUES) {
      const { names } = chooseMoment(await run.open(run.request(request), item), name);
      const { text: got } = evaluateAt(`{{${expression}}}`, names, LANGUAGE);
      expect([request, name, item, expression, got]).toEqual([request, name, item, expression, text]);
    }
    const reached = async (request: number): Promise<unknown> =>
      (await run.open(run.request(request))).moments.map(({ name, wasReached }) => [name, wasReached]);
    const all = [
      ['request', true],
      ['answer', true],
      ['item', true],
    ];
    expect(await reached(0)).toEqual([...all, ['next', true]]);
    expect(await reached(1)).toEqual([...all, ['next', false]]);
  });

  it('summarizes each variable', async () => {
    const run = await keep(PAGED, PAGES);
    const { moments, items } = showMoments(await run.open(run.request(0)));
    expect(items).toBe(2);
    const words = (name: MomentName): Record<string, string> =>
      Object.fromEntries(
        (moments.find((moment) => moment.name === name)?.names ?? []).map((one) => [one.name, one.text]),
      );
    expect(words('request')).toMatchObject({ parameters: 'collection: q', temp: 'empty collection' });
    expect(words('request')).not.toHaveProperty('body');
    expect(words('answer')).toMatchObject({ headers: 'collection: content-type', statusCode: '200' });
    expect(words('item')).toMatchObject({ body: 'collection: items, next', item: 'collection: id' });
  });

  it('of a repeat has its own response', async () => {
    const run = await keep(
      { url: '/job', repeat: { condition: '{{body.state != "done"}}', delay: 1, limit: 3 } },
      [{ state: 'new' }, { state: 'done' }],
    );
    const states = [0, 1].map(async (request) => {
      const step = await run.step(run.request(request));
      return [step.request?.['body'], step.response?.['body']];
    });
    expect(await Promise.all(states)).toEqual([
      [undefined, { state: 'new' }],
      [{ state: 'new' }, { state: 'done' }],
    ]);
    const { moments } = await run.open(run.request(1));
    const [text] = run.texts;
    const { expressions } = explainDocument(text ?? never(), {
      deadlineMs: Number.POSITIVE_INFINITY,
      moments,
      requestIndex: 0,
      language: LANGUAGE,
    });
    expect(expressions.map(({ moment, value }) => [moment, value.text])).toEqual([['answer', 'false']]);
  });

  it('of a chain has its own request, also if it was skipped', async () => {
    const run = await keep(
      [
        { url: '/a', response: { temp: { id: '{{body.id}}' } } },
        { url: '/b', condition: '{{temp.id = 2}}' },
        {
          url: '/c/{{temp.id}}',
          response: { output: '{{body}}' },
          pagination: { qs: { p: 1 }, condition: false },
        },
      ],
      [{ id: 1 }, { id: 3 }],
    );
    const first = await run.open(run.request(0));
    expect(first.moments.map(({ name }) => name)).toEqual(['request', 'answer']);
    const skipped = run.events.find(({ kind }) => kind === 'skipped');
    const { moments } = await run.open(skipped?.seq ?? Number.NaN);
    expect(moments.map(({ name, names }) => [name, names['temp']])).toEqual([['request', { id: 1 }]]);
    const [text] = run.texts;
    const { expressions } = explainDocument(text ?? never(), {
      deadlineMs: Number.POSITIVE_INFINITY,
      moments,
      requestIndex: 1,
      language: LANGUAGE,
    });
    expect(expressions.map(({ source, value }) => [source, value.text])).toEqual([
      ['{{temp.id = 2}}', 'false'],
    ]);
  });

  it('without a response reports that moments after it do not exist', async () => {
    const failing = service(() => {
      throw new TransportError('NETWORK_FAILED', 'There is no way there.');
    });
    const { trace } = await engineOf(PAGED, { http: { transport: failing.transport }, trace: 'deep' }).run(
      {},
    );
    expect(trace.some(({ kind }) => kind === 'request')).toBe(true);
    const events = packEvents(trace, 0).map(({ event }) => event);
    const moment = await momentAt(events, 1, { body: async () => undefined });
    const texts: ExplainedText[] = [];
    const step = openMoments(moment ?? never(), { texts, language: LANGUAGE, item: 0 });
    expect(step.moments.map(({ name }) => name)).toEqual(['request']);
    expect(chooseMoment(step, undefined).name).toBe('request');
    expect(() => chooseMoment(step, 'item')).toThrow(
      'This step of the run has no moment "item". Expected one of request.',
    );
  });

  it('reports the moment at which each expression was evaluated', async () => {
    const run = await keep(PAGED, PAGES);
    const { moments } = await run.open(run.request(1));
    const [text] = run.texts;
    const { expressions } = explainDocument(text ?? never(), {
      deadlineMs: Number.POSITIVE_INFINITY,
      moments,
      requestIndex: 0,
      language: LANGUAGE,
    });
    expect(expressions.map(({ source, moment, value }) => [source, moment, value.text])).toEqual([
      ['{{body.items}}', 'answer', '[ { "id": 3 } ]'],
      ['{{item.id}}', 'item', '3'],
      ['{{body.next}}', 'answer', 'undefined'],
      ['{{parameters.limit}}', 'request', 'undefined'],
      ['{{body.next}}', 'next', 'undefined'],
      ['{{body.next}}', 'next', 'undefined'],
      ['{{pagination.page}}', 'next', '3'],
    ]);
  });
});

function never(): never {
  throw new Error('It has to be there.');
}

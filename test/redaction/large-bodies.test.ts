import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redact.js';
import { engineOf, service } from '../run/helpers.js';
import { CountedTurns } from '../util/counted-turns.js';

const headers = { 'content-type': 'application/json' };
const rows = (count: number): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, note: `note ${id}`, text: 'x'.repeat(40) }));

describe('of a body that is larger than what is shown', () => {
  const shownOf = (body: object, sanitize: readonly string[] = []): string => {
    const redactor = createRedactor({ secrets: [], sanitize, maxShown: 1000 });
    return String(redactor.response({ status: 200, headers, body: Buffer.from(JSON.stringify(body)) }).body);
  };

  it('the start is shown by names and paths, as all of a small one is', () => {
    const start = { token: 'abc-token-1', a: { b: 'at-a-path', c: ['it "is" \\ {open}'] }, list: rows(50) };
    const shown = shownOf(start, ['response.body.a.b', 'response.body.list.note']);
    expect(shown).not.toMatch(/abc-token|at-a-path|note 0/);
    expect(shown).toContain('{open}');
    expect(shown).toMatch(/… \[left out\]$/);
    expect(JSON.parse(shown.replace(/… \[left out\]$/, ''))).toMatchObject({
      a: { c: ['it "is" \\ {open}'] },
    });
  });

  it.each([
    ['a text', { text: 'y'.repeat(5000), token: 'abc-token-1' }],
    ['a list of texts', ['a', 'y'.repeat(5000)]],
    ['nesting', JSON.parse(`${'['.repeat(900)}1${']'.repeat(900)}`)],
  ])('something is shown where its start is %s', (_, body) => {
    const shown = shownOf(body);
    expect(shown).toMatch(/^[[{]/);
    expect(shown).not.toContain('abc-token');
  });

  it('everything it hides is learned, in turns', async () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['response.body.last.deep'] });
    const turns = new CountedTurns();
    const body = {
      rows: rows(100_000),
      last: { token: 'behind-everything-1', deep: 'at a path', password: ['of-a-list-22'] },
    };
    await redactor.learnBody('response', body, turns);
    expect(turns.taken).toBeGreaterThan(500);
    expect(redactor.text('behind-everything-1, at a path, of-a-list-22')).toBe(
      '[SANITIZED], [SANITIZED], [SANITIZED]',
    );
  });
});

describe('what is shown by default takes about as long to clean, whatever it is', () => {
  const most = 256 * 1024;

  it.each<[string, string, number]>([
    ['plain text', 'x', most],
    ['text with escapes', '%41', Math.ceil(most / 3)],
  ])('%s', (_title, piece, expected) => {
    const shown = createRedactor({ secrets: [] }).text(piece.repeat(most));
    expect(shown.replace('… [left out]', '')).toHaveLength(expected);
  });

  it.each([
    ['near what is shown', 8191, Math.ceil(most / 3)],
    ['far behind it', 8192, most],
  ])('text with an escape %s', (_title, behind, expected) => {
    const shown = createRedactor({ secrets: [] }).text(`${'x'.repeat(most + behind)}%41`);
    expect(shown.replace('… [left out]', '')).toHaveLength(expected);
  });

  it('values and their names', () => {
    const shown = createRedactor({ secrets: [] }).value(Array.from({ length: 10_000 }, () => ({ id: 1 })));
    // An item, its member, and the name of that.
    expect(shown).toHaveLength(Math.ceil(most / (48 + 48 + 2)) + 1);
  });

  it('a body that was looked through in turns is not looked through again', async () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['response.body.a.deep'] });
    let looked = 0;
    const inner = new Proxy(
      { deep: 'at a path 1' },
      {
        ownKeys: (target) => Reflect.ownKeys(target),
        get: (target, name) => {
          looked++;
          return Reflect.get(target, name);
        },
      },
    );
    const body = { a: inner };
    await redactor.learnBody('response', body, new CountedTurns());
    const before = looked;
    const shown = redactor.response({ status: 200, headers, body });
    expect(shown.body).toEqual({ a: { deep: '[SANITIZED]' } });
    expect(before).toBeGreaterThan(0);
    expect(looked).toBeLessThanOrEqual(2 * before);
  });
});

describe('a run with large bodies', () => {
  const large = { rows: rows(20_000), token: 'behind-everything-1' };
  const json = { ...large, error: 'no' };

  it.each([['summary'], ['full'], ['deep']] as const)(
    'tells no secret of an answer in its error: %s trace',
    async (trace) => {
      const { transport } = service(() => ({ status: 400, json }));
      const spec = { url: '/x', response: { error: { message: 'It said {{body.token}}' } } };
      const { error, trace: events } = await engineOf(spec, { transport, trace }).run();
      expect(error?.message).toBe('It said [SANITIZED]');
      expect(JSON.stringify(events)).not.toContain('behind-everything');
    },
  );

  it('tells no secret of an answer read as text', async () => {
    const { transport } = service(() => ({
      text: JSON.stringify(json),
      headers: { 'content-type': 'text/plain' },
    }));
    const message = '{{substring(body; 0; 4)}} {{last(split(body; "token"))}}';
    const { error } = await engineOf(
      { url: '/x', response: { valid: { condition: false, message } } },
      { transport },
    ).run();
    expect(error?.message).toContain('[SANITIZED]');
    expect(error?.message).not.toContain('behind-everything');
  });

  it('tells no secret of a request', async () => {
    const { transport } = service(() => ({ status: 400, json: { error: 'no' } }));
    const response = { error: { message: 'Sent {{parameters.body.token}}' } };
    const spec = { url: '/x', method: 'POST', type: 'json', body: '{{parameters.body}}', response };
    const { error } = await engineOf(spec, { transport }).run({ parameters: { body: large } });
    expect(error?.message).toBe('Sent [SANITIZED]');
  });

  it('leaves the thread to others while a trace with bodies is written', async () => {
    const { transport } = service(() => ({ json: { items: rows(3000) } }));
    const spec = {
      url: '/x',
      response: { iterate: '{{body.items}}', output: '{{item.id}}' },
      pagination: { qs: { page: '{{pagination.page}}' } },
    };
    const run = engineOf(spec, { transport, trace: 'full', limits: { maxPages: 20, maxRecords: 1e6 } }).run();
    let others = 0;
    const timer = setInterval(() => others++, 1);
    const report = await run;
    clearInterval(timer);
    const before = others;
    // Written by now: what is read twice is the same.
    const events = report.trace;
    expect(events[1]).toBe(report.trace[1]);
    expect(events.filter(({ kind }) => kind === 'response')).toHaveLength(21);
    expect(before).toBeGreaterThan(5);
  });
});

describe('of values that are cut off', () => {
  const xs = (count: number): readonly string[] => Array.from({ length: count }, () => 'x');
  const rowsOf = (texts: readonly string[]): readonly object[] =>
    texts.map((a, id) => ({ id, a, note: '-' }));

  it.each<[string, (before: number) => unknown]>([
    ['items', (before) => [...xs(before), 'first-half', 'second-half', ...xs(200)]],
    ['members of records', (before) => rowsOf([...xs(before), 'first-half', 'second-half', ...xs(200)])],
    ['three items', (before) => [...xs(before), 'first', '-half', 'second-half', ...xs(200)]],
    ['members', (before) => ({ list: xs(before), a: 'first-half', b: 'second-half', more: xs(200) })],
  ])('no half of a secret is left at the end: %s', (_what, make) => {
    const redactor = createRedactor({ secrets: ['first-halfsecond-half'], maxShown: 1000 });
    const all = Array.from({ length: 120 }, (_, before) => make(before)).flatMap((value) => [
      JSON.stringify(redactor.response({ status: 200, headers, body: value }).body),
      String(redactor.response({ status: 200, headers, body: Buffer.from(JSON.stringify(value)) }).body),
    ]);
    expect(all.filter((shown) => /first|half|seco/.test(shown))).toEqual([]);
    expect(all.some((shown) => shown.includes('[SANITIZED]'))).toBe(true);
    expect(all.at(-1)).not.toContain('[SANITIZED]');
  });

  it('what only looks like a beginning is shown where nothing is cut off', () => {
    const redactor = createRedactor({ secrets: ['first-halfsecond-half'], maxShown: 1000 });
    expect(redactor.value(['x', 'first-half'])).toEqual(['x', 'first-half']);
  });
});

describe('of many small parts', () => {
  const SECRET = 'secret-of-a-form';
  const form = 'application/x-www-form-urlencoded';

  it.each([
    ['pairs', form, 'a=b&', 262_144 / (48 + 3 * 4)],
    ['pairs parted by ;', form, 'a=b;', 262_144 / (48 + 4)],
    ['elements', 'application/xml', '<a>b</a>', 262_144 / (48 + 8)],
    ['attributes', 'application/xml', '<a b="c"/>', 262_144 / (48 + 10)],
  ])('each costs as much as a value: %s', (_what, type, part, expected) => {
    const redactor = createRedactor({ secrets: [SECRET] });
    const show = (text: string): string =>
      String(
        redactor.response({ status: 200, headers: { 'content-type': type }, body: Buffer.from(text) }).body,
      );
    const shown = show(part.repeat(60_000));
    expect(shown).toMatch(/\[left out\]$/);
    expect(Math.abs(shown.length / part.length - expected)).toBeLessThan(20);
    expect(show(part.repeat(100))).toBe(part.repeat(100));
    expect(show(`${part.repeat(100)}<a>${SECRET}</a>`)).not.toContain(SECRET);
  });

  it.each([
    ['pairs', form, 'x=1&', 'a=first-half&b=second-half&', 1000],
    ['pairs parted by ;', form, 'x=1;', 'a=first-half;b=second-half;', 1000],
    ['elements', 'application/xml', '<x>1</x>', '<a>first-half</a><b>second-half</b>', 1000],
    ['attributes', 'application/xml', '<x y="1"/>', '<a b="first-half" c="second-half"/>', 1000],
  ])(
    'a secret that is cut where the end of what is shown is, is found: %s',
    (_what, type, part, cut, maxShown) => {
      const redactor = createRedactor({ secrets: ['first-halfsecond-half'], maxShown });
      const shownOf = (before: number): string => {
        const body = Buffer.from(part.repeat(before) + cut + part.repeat(200));
        return String(redactor.response({ status: 200, headers: { 'content-type': type }, body }).body);
      };
      const most = Math.ceil(maxShown / part.length);
      const all = Array.from({ length: most }, (_, before) => shownOf(before));
      expect(all.filter((shown) => /first-half|second-half/.test(shown))).toEqual([]);
      // At some of these places the end is within the two halves.
      expect(all.some((shown) => shown.includes('[SANITIZED]'))).toBe(true);
      expect(all.at(-1)).not.toContain('[SANITIZED]');
    },
  );

  it.each([
    ['XML', 'application/xml', '<r>', '<a>bcd</a>', '<token>tok-QzRt8LmWpN2v</token></r>'],
    ['attributes', 'application/xml', '<r>', '<a b="c"/>', '<a token="tok-QzRt8LmWpN2v"/></r>'],
    ['a form', form, '', 'a=bcd&', 'token=tok-QzRt8LmWpN2v'],
    ['a form with ;', form, '', 'a=bcd;', 'token=tok-QzRt8LmWpN2v'],
  ])('a secret by name is known however many stand before it: %s', (_what, type, start, part, end) => {
    const redactor = createRedactor({ secrets: [] });
    const body = Buffer.from(start + part.repeat(9000) + end);
    redactor.response({ status: 200, headers: { 'content-type': type }, body });
    expect(redactor.text('it was tok-QzRt8LmWpN2v')).toBe('it was [SANITIZED]');
  });
});

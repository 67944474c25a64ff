import { describe, expect, it } from 'vitest';
import { endless, engineOf, PAGED, type Setup, service } from './helpers.js';

/** File of the communication of these modules. */
const AT = '/modules/m/communication';

/** Result of pagination: an error, or warnings and the stop reason. */
async function told(communication: unknown, setup: Setup = {}) {
  const report = await engineOf(communication, { http: { transport: endless(2).transport }, ...setup }).run();
  const stops = report.trace.flatMap((event) => (event.kind === 'stop' ? [event.reason] : []));
  return { report, stops, warnings: report.warnings };
}

/** The same page without end, requested with a constant token. */
const LOOP = { ...PAGED, pagination: { qs: { after: '{{body.next}}' } } };
const same = (): ReturnType<typeof service> => service(() => ({ json: { items: [{ id: 1 }], next: 'a' } }));

describe('a page that repeats an earlier one', () => {
  const looped = (limits: Setup['limits'], onPageLoop: Setup['onPageLoop']) =>
    told(LOOP, { http: { transport: same().transport }, limits, onPageLoop });

  it('is reported with its number, reason and the location of pagination', async () => {
    const { warnings } = await looped({ maxPages: 1 }, 'warn');
    expect(warnings.filter(({ code }) => code === 'page-loop')).toEqual([
      {
        code: 'page-loop',
        message: 'Page 2 repeats an earlier page: its body is the same.',
        place: expect.objectContaining({ pointer: `${AT}/pagination` }),
      },
    ]);
  });

  it('is reported once if there are many', async () => {
    const { warnings } = await looped({ maxPages: 3 }, 'warn');
    expect(warnings.filter(({ code }) => code === 'page-loop').map(({ message }) => message)).toEqual([
      '3 pages repeat an earlier page, the first of them page 2: its body is the same.',
    ]);
  });

  it('ends the run if requested', async () => {
    const { report } = await looped({}, 'error');
    expect(report.error).toMatchObject({
      type: 'RuntimeError',
      message: 'Page 2 repeats an earlier page: its body is the same.',
      place: { pointer: `${AT}/pagination` },
    });
  });

  it('is reported for each list of a chain', async () => {
    const { warnings } = await told([LOOP, { ...LOOP, url: '/others' }], {
      http: { transport: same().transport },
      onPageLoop: 'stop',
    });
    expect(warnings.map(({ code, place }) => [code, place?.pointer])).toEqual([
      ['page-loop', `${AT}/0/pagination`],
      ['page-loop', `${AT}/1/pagination`],
    ]);
  });

  it('is not reported if both bodies are empty, or for the first page', async () => {
    const pagination = { qs: { page: '{{pagination.page}}' }, condition: '{{pagination.page < 4}}' };
    const spec = { url: '/x', response: { type: 'text', output: { status: '{{statusCode}}' } }, pagination };
    const { transport, requests } = service(() => ({ text: '' }));
    const { report } = await told(spec, { http: { transport }, onPageLoop: 'error' });
    expect(report.error).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it('is not reported if bodies are empty and records come from headers', async () => {
    const pagination = { qs: { page: '{{pagination.page}}' }, condition: '{{pagination.page < 4}}' };
    const response = { type: 'text', iterate: "{{split('a,b'; ',')}}", output: { name: '{{item}}' } };
    const spec = { url: '/x', response, pagination };
    const { transport, requests } = service(() => ({ text: '' }));
    const { report } = await told(spec, { http: { transport }, onPageLoop: 'error' });
    expect([report.error, requests.length]).toEqual([undefined, 3]);
  });
});

describe('a limit that ends pagination', () => {
  it.each([
    [{ maxPages: 2 }, 'max-pages', 'Paging ended at the limit of 2 follow-up pages.'],
    [{ maxRequests: 2 }, 'max-requests', 'Paging ended at the limit of 2 requests.'],
    [{ maxRecords: 4 }, 'max-records', 'Paging ended at the limit of 4 records.'],
    [{ maxRecords: 3 }, 'max-records', 'Paging ended at the limit of 3 records.'],
  ])('is named, with its place: %o', async (limits, reason, message) => {
    const { report, warnings, stops } = await told(PAGED, { limits });
    expect(warnings).toEqual([
      { code: 'limit-reached', message, place: expect.objectContaining({ pointer: `${AT}/pagination` }) },
    ]);
    expect(stops).toEqual([reason]);
    expect(report.stats.stopReason).toBe(reason);
  });

  it('of the app causes no warning', async () => {
    const { stops, warnings } = await told({ ...PAGED, response: { ...PAGED.response, limit: 3 } });
    expect(stops).toEqual(['response-limit']);
    expect(warnings).toEqual([]);
  });

  it('causes no warning without pagination', async () => {
    expect((await told({ ...PAGED, pagination: undefined })).stops).toEqual(['no-pagination']);
  });

  it.each([
    [0, 'The limit has to be at least 1, not 0.'],
    [-3, 'The limit has to be at least 1, not -3.'],
    ['many', 'The limit is not a number.'],
  ])('of %j records is refused at its place', async (limit, message) => {
    const { report } = await told({ ...PAGED, response: { ...PAGED.response, limit } });
    expect(report.error).toMatchObject({
      type: 'InvalidConfigurationError',
      message,
      place: { pointer: `${AT}/response/limit` },
    });
    expect(report.stats.requests).toBe(0);
  });
});

describe('a repeat', () => {
  const repeat = (written: object, setup: Setup = {}) =>
    told({ url: '/job', repeat: written, response: { output: '{{body}}' } }, setup);

  it('that continues at its limit is reported with its location', async () => {
    const { warnings, report } = await repeat({ condition: true, delay: 10, limit: 2 });
    expect(warnings).toEqual([
      {
        code: 'repeat-limit',
        message: 'The condition still holds after 2 repeats.',
        place: expect.objectContaining({ pointer: `${AT}/repeat` }),
      },
    ]);
    const waits = report.trace.filter(({ kind }) => kind === 'wait');
    expect(waits).toMatchObject([
      { kind: 'wait', delayMs: 10, reason: 'repeat', repeats: 0, place: { pointer: `${AT}/repeat` } },
      { kind: 'wait', delayMs: 10, reason: 'repeat', repeats: 1 },
    ]);
  });

  it('that continues at the limit of requests is reported', async () => {
    const { warnings } = await repeat({ condition: true }, { limits: { maxRequests: 3 } });
    expect(warnings).toEqual([
      {
        code: 'limit-reached',
        message: 'Repeating ended at the limit of 3 requests.',
        place: expect.objectContaining({ pointer: `${AT}/repeat` }),
      },
    ]);
  });

  it.each([
    [{ condition: true, limit: 'often' }],
    [{ condition: true, delay: 'soon' }],
    [{ condition: true, delay: 'soon', limit: 'often' }],
  ])('without numbers is refused at its place: %o', async (written) => {
    const { report } = await repeat(written);
    expect(report.error).toMatchObject({
      type: 'RuntimeError',
      message: 'repeat.limit and repeat.delay have to be numbers.',
      place: { pointer: `${AT}/repeat` },
    });
  });

  it.each([[{}], [{ delay: 5 }], [{ condition: '{{missing}}' }], [{ condition: false }]])(
    'happens only where its condition says so: %o',
    async (written) => {
      expect((await repeat(written)).report.stats.requests).toBe(1);
    },
  );

  it('waits no time for a negative delay', async () => {
    const { report } = await repeat({ condition: true, delay: -5, limit: 1 });
    expect(report.trace.find(({ kind }) => kind === 'wait')).toMatchObject({ delayMs: 0 });
  });
});

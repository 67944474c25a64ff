import { describe, expect, it } from 'vitest';
import { type Answer, engineOf, service } from './helpers.js';

const PAGE: Answer = {
  text: '<!doctype html><title>Sign in</title>',
  headers: { 'content-type': 'text/html; charset=utf-8' },
};
const LIST = { iterate: '{{body.items}}', output: { id: '{{item.id}}' } };
const ONE = {
  output: { id: '{{body.id}}', at: '{{upper(body.at)}}', by: { name: '{{body.by}}' } },
};

async function warningsOf(response: object, answer: Answer, setup: object = {}): Promise<readonly string[]> {
  const { transport } = service(() => answer);
  const { run } = engineOf({ url: '/items?api_key=s3cr3t', response }, { http: { transport }, ...setup });
  const { warnings } = await run();
  return warnings.filter(({ code }) => code === 'unread-response').map(({ message }) => message);
}

describe('a successful response in which the app finds nothing', () => {
  const start = 'GET https://api.example.test/items?api_key=[SANITIZED] returned 200';

  it.each<[what: string, response: object, answer: Answer, rest: string]>([
    ['HTML', LIST, PAGE, ', text/html: iterate finds no value. The response starts with: <!doctype html>'],
    [
      'HTML',
      ONE,
      PAGE,
      ', text/html: all members of the output are empty. The response starts with: <!doctype',
    ],
    [
      'HTML',
      { output: { id: 1 } },
      PAGE,
      ', text/html: an HTML page, which "type": "text" in the response would',
    ],
    [
      'HTML after a blank line',
      { output: { id: 1 } },
      { ...PAGE, text: `\n${PAGE.text}` },
      ', text/html: an HTML page',
    ],
    ['another list', LIST, { json: { data: [] } }, ', application/json: iterate finds no value.'],
    ['another record', ONE, { json: { data: { id: 1 } } }, ', application/json: all members of the output'],
    [
      'items of another structure',
      LIST,
      { json: { items: [{ key: 1 }, { key: 2 }] } },
      ', application/json: all members of the output are empty. The response starts with: {"items":[{"key"',
    ],
  ])('has a warning: %s, read by %j', async (_what, response, answer, rest) => {
    const [warning, ...others] = await warningsOf(response, answer);
    expect(warning?.startsWith(start + rest), warning).toBe(true);
    expect(others).toEqual([]);
  });

  it.each<[what: string, response: object, answer: Answer]>([
    ['an empty list', LIST, { json: { items: [] } }],
    ['a list that is null', LIST, { json: { items: null } }],
    ['an empty body', LIST, { status: 204 }],
    ['a body without members', ONE, { json: {} }],
    [
      'XML without records',
      { iterate: '{{body.items.item}}' },
      { text: '<items/>', headers: { 'content-type': 'application/xml' } },
    ],
    ['constants', { output: { ok: true } }, { json: { id: 1 } }],
    ['one member', ONE, { json: { id: 0 } }],
    ['an item without members', { iterate: '{{body.items}}' }, { json: { items: [{}] } }],
    ['a value of the API', { output: '{{body}}' }, { json: { note: '' } }],
    ['HTML as text', { type: 'text', output: { length: '{{length(body)}}' } }, PAGE],
    ['text that is no page', { output: { ok: true } }, { ...PAGE, text: 'OK' }],
  ])('has no warning: %s', async (_what, response, answer) => {
    expect(await warningsOf(response, answer)).toEqual([]);
  });

  it('has no warning if the last page has no list', async () => {
    const { transport } = service((_request, call) => ({
      json: call === 1 ? { items: [{ id: 1 }] } : { n: 0 },
    }));
    const pagination = { qs: { page: '{{pagination.page}}' } };
    const { run } = engineOf({ url: '/items', response: LIST, pagination }, { http: { transport } });
    expect(await run()).toMatchObject({ bundles: [{ id: 1 }], warnings: [] });
  });

  it('has one warning per request, with its location and without secrets', async () => {
    const { transport } = service((_request, call) => ({ ...PAGE, text: `<p>s3cr3t-key-1 ${call}</p>` }));
    const communication = {
      url: '/items',
      headers: { authorization: 'Bearer {{connection.key}}' },
      response: { output: { id: '{{body.id}}' } },
      pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{pagination.page < 4}}' },
    };
    const { run } = engineOf(communication, { http: { transport } });
    const { warnings } = await run({ connection: { key: 's3cr3t-key-1' } });
    expect(warnings).toMatchObject([{ code: 'unread-response', place: { pointer: /output$/ } }]);
    expect(JSON.stringify(warnings)).not.toContain('s3cr3t-key-1');
  });
});

describe('an error without a usable response', () => {
  it('names the request and the start of malformed JSON, without secrets', async () => {
    const text = '{"access_token": "s3cr3t-key-1", "items": [1, 2';
    const { transport } = service(() => ({ text, headers: { 'content-type': 'application/json' } }));
    const { run } = engineOf({ url: '/items', method: 'POST', response: LIST }, { http: { transport } });
    const { error } = await run();
    expect(error?.request).toMatchObject({
      method: 'POST',
      url: 'https://api.example.test/items',
      statusCode: 200,
    });
    expect(error?.request?.body).toContain('"items": [1, 2');
    expect(error?.request?.body).not.toContain('s3cr3t-key-1');
  });

  it('names the request that did not end in time', async () => {
    const transport = (): Promise<never> => new Promise(() => {});
    const { run } = engineOf(
      { url: '/items?token=s3cr3t-key-1', response: LIST },
      { http: { transport }, limits: { timeoutMs: 20 }, clock: undefined },
    );
    const { error } = await run();
    expect(error).toMatchObject({ type: 'ModuleTimeoutError', request: { method: 'GET' } });
    expect(error?.request?.url).toBe('https://api.example.test/items?token=[SANITIZED]');
  });
});

import { describe, expect, it } from 'vitest';
import { compileCommunication } from '../../src/document/compile/compile-request.js';
import { findLookAheadObstacle } from '../../src/document/compile/look-ahead-obstacle.js';
import { createDocument } from '../../src/document/reading/create-document.js';
import { toEnvironment } from '../../src/iml/environment/to-environment.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';

const functions = { ...FUNCTIONS, sign: () => '', floor: () => 1 };

/** What stands against look-ahead in a request that would have none but for `changes`. */
function obstacleOf(
  changes: Readonly<Record<string, unknown>>,
  base?: Readonly<Record<string, unknown>>,
): string | undefined {
  const spec = { url: '/items', pagination: { qs: { page: '{{pagination.page}}' } }, ...changes };
  const context = { environment: toEnvironment({}), functions };
  const [request] = compileCommunication(createDocument(spec), base && createDocument(base), context);
  return request && findLookAheadObstacle(request)?.reason;
}

const paged = (more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  pagination: { qs: { page: '{{pagination.page}}' }, ...more },
});

describe('pages can be asked for ahead', () => {
  it.each([
    [{}],
    [{ url: '/{{parameters.list}}', headers: { 'X-Key': '{{connection.key}}', a: '{{upper(data.x)}}' } }],
    [{ url: '/items/{{pagination.page}}', pagination: {} }],
    [{ pagination: { mergeWithParent: false, url: '/items?skip={{(pagination.page - 1) * 50}}' } }],
    [{ method: 'get', response: { output: '{{sign(item)}}', iterate: '{{sign(body)}}' } }],
    [{ url: '/{{temp.list}}', temp: { list: '{{parameters.list}}' } }],
    [{ url: '/{{temp.list}}', response: { temp: { token: '{{body.token}}' } } }],
    [paged({ condition: '{{body.pages >= pagination.page}}' })],
    [paged({ condition: '{{pagination.page <= ceil(body.meta.total / parameters.size)}}' })],
    [paged({ condition: '{{headers.x-total > (pagination.page - 1) * 50}}' })],
    [paged({ condition: '{{body.current_page < body.last_page}}' })],
    [paged({ condition: '{{!(pagination.page > body.pages) && parameters.all}}' })],
    [paged({ condition: '{{temp.pages >= pagination.page}}' })],
    [paged({ condition: true })],
  ])('%j', (changes) => {
    expect(obstacleOf(changes)).toBeUndefined();
  });

  it('is no question without pagination', () => {
    expect(obstacleOf({ pagination: undefined, method: 'POST' })).toBeUndefined();
  });
});

describe('they cannot', () => {
  it.each([
    [{ url: '/{{body.list}}' }, 'url reads body.list'],
    [{ qs: { after: '{{last(iterate.container).id}}' } }, 'qs.after reads iterate.container'],
    [paged({ qs: { cursor: '{{body.next}}' } }), 'pagination.qs.cursor reads body.next'],
    [paged({ headers: { 'X-Next': '{{headers.link}}' } }), 'pagination.headers.X-Next reads headers.link'],
    [paged({ url: '{{body.links[1].next}}' }), 'pagination.url reads body.links[].next'],
    [{ qs: { '{{body.name}}': 1 } }, 'qs.{{body.name}} reads body.name'],
    [
      { url: '/{{temp.token}}', response: { temp: { token: '{{body.token}}' } } },
      'url reads temp.token, which changes from page to page',
    ],
    [
      { url: '/{{temp.n}}', temp: { n: '{{ifempty(temp.n; 0) + 1}}' } },
      'url reads temp.n, which changes from page to page',
    ],
    [
      { url: '/{{temp.n}}', temp: { n: '{{pagination.page}}' } },
      'url reads temp.n, which changes from page to page',
    ],
    [
      { url: '/{{temp.a}}', response: { temp: '{{body}}' } },
      'url reads temp.a, which changes from page to page',
    ],
    [{ qs: { at: '{{now}}' } }, 'qs.at reads now, which is another one each time'],
    [{ headers: { id: '{{uuid}}' } }, 'headers.id reads uuid, which is another one each time'],
    [{ qs: { s: '{{sign(parameters)}}' } }, 'qs.s calls sign(), which is no built-in function'],
    [{ qs: { s: '{{floor(1)}}' } }, 'qs.s calls floor(), which is no built-in function'],
    [{ qs: { s: '{{sha256(parameters.a)}}' } }, 'qs.s calls sha256(), which is not evaluated ahead'],
    [{ qs: { s: '{{if(' } }, 'qs.s does not parse'],
    [{ method: 'POST' }, 'method is POST, not GET'],
    [paged({ method: 'PUT' }), 'pagination.method is PUT, not GET'],
    [{ method: '{{parameters.method}}' }, 'method is no written GET'],
    [{ url: undefined, endpoint: 'list' }, 'endpoint calls an endpoint'],
    [{ repeat: { condition: '{{!body.done}}' } }, 'repeat asks again'],
    [{ aws: { key: 'a', secret: 'b' } }, 'aws signs each request anew'],
    [
      { pagination: { qs: { a: 1 } } },
      'pagination asks for the same again: nothing in it reads pagination.page',
    ],
    [paged({ condition: '{{body.next}}' }), 'pagination.condition reads body.next'],
    [paged({ condition: '{{body.has_more = true}}' }), 'pagination.condition reads body.has_more'],
    [paged({ condition: '{{length(body.items) >= 50}}' }), 'pagination.condition reads body.items'],
    [
      paged({ condition: '{{length(body.items) > pagination.page}}' }),
      'pagination.condition reads body.items',
    ],
    [paged({ condition: '{{body.total > 50}}' }), 'pagination.condition reads body.total'],
    [
      paged({ condition: '{{body.pages >= pagination.page && body.ok}}' }),
      'pagination.condition reads body.ok',
    ],
    [
      paged({ condition: '{{body.pages >= floor(pagination.page)}}' }),
      'pagination.condition calls floor(), which is no built-in function',
    ],
  ])('%j', (changes, reason) => {
    expect(obstacleOf(changes)).toBe(reason);
  });

  it('because of something in the base', () => {
    const base = { headers: { 'X-Sig': '{{sign(1)}}' }, baseUrl: 'https://api.example.test' };
    expect(obstacleOf({}, base)).toBe('headers.X-Sig calls sign(), which is no built-in function');
  });
});

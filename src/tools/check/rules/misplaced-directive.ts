import type { App } from '../../../engine/document/app.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import type { CheckedDocument } from '../subject/checked-document.js';
import { inheritsBase, pointerTo, readAt, type WrittenRequest } from '../subject/walk-requests.js';

export const misplacedDirective: Rule = {
  id: 'misplaced-directive',
  level: 'warning',
  summary: 'A directive has no effect in its location.',
  why: 'Connections have no `pagination`, `limit`, `iterate`, `output`, `wrapper` or `aws`. An instant trigger sends one request and does not iterate. A request without `url` sends nothing. A request that calls an endpoint sends nothing of its own. `trigger` belongs in polling triggers, `response.scope` in `token`. GET requests have no body.',
  bad: '{ "url": "https://api.example.com/me", "response": { "output": "{{body}}" } }',
  good: '{ "url": "https://api.example.com/me", "response": { "data": { "user": "{{body.id}}" } } }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      for (const [path, why] of misplacedIn(subject.app, request)) {
        if (readAt(request.value, ...path) === undefined) continue;
        const message = `${path.join('.')} has no effect here: ${why}.`;
        report({
          message,
          place: request.document.locationOf(pointerTo(request, ...path), undefined, 'key'),
        });
      }
    }
  },
};

type Misplaced = readonly (readonly [path: readonly string[], why: string])[];

/** Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, endpoint. [src] */
const PAGE_PARTS = ['method', 'headers', 'qs', 'body'];
/** A `url` beside an endpoint is refused: `refused-run` reports it. */
const REPLACED = [
  ...[...PAGE_PARTS, 'encodeUrl', 'ca', 'type', 'gzip', 'aws', 'oauth'],
  ...['followRedirects', 'followAllRedirects'],
];

const UNSENT = ['method', 'headers', 'qs', 'body', 'type', 'pagination', 'ca', 'aws'];

function misplacedIn(app: App, { in: checked, value: request, section }: WrittenRequest): Misplaced {
  const { owner, kind, part } = checked;
  const found: [readonly string[], string][] = [];
  const add = (why: string, ...paths: readonly (readonly string[])[]): void => {
    for (const path of paths) found.push([path, why]);
  };
  const inResponse = (...names: readonly string[]): readonly (readonly string[])[] =>
    names.map((name) => ['response', name]);
  if (hasBody(request) && isGet(app, checked, request)) add('a GET request has no body', ['body']);
  if (section !== 'token')
    add('only the token section of an OAuth connection names granted scopes', ['response', 'scope']);
  if (owner?.kind === 'connection') {
    add(
      'a connection does not know it',
      ['aws'],
      ['pagination'],
      ...inResponse('iterate', 'output', 'limit', 'wrapper', 'trigger'),
    );
    return found;
  }
  if (owner?.type === 'instant_trigger' && part === 'communication') {
    add(
      'an instant trigger makes a single request for one item',
      ['pagination'],
      ...inResponse('iterate', 'trigger'),
    );
  } else if (owner !== undefined && owner.type !== 'trigger') {
    add('only polling triggers read it', ['response', 'trigger']);
  }
  // Loading accepts them, because all requests share one schema. [src]
  if (kind === 'api' && owner !== undefined)
    add(
      'only the specification of a webhook has it here; a request has it in response',
      ['output'],
      ['iterate'],
    );
  if (kind === 'api' && owner !== undefined)
    add('only the specification of a webhook reads it', ['respond'], ['verification']);
  if (kind === 'epoch') add('an epoch lists what output gives', ['response', 'wrapper']);
  const isStatic = request['url'] === undefined && request['endpoint'] === undefined;
  if (isStatic && kind === 'api') add('without url nothing is sent', ...UNSENT.map((name) => [name]));
  const of = (parent: readonly string[], names: readonly string[]): readonly (readonly string[])[] =>
    names.map((name) => [...parent, name]);
  if (request['endpoint'] !== undefined) {
    add('an endpoint runs in place of a request of its own', ...of([], REPLACED));
    add('the endpoint gives the next page', ...of(['pagination'], ['url', ...PAGE_PARTS]));
  } else if (kind === 'api') {
    add('only a call of an endpoint reads it', ['input']);
  }
  return found;
}

/** Templates of the platform have an empty object without a body. */
function hasBody({ url, body }: Readonly<Record<string, unknown>>): boolean {
  const isEmpty = isPlainObject(body) && Object.keys(body).length === 0;
  return url !== undefined && body !== undefined && body !== null && body !== '' && !isEmpty;
}

/** Whether the method is GET, literally or by default. */
function isGet(app: App, checked: CheckedDocument, request: Readonly<Record<string, unknown>>): boolean {
  const inherited = inheritsBase(checked) ? readAt(app.base?.value, 'method') : undefined;
  const method = request['method'] ?? inherited ?? 'GET';
  return checked.kind !== 'webhook' && typeof method === 'string' && method.trim().toUpperCase() === 'GET';
}

import { METHODS } from 'node:http';
import type { App } from '../../../engine/document/app.js';
import { isStaticRequest } from '../../../engine/document/compile-request.js';
import { APP_ERROR_TYPES } from '../../../shared/errors/app-error.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, readAt } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { ReportFinding, Rule } from '../rule.js';
import type { CheckedDocument } from '../subject/checked-document.js';
import type { Subject } from '../subject/subject.js';
import { kindOfSite } from '../subject/value-kinds.js';
import {
  inheritsBase,
  listRequests,
  locate,
  locateKey,
  pointerTo,
  type WrittenRequest,
} from '../subject/walk-requests.js';

export const REQUEST_RULES: readonly Rule[] = [
  {
    id: 'unknown-error-type',
    area: 'app',
    level: 'error',
    summary: 'The platform does not know the `type` of an error.',
    why: 'The error becomes an UnknownError. The scenario then reacts differently: it does not retry after a rate limit, and stores no incomplete execution.',
    bad: '"error": { "429": { "type": "RateLimit", "message": "Slow down" } }',
    good: '"error": { "429": { "type": "RateLimitError", "message": "Slow down" } }',
    check: (subject, report) => {
      for (const request of subject.requests) {
        checkType(request, ['response', 'valid', 'type'], report);
        const error = readAt(request.value, 'response', 'error');
        if (!isPlainObject(error)) continue;
        checkType(request, ['response', 'error', 'type'], report);
        for (const key of Object.keys(error).filter((name) => /^\d{3}$/.test(name))) {
          checkType(request, ['response', 'error', key, 'type'], report);
        }
      }
    },
  },
  {
    id: 'general-error-type',
    area: 'app',
    level: 'info',
    summary: 'A `type` of `response.error` for all statuses also applies to 429 and 5xx.',
    why: 'By default, 429 is a RateLimitError and 5xx a ConnectionError, after which a scenario waits and repeats the run. A general type replaces them, so the run ends.',
    bad: '"error": { "type": "RuntimeError", "message": "{{body.message}}" }',
    good: '"error": { "message": "{{body.message}}", "404": { "type": "DataError" } }',
    check: (subject, report) => {
      for (const request of subject.requests) {
        const type = readAt(request.value, 'response', 'error', 'type');
        // The requests of a connection are not repeated.
        if (request.in.owner?.kind === 'connection' || !isFinalType(type)) continue;
        const errors = [request.value, subject.app.base?.value].map((one) =>
          readAt(one, 'response', 'error'),
        );
        const hasOwn = (status: RegExp): boolean =>
          errors.some(
            (error) =>
              isPlainObject(error) &&
              Object.keys(error).some((key) => status.test(key) && readAt(error, key, 'type') !== undefined),
          );
        const hidden = [...(hasOwn(/^429$/) ? [] : ['429']), ...(hasOwn(/^5\d\d$/) ? [] : ['5xx'])];
        if (hidden.length === 0) continue;
        const message = `The type ${type} also applies to ${hidden.join(' and ')}, whose default type is repeated. Give it to single statuses.`;
        report({ message, place: locate(request, 'response', 'error', 'type') });
      }
    },
  },
  {
    id: 'dead-status',
    area: 'app',
    level: 'warning',
    summary: '`error` has an entry for a status of 200 to 399, and there is no `valid`.',
    why: 'A response with such a status is an error only if `valid` is false. Without `valid`, the entry is never used.',
    bad: '"error": { "200": { "message": "{{body.error}}" } }',
    good: '"valid": "{{!body.error}}", "error": { "200": { "message": "{{body.error}}" } }',
    check: (subject, report) => {
      for (const request of subject.requests) {
        const error = readAt(request.value, 'response', 'error');
        if (!isPlainObject(error) || hasValid(subject, request)) continue;
        for (const status of Object.keys(error).filter((key) => /^[23]\d\d$/.test(key))) {
          const message = `A response of status ${status} is not an error without valid, so this entry is never used.`;
          const pointer = pointerTo(request, 'response', 'error', status);
          report({ message, place: request.document.locationOf(pointer, undefined, 'key') });
        }
      }
    },
  },
  {
    id: 'misplaced-directive',
    area: 'app',
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
            place: locateKey(request, ...path),
          });
        }
      }
    },
  },
  {
    id: 'host-header',
    area: 'base',
    level: 'warning',
    summary: 'A request sets the header `Host`.',
    why: 'The header is derived from the URL. The engine refuses another host, because the network guard checked the host of the URL.',
    bad: '"headers": { "Host": "api.example.com" }',
    good: '"headers": {}',
    check: (subject, report) => {
      for (const request of subject.requests) {
        for (const path of [['headers'], ['pagination', 'headers']]) {
          const headers = readAt(request.value, ...path);
          if (!isPlainObject(headers)) continue;
          for (const name of Object.keys(headers).filter((key) => key.toLowerCase() === 'host')) {
            const place = locateKey(request, ...path, name);
            report({ message: 'Remove the header Host: it is derived from the URL.', place });
          }
        }
      }
    },
  },
  {
    id: 'unknown-method',
    area: 'app',
    level: 'error',
    summary: 'A request has an HTTP method that does not exist.',
    why: 'Servers respond to such a request with an error, usually 400, 405 or 501.',
    bad: '{ "url": "/items", "method": "GTE" }',
    good: '{ "url": "/items", "method": "GET" }',
    check: (subject, report) => {
      for (const request of subject.requests) {
        for (const path of [['method'], ['pagination', 'method']]) {
          const method = readAt(request.value, ...path);
          if (typeof method !== 'string' || method === '' || method.includes('{{')) continue;
          if (METHODS.includes(method.trim().toUpperCase())) continue;
          report({
            message: `There is no HTTP method "${method}".${didYouMean(method.toUpperCase(), METHODS)}`,
            place: locate(request, ...path),
          });
        }
      }
    },
  },
  {
    id: 'unnamed-upload',
    area: 'app',
    level: 'warning',
    summary: 'A file of a multipart body has no file name.',
    why: 'Servers read a part without a file name as a text field, so they see no file.',
    bad: '"body": { "file": "{{parameters.data}}" }',
    good: '"body": { "file": { "value": "{{parameters.data}}", "options": { "filename": "{{parameters.fileName}}" } } }',
    check: (subject, report) => {
      for (const request of subject.requests) {
        const body = request.value['body'];
        if (request.value['type'] !== 'multipart/form-data' || !isPlainObject(body)) continue;
        for (const [name, part] of Object.entries(body)) {
          if (!isUnnamedFile(subject, request, name, part)) continue;
          const message = `The file in body.${name} has no file name. Write it as { value, options: { filename } }.`;
          report({ message, place: locate(request, 'body', name) });
        }
      }
    },
  },
  {
    id: 'refused-run',
    area: 'app',
    level: 'error',
    summary: 'The component always fails, with any input.',
    why: 'The rule runs the steps that need no data with the code of the engine. What fails there, fails in each run.',
    bad: '"response": { "limit": 0, "trigger": { "order": "newest" } }',
    good: '"response": { "limit": 10, "trigger": { "order": "desc" } }',
    check: ({ app, refusals }, report) => {
      const told = new Set(app.warnings.map(({ place }) => writeKey(place)));
      for (const { error, isOfEndpoint } of refusals) {
        const { message, place = {} } = error;
        // Loading reports the same, and endpoints have their own rule.
        if (!isOfEndpoint && !told.has(writeKey(place))) report({ message, place });
      }
    },
  },
];

const TYPES: ReadonlySet<string> = new Set<string>(APP_ERROR_TYPES);

/** Error types after which a scenario repeats the run. */
const REPEATED: ReadonlySet<unknown> = new Set(['RateLimitError', 'ConnectionError', 'ModuleTimeoutError']);

/** Whether a written type is known and ends the run for good. */
function isFinalType(type: unknown): type is string {
  return APP_ERROR_TYPES.some((known) => known === type) && !REPEATED.has(type);
}

function checkType(request: WrittenRequest, path: readonly string[], report: ReportFinding): void {
  const type = readAt(request.value, ...path);
  if (typeof type !== 'string' || type.includes('{{') || TYPES.has(type)) return;
  const message = `There is no error type "${type}".${didYouMean(type, TYPES)}`;
  report({ message, place: locate(request, ...path) });
}

/** An entry of the base can apply to a `valid` of any component. */
function hasValid(subject: Subject, request: WrittenRequest): boolean {
  if (readAt(request.value, 'response', 'valid') !== undefined) return true;
  if (request.in.kind !== 'base') {
    return inheritsBase(request.in) && readAt(subject.app.base?.value, 'response', 'valid') !== undefined;
  }
  return subject.allDocuments
    .filter(inheritsBase)
    .flatMap(listRequests)
    .some(({ value }) => readAt(value, 'response', 'valid') !== undefined);
}

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
  if (isStaticRequest(request) && kind === 'api')
    add('without url nothing is sent', ...UNSENT.map((name) => [name]));
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

/** Templates of Make contain an empty object if there is no body. */
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

/** A binary value itself, or a part with a `value` and literal options that lack `filename`. */
function isUnnamedFile(subject: Subject, request: WrittenRequest, name: string, part: unknown): boolean {
  if (isPlainObject(part)) {
    const { value, options } = part;
    if (value === undefined || !isPlainObject(options ?? {})) return false;
    return !Object.keys(options ?? {}).some((key) => key === 'filename' || key.includes('{{'));
  }
  const pointer = pointerTo(request, 'body', name);
  const site = subject
    .expressionsIn(request.in)
    .find((one) => one.pointer === pointer && one.part === 'value');
  return site !== undefined && kindOfSite(subject, site) === 'buffer';
}

/** A location can have two pointers: in its file, and in the element of a chain. */
function writeKey({ file, line, column, pointer }: SourceLocation): string {
  return JSON.stringify(line === undefined ? [file, pointer] : [file, line, column]);
}

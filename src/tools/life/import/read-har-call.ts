import { EngineError } from '../../../shared/errors/engine-error.js';
import { type PlainObject, setMember } from '../../../shared/plain-object.js';
import { canonicalRequest, parseJsonText, readText } from '../../testing/exchanges/canonical-request.js';
import { readHar } from '../../testing/recording/read-har.js';
import type { RecordedCall } from '../../testing/recording/record-transport.js';
import type { ImportedCall } from './imported-call.js';
import { readPath } from './request-fields.js';

/** Calls with one method and path, IDs apart. */
interface CallGroup {
  /** `GET /users/{id}`. */
  readonly title: string;
  /** Titles with the IDs of the recording. */
  readonly exact: readonly string[];
  readonly calls: readonly RecordedCall[];
}

/**
 * Reads one successful call of a HAR, with the query parameters and responses of all calls of its method and path.
 *
 * @param text content of the file
 * @param wanted method and path: `GET /users`, `/users/7`. Undefined if the HAR has one call only.
 * @throws EngineError (USAGE) for an invalid HAR, and if the call is not found or not the only one
 */
export function readHarCall(text: string, file: string, wanted: string | undefined): ImportedCall {
  const groups = groupCalls(readHar(text, file).calls);
  const found = wanted === undefined ? groups : findGroups(groups, wanted);
  const [group, further] = found;
  const titles = groups.map(({ title }) => title).join(', ');
  if (groups.length === 0) throw new EngineError('USAGE', `${file} has no successful call.`);
  if (group === undefined) {
    throw new EngineError('USAGE', `${file} has no successful call "${wanted}". There are ${titles}.`);
  }
  if (further !== undefined) {
    throw new EngineError('USAGE', `${file} has several calls. Choose one with --request: ${titles}.`);
  }
  const [first] = group.calls;
  if (first === undefined) throw new TypeError('A group of calls is empty.');
  const bodies = group.calls.map(({ response }) =>
    parseJsonText(readText(response?.body ?? new Uint8Array())),
  );
  const request = canonicalRequest(first.request);
  // Further pages have the parameters of paging.
  const query: PlainObject = {};
  for (const call of group.calls.toReversed()) {
    for (const [name, value] of Object.entries(canonicalRequest(call.request).query ?? {})) {
      setMember(query, name, value);
    }
  }
  return {
    request: { ...request, ...(Object.keys(query).length > 0 && { query }) },
    responses: bodies.filter((body) => body !== undefined),
    headers: new Set(group.calls.flatMap(({ response }) => Object.keys(response?.headers ?? {}))),
  };
}

function groupCalls(calls: readonly RecordedCall[]): readonly CallGroup[] {
  const groups = new Map<string, { title: string; exact: string[]; calls: RecordedCall[] }>();
  for (const call of calls) {
    const { request, response } = call;
    if (response === undefined || response.status < 200 || response.status > 299) continue;
    const { origin, pathname } = new URL(request.url);
    const path = readPath(pathname)
      .map(({ text, parameter }) => (parameter === undefined ? text : `{${parameter}}`))
      .join('/');
    const title = `${request.method} ${path}`;
    const key = `${origin} ${title}`;
    const group = groups.get(key) ?? { title, exact: [], calls: [] };
    group.exact.push(`${request.method} ${pathname}`);
    group.calls.push(call);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The groups of a method and path; a part of the path at its end if no path is equal. */
function findGroups(groups: readonly CallGroup[], wanted: string): readonly CallGroup[] {
  const [, method, path = ''] = /^(?:([a-z]+)\s+)?(.*)$/is.exec(wanted.trim()) ?? [];
  const find = (isPath: (path: string) => boolean): readonly CallGroup[] =>
    groups.filter(({ title, exact }) =>
      [title, ...exact].some((one) => {
        const at = one.indexOf(' ');
        const isMethod = method === undefined || one.slice(0, at) === method.toUpperCase();
        return isMethod && isPath(one.slice(at + 1));
      }),
    );
  const equal = find((own) => own === path);
  return equal.length > 0 || !path.startsWith('/') ? equal : find((own) => own.endsWith(path));
}

import type { JsonEdit } from '../../document/reading/edit-json.js';
import { parseForm } from '../../http/body/decode-text.js';
import { splitAddress } from '../exchanges/canonical-request.js';
import type { ExpectedRequest } from '../exchanges/exchange.js';
import { BODY_MEMBERS, type RequestDifference } from '../exchanges/match-request.js';
import type { ValuePath } from '../matching/compare-values.js';

/**
 * The changes that make an expected request one that was sent; of a body in a file there are none.
 *
 * @param at where the request stands in the case
 */
export function editRequest(
  written: ExpectedRequest & { readonly bodyFile?: string },
  differences: readonly RequestDifference[],
  at: ValuePath,
): readonly JsonEdit[] {
  const edits: JsonEdit[] = [];
  const query = { ...queryInUrl(written) };
  let address = typeof written.url === 'string' ? splitAddress(written.url)[0] : undefined;
  let isUrlChanged = false;
  for (const { path, got } of differences) {
    const [member, name] = path;
    if (member === 'url' && typeof got === 'string') {
      address = splitAddress(got)[0];
      isUrlChanged = true;
    } else if (member === 'query' && isInUrl(written, name)) {
      if (got === undefined) delete query[String(name)];
      else query[String(name)] = got;
      isUrlChanged = true;
    } else if (!isInBodyFile(written, path))
      edits.push({ path: [...at, ...spelled(path, written)], value: got });
  }
  if (isUrlChanged) edits.push({ path: [...at, 'url'], value: (address ?? '') + printQuery(query) });
  return edits;
}

/** Whether a difference is one of a body that lies in a file. */
export function isInBodyFile({ bodyFile }: { readonly bodyFile?: string }, [member]: ValuePath): boolean {
  return bodyFile !== undefined && BODY_MEMBERS.some((name) => name === member);
}

function queryInUrl({ url }: ExpectedRequest): Record<string, unknown> {
  const query = typeof url === 'string' ? splitAddress(url)[1] : undefined;
  return query === undefined ? {} : parseForm(query);
}

/** Whether a parameter stands, or has to stand, in the address: where no `query` says otherwise. */
function isInUrl(written: ExpectedRequest, name: string | number | undefined): boolean {
  if (typeof written.url !== 'string') return false;
  const hasOwn = typeof written.query === 'object' && written.query !== null;
  return Object.hasOwn(queryInUrl(written), String(name)) || !hasOwn;
}

function printQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Headers keep the spelling of the file. */
function spelled(path: ValuePath, { headers = {} }: ExpectedRequest): ValuePath {
  const [member, name] = path;
  if (member !== 'headers' || name === undefined) return path;
  return ['headers', Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name];
}

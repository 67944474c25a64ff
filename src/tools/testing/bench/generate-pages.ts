import type { Document } from '../../../engine/document/document.js';
import type { StopReason } from '../../../engine/run/trace.js';
import { CaseError, EngineError } from '../../../shared/errors/engine-error.js';
import {
  isPlainObject,
  ownMember,
  type PlainObject,
  readAt,
  setMember,
} from '../../../shared/plain-object.js';
import { sampleMember } from '../cases/sample-values.js';
import { pathKey, readTemplatePaths } from '../cases/template-paths.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import { readTagged } from '../matching/tagged-values.js';
import type { RecordedResponse, RecordedRun } from './recorded-run.js';
import {
  isPageNumber,
  type MemberPath,
  type PageShape,
  planValues,
  repeatRecords,
  replaceMember,
  type ValueOfPage,
} from './vary-values.js';

/** Requested pages. */
export interface PageOptions {
  /** Number of responses of the paged request. Default: as recorded. */
  readonly pages?: number | undefined;
  /** Records of a page; the last page has at most as many as recorded. Default: as recorded. */
  readonly pageSize?: number | undefined;
}

/** Responses of a whole run. */
export interface GeneratedRun {
  readonly responses: readonly ScriptedResponse[];
  readonly pages: number;
  /** The spec of the paged request. */
  readonly spec: Document;
  /** A parameter that must exceed the number of records, as `response.limit` reads it. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the condition of the pagination depends on the number of records of a page. */
  readonly countsRecords: boolean;
}

/** Largest size of all generated pages, in bytes. */
const MAX_BYTES = 256 * 2 ** 20;

/** Reasons after which the last recorded page is the last one of the API. */
const ENDS_OF_LIST: readonly (StopReason | undefined)[] = [
  'pagination-condition',
  'no-next-url',
  'empty-page',
  'no-pagination',
];

/**
 * Generates pages from a recorded run: pages with a next one follow the first recorded page, the last one follows the
 * last recorded page. If paging ended for another reason than the end of the list, the last page is empty, unless pagination
 * reads a total. Members that
 * pagination reads are added to a single page that was not recorded. Records repeat with other ids. Requests before and after the pages keep their responses.
 *
 * @throws EngineError (USAGE) if the module has no pages or lists no records; CaseError if the pages are no JSON or have
 * no records
 */
export function generatePages(run: RecordedRun, { pages: wanted, pageSize }: PageOptions): GeneratedRun {
  const paged = findPagedRequest(run);
  const { spec, responses } = paged;
  const isPaged = isPlainObject(spec.value) && isPlainObject(ownMember(spec.value, 'pagination'));
  if (!isPaged && (wanted ?? 1) > 1) {
    throw new EngineError('USAGE', `The module has no pagination: it reads one page, not ${wanted}.`);
  }
  const known = listPages(responses).map((response) => readPage(response, run));
  // A single page that was not recorded shows neither how an API announces a next page nor how a list ends.
  const isMadeUp = run.isMadeUp || (run.read.written.recorded === undefined && known.length === 1);
  const recorded = isMadeUp ? known.slice(0, 1).map((page) => addNextPage(page, spec)) : known;
  const pages = isPaged ? (wanted ?? recorded.length) : 1;
  const container = findContainer(spec, recorded);
  if (container === undefined && pageSize !== undefined) {
    throw new EngineError('USAGE', 'The size of a page cannot be set: the module has no iterate.');
  }
  const hasEnd = !isMadeUp && ENDS_OF_LIST.includes(run.outcome.stop);
  const lists = recorded.map(({ body }) => listRecords({ body }, container));
  const all = lists.flat();
  if (container !== undefined && all.length === 0) {
    throw refuse(run, 'has no record, so that no page can be made of it. Record a run that returns records');
  }
  const recordedSizes = lists.map((list) => list.length);
  const shape = shapePages({
    pages,
    pageSize,
    recorded: recordedSizes,
    isEndEmpty: !hasEnd && !readsTotal(spec),
  });
  const members = planMembers({ recorded, spec, container, shape });
  const recordAt = repeatRecords(all);
  const made: ScriptedResponse[] = [];
  let bytes = 0;
  let position = 0;
  for (let page = 1; page <= pages; page++) {
    const isEnd = page === pages && hasEnd;
    const template = (isEnd ? recorded.at(-1) : recorded[0]) ?? EMPTY;
    const planned = applyPlans(template, members, page, isEnd);
    const records = Array.from({ length: shape.countOf(page) }, () => recordAt(position++));
    const filled = container === undefined ? planned : replaceMember(planned, container, records);
    const response = toResponse(filled as RecordedPage);
    bytes += Buffer.byteLength(response.bodyText ?? '');
    if (bytes > MAX_BYTES) {
      const message = `The pages are larger than ${MAX_BYTES} bytes. Request fewer or smaller ones.`;
      throw new EngineError('USAGE', message);
    }
    made.push(response);
  }
  const limit = findLimit(spec);
  return {
    responses: [...paged.before, ...made, ...paged.after],
    pages,
    spec,
    parameters: limit === undefined ? {} : { [limit]: shape.total + 1 },
    countsRecords: readsRecords(spec, container),
  };
}

/** The only parameter that `response.limit` reads. */
function findLimit({ value }: Document): string | undefined {
  const limit = readAt(value, 'response', 'limit');
  const [path, other] = readTemplatePaths(limit);
  return path?.length === 2 && path[0] === 'parameters' && other === undefined ? path[1] : undefined;
}

/** Whether pagination reads the number of all records or pages, which ends a list without an empty page. */
function readsTotal(spec: Document): boolean {
  return readNextPagePaths(spec).some((path) => /total|count|pages/i.test(path.at(-1) ?? ''));
}

/** Whether the condition of the pagination reads the list of records: most conditions compare its length. */
function readsRecords({ value }: Document, container: MemberPath | undefined): boolean {
  const condition = readAt(value, 'pagination', 'condition');
  return container !== undefined && readTemplatePaths(condition).map(pathKey).includes(pathKey(container));
}

interface PagedRequest {
  readonly spec: Document;
  readonly responses: readonly RecordedResponse[];
  readonly before: readonly ScriptedResponse[];
  readonly after: readonly ScriptedResponse[];
}

/** The last request of the chain with pagination, else the last one. */
function findPagedRequest(run: RecordedRun): PagedRequest {
  const own = run.responses.filter(({ isOfEndpoint }) => !isOfEndpoint);
  const last =
    own.findLast(
      ({ spec }) => isPlainObject(spec?.value) && ownMember(spec.value, 'pagination') !== undefined,
    ) ?? own.at(-1);
  const spec = last?.spec;
  if (last === undefined || spec === undefined) {
    throw refuse(
      run,
      'has no request of the module itself, so that no page can be made of it. Record another run',
    );
  }
  const isPage = (one: RecordedResponse): boolean =>
    one.requestIndex === last.requestIndex && !one.isOfEndpoint;
  const first = run.responses.findIndex(isPage);
  const end = run.responses.findLastIndex(isPage);
  const others = (list: readonly RecordedResponse[]): readonly ScriptedResponse[] =>
    list.map(({ response }) => response);
  return {
    spec,
    responses: run.responses.filter(isPage),
    before: others(run.responses.slice(0, first)),
    after: others(run.responses.slice(end + 1)),
  };
}

/** The final response of each page: earlier ones led to a repeat. */
function listPages(responses: readonly RecordedResponse[]): readonly ScriptedResponse[] {
  const pages = new Map<number, ScriptedResponse>();
  for (const { page, response } of responses) pages.set(page, response);
  return [...pages.values()];
}

interface RecordedPage {
  readonly response: ScriptedResponse;
  readonly body: unknown;
  /** By lower-case name. */
  readonly headers: PlainObject;
}

const EMPTY: RecordedPage = { response: {}, body: {}, headers: {} };

function readPage(response: ScriptedResponse, run: RecordedRun): RecordedPage {
  const headers: PlainObject = {};
  for (const [name, value] of Object.entries(response.headers ?? {})) {
    setMember(headers, name.toLowerCase(), value);
  }
  if (response.body !== undefined) return { response, headers, body: readTagged(response.body) };
  try {
    return { response, headers, body: JSON.parse(response.bodyText ?? '') };
  } catch {
    throw refuse(
      run,
      'has a page that is not JSON. Only pages of JSON can be generated; measure the case as it is',
    );
  }
}

/** The path of the list that `iterate` reads; undefined without `iterate`. */
function findContainer(
  { value, locationOf }: Document,
  recorded: readonly RecordedPage[],
): MemberPath | undefined {
  const response = readAt(value, 'response');
  const iterate = readAt(response, 'iterate');
  const written = isPlainObject(iterate) ? ownMember(iterate, 'container') : iterate;
  if (written === undefined || written === null || written === '') return undefined;
  const template = typeof written === 'string' && !written.includes('{{') ? `{{${written}}}` : written;
  const isList = (path: MemberPath): boolean => recorded.some((page) => Array.isArray(readAt(page, ...path)));
  const found = readTemplatePaths(template).find((path) => path[0] === 'body' && isList(path));
  if (found !== undefined) return found;
  throw new CaseError(
    'The iterate directive does not read a list of the recorded pages directly, so pages of other sizes cannot be generated. Measure the case as it is.',
    { place: locationOf('/response/iterate') },
  );
}

function listRecords(
  page: { readonly body: unknown },
  container: MemberPath | undefined,
): readonly unknown[] {
  const list = container && readAt(page, ...container);
  return Array.isArray(list) ? list : [];
}

interface ShapeInput extends PageOptions {
  readonly pages: number;
  /** Records of each recorded page. */
  readonly recorded: readonly number[];
  readonly isEndEmpty: boolean;
}

function shapePages({ pages, pageSize, recorded, isEndEmpty }: ShapeInput): PageShape {
  const [first = 0] = recorded;
  const last = recorded.at(-1) ?? 0;
  const size = pageSize ?? first;
  // A last page that was full stays full.
  const lastSize = last >= first ? size : Math.min(last, size);
  const ofLast = isEndEmpty ? 0 : lastSize;
  const countOf = (page: number): number => (page < pages || pages === 1 ? size : ofLast);
  return { pages, size, countOf, total: (pages - 1) * size + countOf(pages), recorded };
}

interface PlanInput {
  readonly recorded: readonly RecordedPage[];
  readonly spec: Document;
  readonly container: MemberPath | undefined;
  readonly shape: PageShape;
}

interface MemberPlan {
  readonly path: MemberPath;
  readonly valueOn: ValueOfPage;
}

/** Plans the members of a page besides its records. Headers count only if the app reads them to find the next page. */
function planMembers({ recorded, spec, container, shape }: PlanInput): readonly MemberPlan[] {
  const read = new Set(readNextPagePaths(spec).map(pathKey));
  const [first = EMPTY] = recorded;
  const paths = [
    ...listMembers(first.body, ['body'], container),
    ...Object.keys(first.headers)
      .map((name): MemberPath => ['headers', name])
      .filter((path) => read.has(pathKey(path))),
  ];
  return paths.flatMap((path): readonly MemberPlan[] => {
    const values = recorded.map((page) => readAt(page, ...path));
    const valueOn = planValues({ path, values, isRead: read.has(pathKey(path)) }, shape);
    return valueOn === undefined ? [] : [{ path, valueOn }];
  });
}

/** Paths that pagination reads, directly or through `temp`. Names of headers are in lower case. */
function readNextPagePaths({ value }: Document): readonly MemberPath[] {
  if (!isPlainObject(value)) return [];
  const temp = readAt(value, 'response', 'temp');
  return readTemplatePaths([ownMember(value, 'pagination'), ownMember(value, 'temp'), temp]).map((path) =>
    path[0] === 'headers' ? path.map((name) => name.toLowerCase()) : path,
  );
}

/** Adds the members that pagination reads to a made-up page. */
function addNextPage(page: RecordedPage, spec: Document): RecordedPage {
  let complete: unknown = page;
  for (const path of readNextPagePaths(spec)) {
    const [root, name = ''] = [path[0], path.at(-1)];
    const isOfPage = (root === 'body' || root === 'headers') && path.length > 1;
    if (!isOfPage || readAt(complete, ...path) !== undefined) continue;
    const value = isPageNumber(name) ? 1 : sampleMember(name, undefined, undefined);
    complete = replaceMember(complete, path, root === 'headers' ? String(value) : value);
  }
  return complete as RecordedPage; // Only members of its body and headers were added.
}

/** Levels below the body that are searched for members. */
const MAX_DEPTH = 6;

function listMembers(
  value: unknown,
  path: MemberPath,
  container: MemberPath | undefined,
): readonly MemberPath[] {
  if (container !== undefined && pathKey(path) === pathKey(container)) return [];
  if (!isPlainObject(value)) return path.length > 1 && !Array.isArray(value) ? [path] : [];
  if (path.length > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, member]) => listMembers(member, [...path, name], container));
}

/** @param isEnd whether the template is the last recorded page: its texts lead nowhere, as recorded */
function applyPlans(
  template: RecordedPage,
  plans: readonly MemberPlan[],
  page: number,
  isEnd: boolean,
): RecordedPage {
  let filled: unknown = template;
  for (const { path, valueOn } of plans) {
    const [recorded, planned] = [readAt(template, ...path), valueOn(page)];
    const isKept = isEnd && typeof recorded === 'string' && !/^\d+$/.test(recorded);
    // A member that a last page lacks or sets to null stays so.
    if (typeof recorded === typeof planned && !isKept) filled = replaceMember(filled, path, planned);
  }
  return filled as RecordedPage; // Only members of its body and headers were replaced.
}

function toResponse({ response, body, headers }: RecordedPage): ScriptedResponse {
  const { status, encoding } = response;
  return {
    ...(status !== undefined && { status }),
    ...(encoding !== undefined && { encoding }),
    headers: { 'content-type': 'application/json', ...(headers as ScriptedResponse['headers']) },
    bodyText: JSON.stringify(body),
  };
}

/** An error about a case that pages cannot be made of. */
function refuse({ read }: RecordedRun, problem: string): CaseError {
  const message = `The case "${read.name}" ${problem}.`;
  return new CaseError(message, { place: read.document.locationOf('/exchanges') });
}

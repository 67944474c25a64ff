import { ownMember } from '../../../shared/plain-object.js';
import { isJsonType, type Operation, readContent } from './operations.js';
import { isUsableName } from './plain-text.js';
import type { References } from './references.js';
import { type SchemaView, viewSchema } from './schemas.js';

/** A parameter of an operation that may set the page. */
export interface PagingParameter {
  /** Where it is sent: the query, or a member of a JSON object. */
  readonly place: 'qs' | 'body';
  readonly name: string;
  /** See `plainName`. */
  readonly plain: string;
  readonly view: SchemaView | undefined;
}

/** Usual names of parameters in the form of `plainName`. [inf] */
export const PAGING_PARAMETERS: Readonly<
  Record<'size' | 'page' | 'offset' | 'cursor' | 'backwards', RegExp>
> = {
  size: /^(?:limit|pagesize|perpage|size|count|maxresults?|max|rows|take|top|first|pagelimit|resultsperpage|itemsperpage|maxpagesize|maxitems|num)$/,
  page: /^(?:page|pagenumber|pageno|pagenum|pageindex|currentpage|p)$/,
  offset: /^(?:offset|skip|start|startat|startindex|from|pageoffset|firstresult)$/,
  cursor:
    /^(?:cursor|nextcursor|startcursor|pagecursor|pagetoken|nextpagetoken|nexttoken|continuation|continuationtoken|paginationtoken|after|pageafter|startingafter|afterid|marker|scrollid|bookmark|skiptoken|startkey|pagestart)$/,
  backwards: /^(?:before|endingbefore|beforeid|pagebefore|prevcursor|previouscursor)$/,
};

/** Names that mean nothing but a position in a list. */
const PLAIN_CURSOR = /cursor|token|scrollid/;

/** A name without case and punctuation: `page[size]` and `pageSize` → `pagesize`. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Parameters of the query, then the members of a JSON body if the operation is a POST. */
export function listParameters(operation: Operation, references: References): readonly PagingParameter[] {
  const query = operation.parameters
    .filter((parameter) => ownMember(parameter, 'in') === 'query')
    .map((parameter) => {
      const help = ownMember(parameter, 'description');
      const described = typeof help === 'string' ? [{ description: help }] : [];
      const schema = { allOf: [ownMember(parameter, 'schema'), ...described] };
      return { place: 'qs' as const, name: String(ownMember(parameter, 'name') ?? ''), schema };
    });
  const body = operation.method === 'POST' ? bodyOf(operation, references) : undefined;
  const members = (body?.properties ?? []).map(({ name, schema }) => ({
    place: 'body' as const,
    name,
    schema,
  }));
  return [...query, ...members]
    .filter(({ name }) => isUsableName(name))
    .map(({ place, name, schema }) => {
      return { place, name, plain: plainName(name), view: viewSchema(schema, references, body?.path) };
    });
}

function bodyOf({ spec }: Operation, references: References): SchemaView | undefined {
  const body = references.follow(ownMember(spec, 'requestBody'));
  const json = readContent(body && ownMember(body, 'content'), references).find(({ type }) =>
    isJsonType(type),
  );
  const view = json && viewSchema(ownMember(json.media, 'schema'), references);
  return view?.kind === 'object' ? view : undefined;
}

export function isNumber(view: SchemaView | undefined): boolean {
  return view === undefined || ['integer', 'number', 'string', 'any'].includes(view.kind);
}

export function findSize(parameters: readonly PagingParameter[]): PagingParameter | undefined {
  return parameters.find(({ plain, view }) => PAGING_PARAMETERS.size.test(plain) && isNumber(view));
}

/**
 * Whether a body says which page of a list to send, so that the operation is a search although it is a POST. A lone
 * `from` or `after` may be a date, so it takes a page size beside it. [inf]
 */
export function isPagedByBody(operation: Operation, references: References): boolean {
  if (operation.method !== 'POST') return false;
  const members = listParameters(operation, references).filter(({ place }) => place === 'body');
  if (members.some(({ plain }) => PAGING_PARAMETERS.cursor.test(plain) && PLAIN_CURSOR.test(plain)))
    return true;
  const { page, offset, cursor } = PAGING_PARAMETERS;
  const isPosition = ({ plain, view }: PagingParameter): boolean =>
    [page, offset, cursor].some((pattern) => pattern.test(plain)) && isNumber(view);
  return findSize(members) !== undefined && members.some(isPosition);
}

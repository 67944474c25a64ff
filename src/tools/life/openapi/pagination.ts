import { ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { Operation } from './operations.js';
import {
  findSize,
  isNumber,
  listParameters,
  PAGING_PARAMETERS,
  type PagingParameter,
  plainName,
} from './paging-parameters.js';
import { isUsableName, printPath } from './plain-text.js';
import type { References } from './references.js';
import type { ResponseShape } from './responses.js';
import { exampleOf, type SchemaView, textKeyword, viewSchema } from './schemas.js';

/** How a search requests its pages. */
export interface Paging {
  readonly kind: 'next link' | 'cursor' | 'Link header' | 'page number' | 'offset' | 'unknown';
  /** Values of the first request. */
  readonly first: PageValues;
  /** Values of the further requests. */
  readonly next: PageValues;
  /** `url` and `condition` of the pagination. */
  readonly pagination: PlainObject;
  /** Parameters that are no fields of the form. */
  readonly parameters: readonly PagingParameter[];
  /** What the document does not say, and what the module does instead. */
  readonly guess: string | undefined;
}

/** Values by name, for the query and for a JSON body. */
export type PageValues = Readonly<Partial<Record<PagingParameter['place'], PlainObject>>>;

/** Page size where the document names neither a maximum nor a default. [choice] */
const PAGE_SIZE = 100;

interface Member {
  readonly path: readonly string[];
  /** The last name, and the last two joined, without punctuation. */
  readonly names: readonly string[];
  readonly view: SchemaView;
}

interface Subject {
  readonly parameters: readonly PagingParameter[];
  readonly members: readonly Member[];
  readonly response: ResponseShape;
  readonly size: PagingParameter | undefined;
  readonly pageSize: number | undefined;
}

/** How the list of a response is paged, as far as the document says. */
export function findPaging(operation: Operation, response: ResponseShape, references: References): Paging {
  const parameters = listParameters(operation, references);
  const size = findSize(parameters);
  const subject: Subject = {
    parameters,
    members: listMembers(response, references),
    response,
    size,
    pageSize: size && sizeOf(size),
  };
  // A link cannot repeat the body of a POST, so its parameters come first there.
  const isByBody = parameters.some(({ place }) => place === 'body');
  return (
    (isByBody ? (byCursor(subject) ?? byPageNumber(subject) ?? byOffset(subject)) : undefined) ??
    byNextLink(subject) ??
    byCursor(subject) ??
    byDocumentedHeader(subject) ??
    byPageNumber(subject) ??
    byOffset(subject) ??
    byAnyHeader(subject)
  );
}

/** Scalar members of the body and of the objects in it, two levels deep. */
function listMembers({ body, container }: ResponseShape, references: References): readonly Member[] {
  const found: Member[] = [];
  const visit = (view: SchemaView, path: readonly string[]): void => {
    for (const { name, schema } of view.properties) {
      if (!isUsableName(name)) continue;
      const inner = viewSchema(schema, references, view.path);
      const at = [...path, name];
      if (inner === undefined) continue;
      if (inner.kind === 'object' && path.length < 2) visit(inner, at);
      else if (inner.kind !== 'object' && inner.kind !== 'array' && !isSame(at, container)) {
        found.push({
          path: at,
          names: [plainName(name), plainName(at.slice(-2).join('')), plainName(at.slice(-3).join(''))],
          view: inner,
        });
      }
    }
  };
  if (body?.kind === 'object') visit(body, []);
  // Members of the root first: nested ones may belong to something else.
  return found.sort((a, b) => a.path.length - b.path.length);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}

function findMember(
  { members }: Subject,
  pattern: RegExp,
  kinds: readonly SchemaView['kind'][],
): Member | undefined {
  return members.find(
    ({ names, view }) => kinds.includes(view.kind) && names.some((name) => pattern.test(name)),
  );
}

function sizeOf({ view }: PagingParameter): number | undefined {
  const read = (name: string): number | undefined => {
    const value = view && ownMember(view.keywords, name);
    return typeof value === 'number' && value >= 1 ? Math.floor(value) : undefined;
  };
  const help = view === undefined ? '' : textKeyword(view, 'description');
  const [, described] = /\bmax(?:imum)?\b[^\d.]{0,20}(\d{1,4})\b/i.exec(help) ?? [];
  return read('maximum') ?? (described === undefined ? undefined : Number(described)) ?? read('default');
}

/** Values by place; undefined for no parameter. */
function send(...values: readonly (readonly [PagingParameter | undefined, unknown])[]): PageValues {
  const sent: Record<PagingParameter['place'], PlainObject> = { qs: {}, body: {} };
  for (const [parameter, value] of values) {
    if (parameter !== undefined) setMember(sent[parameter.place], parameter.name, value);
  }
  return sent;
}

/** The page size, fixed, so that the limit of the user does not change the pages. */
function sizeValue({ size, pageSize }: Subject): readonly [PagingParameter | undefined, unknown] {
  return [size, pageSize ?? PAGE_SIZE];
}

function guessSize({ size, pageSize }: Subject): string | undefined {
  if (size === undefined || pageSize !== undefined) return undefined;
  return `The page size \`${size.name}\` is ${PAGE_SIZE}, as the document names no maximum.`;
}

function listed(...parameters: readonly (PagingParameter | undefined)[]): readonly PagingParameter[] {
  return parameters.filter((parameter) => parameter !== undefined);
}

function read({ path }: Member): string {
  return printPath('body', path);
}

function byNextLink(subject: Subject): Paging | undefined {
  const cursor = findParameter(subject, PAGING_PARAMETERS.cursor);
  const member =
    findMember(subject, PAGING_MEMBERS.link, ['string', 'any']) ??
    subject.members.find(
      ({ names, view }) =>
        names[0] === 'next' && (isLink(view) || (cursor === undefined && view.kind === 'string')),
    );
  if (member === undefined) return undefined;
  const page =
    findParameter(subject, PAGING_PARAMETERS.page) ?? findParameter(subject, PAGING_PARAMETERS.offset);
  const path = `{{${read(member)}}}`;
  return {
    kind: 'next link',
    first: send(sizeValue(subject)),
    next: {},
    pagination: { url: path, condition: path },
    parameters: listed(subject.size, page, cursor),
    guess: guessSize(subject),
  };
}

function isLink(view: SchemaView): boolean {
  if (/^(?:uri|url|uri-reference)$/.test(textKeyword(view, 'format'))) return true;
  const example = exampleOf(view);
  return typeof example === 'string' && /^(?:https?:\/)?\//.test(example);
}

function findParameter({ parameters }: Subject, pattern: RegExp): PagingParameter | undefined {
  return parameters.find(({ plain }) => pattern.test(plain));
}

function byCursor(subject: Subject): Paging | undefined {
  const cursor = findParameter(subject, PAGING_PARAMETERS.cursor);
  if (cursor === undefined) return undefined;
  const backwards = subject.parameters.filter(({ plain }) => PAGING_PARAMETERS.backwards.test(plain));
  const member = findMember(subject, PAGING_MEMBERS.cursor, ['string', 'integer', 'number', 'any']);
  const more = findMember(subject, PAGING_MEMBERS.more, ['boolean', 'any']);
  const shared = {
    kind: 'cursor',
    first: send(sizeValue(subject)),
    parameters: listed(subject.size, cursor, ...backwards),
    guess: guessSize(subject),
  } as const;
  if (member !== undefined) {
    const path = `{{${read(member)}}}`;
    // The last page may have a cursor too, for records that do not exist yet.
    const condition = more === undefined ? path : `{{${read(more)}}}`;
    return { ...shared, next: send([cursor, path]), pagination: { condition } };
  }
  const id = subject.response.item?.properties.find(({ name }) => name === 'id');
  if (more === undefined || id === undefined) return undefined;
  // The cursor is the ID of the last item of the page.
  return {
    ...shared,
    next: send([cursor, '{{iterate.container.last.id}}']),
    pagination: { condition: `{{${read(more)}}}` },
  };
}

/** `Link: <https://api.example.com/contacts?page=2>; rel="next"`. Source: RFC 8288. */
const LINK_HEADER = {
  url: "{{replace(headers.link, '/^.*?<([^>]*)>;[^,]*rel=\"?next.*$/', '$1')}}",
  condition: '{{contains(headers.link, \'rel="next"\')}}',
} as const;

function byDocumentedHeader(subject: Subject): Paging | undefined {
  return subject.response.headers.has('link')
    ? { ...byAnyHeader(subject), kind: 'Link header', guess: guessSize(subject) }
    : undefined;
}

/** Without a word in the document, a link in the header is followed if there is one. [choice] */
function byAnyHeader(subject: Subject): Paging {
  const page = findParameter(subject, PAGING_PARAMETERS.page);
  return {
    kind: 'unknown',
    first: send(sizeValue(subject)),
    next: {},
    pagination: LINK_HEADER,
    parameters: listed(subject.size, page),
    guess:
      'The document does not say how the list is paged. The module requests further pages only if a response has a Link header with rel="next".',
  };
}

/** The number of the first page, as the document says: 1 without a word. */
function firstOf({ view }: PagingParameter): number {
  const value =
    view && (ownMember(view.keywords, 'default') ?? ownMember(view.keywords, 'minimum') ?? exampleOf(view));
  return value === 0 ? 0 : 1;
}

function byPageNumber(subject: Subject): Paging | undefined {
  const page = findParameter(subject, PAGING_PARAMETERS.page);
  if (page === undefined || !isNumber(page.view)) return undefined;
  const first = firstOf(page);
  const pages = findMember(subject, PAGING_MEMBERS.pages, ['integer', 'number', 'any']);
  return {
    kind: 'page number',
    first: send([page, first], sizeValue(subject)),
    next: send([page, first === 1 ? '{{pagination.page}}' : '{{pagination.page - 1}}']),
    pagination: {
      condition: pages === undefined ? endCondition(subject) : `{{${read(pages)} >= pagination.page}}`,
    },
    parameters: listed(subject.size, page),
    guess: guessSize(subject),
  };
}

/** Whether there is a further page, by a flag, the number of records, or a page with records. */
function endCondition(subject: Subject): string {
  const more = findMember(subject, PAGING_MEMBERS.more, ['boolean', 'any']);
  if (more !== undefined) return `{{${read(more)}}}`;
  const last = subject.members.find(({ names, view }) => names[0] === 'last' && view.kind === 'boolean');
  if (last !== undefined) return `{{!${read(last)}}}`;
  const total = findMember(subject, PAGING_MEMBERS.total, ['integer', 'number', 'any']);
  const { size, pageSize } = subject;
  if (total !== undefined && size !== undefined) {
    return `{{${read(total)} > (pagination.page - 1) * ${pageSize ?? PAGE_SIZE}}}`;
  }
  return `{{length(${printPath('body', subject.response.container)}) > 0}}`;
}

function byOffset(subject: Subject): Paging | undefined {
  const offset = findParameter(subject, PAGING_PARAMETERS.offset);
  const { size, pageSize } = subject;
  if (offset === undefined || size === undefined || !isNumber(offset.view)) return undefined;
  const value =
    offset.view && (ownMember(offset.view.keywords, 'default') ?? ownMember(offset.view.keywords, 'minimum'));
  const first = value === 1 ? 1 : 0;
  const step = `(pagination.page - 1) * ${pageSize ?? PAGE_SIZE}`;
  return {
    kind: 'offset',
    first: send([offset, first], sizeValue(subject)),
    next: send([offset, first === 0 ? `{{${step}}}` : `{{${step} + 1}}`]),
    pagination: { condition: endCondition(subject) },
    parameters: listed(size, offset),
    guess: guessSize(subject),
  };
}

/** Usual names of members of responses, in the form of `plainName`. [inf] */
const PAGING_MEMBERS: Readonly<Record<'cursor' | 'link' | 'pages' | 'more' | 'total', RegExp>> = {
  cursor:
    /^(?:nextcursor|nextpagetoken|nexttoken|continuationtoken|continuation|paginationtoken|endcursor|nextmarker|nextpagecursor|cursorsafter|nextafter|nextscrollid|scrollid|bookmark|nextkey|next|nextpage|cursor|after|pagetoken|marker)$/,
  link: /^(?:nexturl|nextlink|odatanextlink|nextpageurl|nextpagelink|nexthref|nexturi|linksnext|linksnexthref|nextpageuri)$/,
  pages: /^(?:totalpages?|pagecount|pagestotal|pages|lastpage|numpages|nbpages|maxpage)$/,
  more: /^(?:hasmore|hasnext|hasnextpage|hasmoreitems|hasmorepages|more|ismore|morepages|moreresults|istruncated)$/,
  total:
    /^(?:total|totalcount|totalresults|totalitems|totalrecords|totalelements|totalhits|recordstotal|totalsize)$/,
};

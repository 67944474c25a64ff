import { isPlainName } from '../../../language/syntax/grammar.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import { PAGING_MEMBERS, PAGING_PARAMETERS, plainName } from '../paging-names.js';

/** How a list API pages, from the names of its query parameters and of the members of a response. */
export interface Paging {
  /** Query of the first request. */
  readonly qs: PlainObject;
  /** The directive `pagination`. */
  readonly pagination: PlainObject;
  /** Query parameters that the directive sets. */
  readonly used: ReadonlySet<string>;
  /** Whether neither query nor response show how the API pages. */
  readonly isUnknown: boolean;
}

/** Links are recognized by their values. */
const NEXT = /^(?:odata)?next(?:page)?(?:url|link|uri|href)?$/;

interface Member {
  readonly name: string;
  /** In an expression. */
  readonly path: string;
  readonly value: unknown;
}

/**
 * Guesses how a list API pages.
 *
 * @param responses JSON bodies; empty without a recording
 * @param list path of the list in an expression: `body.data`
 */
export function guessPaging(
  query: Readonly<PlainObject>,
  responses: readonly unknown[],
  list: string,
): Paging {
  const find = (pattern: RegExp): string | undefined =>
    Object.keys(query).find((name) => pattern.test(plainName(name)));
  const size = find(PAGING_PARAMETERS.size);
  const [page, offset] = [find(PAGING_PARAMETERS.page), find(PAGING_PARAMETERS.offset)];
  const cursor = find(PAGING_PARAMETERS.cursor);
  const sizeValue = size === undefined ? undefined : Number(query[size]);
  const hasSize = sizeValue !== undefined && Number.isInteger(sizeValue) && sizeValue > 0;
  const fixed: PlainObject = size !== undefined && hasSize ? { [size]: sizeValue } : {};
  const members = responses.flatMap((body) => listMembers(body, 'body', 0));
  const has = (pattern: RegExp, isValue: (value: unknown) => boolean): string | undefined =>
    members.find(({ name, value }) => pattern.test(plainName(name)) && isValue(value))?.path;
  const used = (...names: readonly (string | undefined)[]): ReadonlySet<string> =>
    new Set(names.filter((name) => name !== undefined));
  const result = (qs: PlainObject, pagination: PlainObject, isUnknown = false): Paging => ({
    qs: { ...fixed, ...qs },
    pagination,
    used: used(hasSize ? size : undefined, page, offset, cursor),
    isUnknown,
  });

  const link = has(NEXT, (value) => typeof value === 'string' && /^(?:https?:\/)?\//i.test(value));
  if (link !== undefined) {
    const target = `{{${link}}}`;
    return result({}, { url: target, condition: target });
  }
  const token = has(PAGING_MEMBERS.cursor, (value) => typeof value === 'string' || typeof value === 'number');
  if (token !== undefined || (cursor !== undefined && page === undefined)) {
    const path = token ?? 'body.nextCursor';
    const name = cursor ?? 'cursor';
    return result({}, { qs: { [name]: `{{${path}}}` }, condition: `{{${path}}}` }, token === undefined);
  }
  const more = has(PAGING_MEMBERS.more, (value) => typeof value === 'boolean');
  const pages = has(PAGING_MEMBERS.pages, (value) => typeof value === 'number');
  const total = has(PAGING_MEMBERS.total, (value) => typeof value === 'number');
  const condition =
    more ??
    (pages === undefined ? undefined : `${pages} >= pagination.page`) ??
    (hasSize ? `length(${list}) = ${sizeValue}` : `length(${list}) > 0`);
  if (offset !== undefined) {
    const skipped = `(pagination.page - 1) * ${hasSize ? sizeValue : 100}`;
    const end = more ?? (total === undefined ? undefined : `${total} > ${skipped}`) ?? condition;
    const qs = { [offset]: `{{${skipped}}}` };
    return result(
      { ...(size === undefined && { limit: 100 }), [offset]: 0 },
      { qs, condition: `{{${end}}}` },
      size === undefined,
    );
  }
  const name = page ?? 'page';
  const isUnknown = page === undefined && more === undefined && pages === undefined;
  return result(
    page === undefined ? {} : { [name]: 1 },
    { qs: { [name]: '{{pagination.page}}' }, condition: isUnknown ? '{{body.hasMore}}' : `{{${condition}}}` },
    isUnknown,
  );
}

/** Members of an object and of objects in it, lists left out. */
function listMembers(value: unknown, path: string, depth: number): readonly Member[] {
  if (!isPlainObject(value) || depth > 2) return [];
  return Object.entries(value).flatMap(([name, member]): readonly Member[] => {
    const step = memberPath(path, name);
    if (step === undefined) return [];
    return isPlainObject(member)
      ? listMembers(member, step, depth + 1)
      : [{ name, path: step, value: member }];
  });
}

/** A member in an expression; undefined for a name that backticks cannot hold. */
export function memberPath(path: string, name: string): string | undefined {
  if (isPlainName(name)) return `${path}.${name}`;
  return /^[^`{}]+$/.test(name) ? `${path}.\`${name}\`` : undefined;
}

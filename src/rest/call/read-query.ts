import { type PlainObject, setMember } from '../../shared/plain-object.js';
import type { SchemaMap } from '../../shared/schema/build.js';
import { badRequest, invalidParameter } from '../problems.js';
import { isStorable, UNSTORABLE } from './json-body.js';

/** A parsed query, with texts converted to the types of the schemas where possible. */
export interface QueryParts {
  readonly values: PlainObject;
  /** The names after `cols`, in order. */
  readonly columns: readonly string[];
  readonly page: PlainObject;
}

const COLUMN = /^cols(?:\[(\d{0,6})\])?$/;
const PAGE = /^pg\[(\w{1,40})\]$/;
const ELEMENT = /^(\w{1,60})\[\d{0,6}\]$/;
const WHOLE_NUMBER = /^-?\d{1,16}$/;
const MAX_PARAMETERS = 500;

/**
 * `cols[]=a&cols[]=b` or `cols[1]=a&cols[2]=b` (the numbers give the order), `pg[limit]=10`, `name=value`,
 * `list[]=1`. Source: https://developers.make.com/api-documentation (pagination and sorting, filtering). [doc][src]
 * @throws RestError 400 for a duplicate single value and for characters that databases cannot store
 */
export function readQuery(search: URLSearchParams, schemas: SchemaMap): QueryParts {
  const numbered: { readonly order: number; readonly name: string }[] = [];
  const page: PlainObject = {};
  const values: PlainObject = {};
  const problems: string[] = [];
  if (search.size > MAX_PARAMETERS) problems.push(`A query may hold at most ${MAX_PARAMETERS} parameters.`);
  for (const [name, text] of [...search].slice(0, MAX_PARAMETERS)) {
    if (!isStorable(text)) {
      problems.push(invalidParameter(name, UNSTORABLE));
      continue;
    }
    const column = COLUMN.exec(name);
    const paging = PAGE.exec(name)?.[1];
    const list = ELEMENT.exec(name)?.[1];
    if (column) numbered.push({ order: Number(column[1] || 0), name: text });
    else if (paging !== undefined)
      addOnce(page, paging, { value: readPageValue(paging, text), label: name, problems });
    else if (list !== undefined && isList(schemas[list])) addElement(values, list, text);
    else if (Object.hasOwn(schemas, name))
      addOnce(values, name, { value: coerce(text, schemas[name]), label: name, problems });
  }
  if (problems.length > 0) throw badRequest(problems);
  numbered.sort((a, b) => a.order - b.order);
  return { values, page, columns: numbered.map((it) => it.name) };
}

/**
 * Converts a text of a path or query to the type of its schema. Returns the text if that fails, so that validation
 * refuses it.
 */
export function coerce(text: string, schema: PlainObject | undefined): unknown {
  const type = schema?.['type'];
  if (type === 'integer' && WHOLE_NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && text === 'true') return true;
  if (type === 'boolean' && text === 'false') return false;
  return text;
}

function readPageValue(name: string, text: string): unknown {
  return name === 'limit' || name === 'offset' ? coerce(text, { type: 'integer' }) : text;
}

function isList(schema: PlainObject | undefined): boolean {
  return schema?.['type'] === 'array';
}

function addElement(values: PlainObject, name: string, text: string): void {
  const before = values[name];
  const value = coerce(text, { type: 'integer' });
  setMember(values, name, Array.isArray(before) ? [...before, value] : [value]);
}

interface Addition {
  readonly value: unknown;
  /** The parameter as the caller sent it. */
  readonly label: string;
  readonly problems: string[];
}

function addOnce(target: PlainObject, name: string, { value, label, problems }: Addition): void {
  if (Object.hasOwn(target, name)) problems.push(invalidParameter(label, 'must not be sent twice'));
  else setMember(target, name, value);
}

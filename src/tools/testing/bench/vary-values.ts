import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';

/** Steps to a member of `{ headers, body }`: `['body', 'meta', 'next']`. */
export type MemberPath = readonly string[];

/** Numbers that describe generated pages. */
export interface PageShape {
  /** Number of pages. */
  readonly pages: number;
  /** Number of records of a full page. */
  readonly size: number;
  /** Returns the number of records of a page; the first page is 1. */
  readonly countOf: (page: number) => number;
  /** Number of records of all pages. */
  readonly total: number;
  /** Number of records of each recorded page. */
  readonly recorded: readonly number[];
}

/** The value of a member on each page, from page 1; undefined to keep the recorded one. */
export type ValueOfPage = (page: number) => unknown;

/** A member with its values on the recorded pages. */
export interface RecordedMember {
  readonly path: MemberPath;
  /** Undefined where a page lacks it. */
  readonly values: readonly unknown[];
  /** Whether the app reads it to find the next page. */
  readonly isRead: boolean;
}

/**
 * The values of a member on generated pages: numbers of pages, records and positions follow the generated pages; texts
 * that lead to a next page differ on each page. Undefined for a member that stays as it is.
 */
export function planValues(member: RecordedMember, shape: PageShape): ValueOfPage | undefined {
  const [first] = member.values;
  const number = toNumber(first);
  if (number === undefined) return typeof first === 'string' ? planText(first, member) : undefined;
  const plan = planNumber(number, member, shape);
  if (plan === undefined) return undefined;
  return typeof first === 'string' ? (page) => String(plan(page)) : plan;
}

function planText(first: string, { values, isRead }: RecordedMember): ValueOfPage | undefined {
  const differs = values.some((value) => value !== first);
  // The same text on all recorded pages leads nowhere.
  if (values.length > 1 ? !differs : !isRead) return undefined;
  return (page) => varyText(first, page - 1);
}

/** Query parameters that number pages or records. */
const POSITION = /([?&](?:page|page_?number|offset|skip|start|cursor|after)=)(\d+)/i;
const LAST_DIGITS = /\d+(?=\D*$)/;

/** A text that is different for each number, and unchanged for 0. */
function varyText(text: string, by: number): string {
  if (by === 0) return text;
  const add = (digits: string): string => String(BigInt(digits) + BigInt(by));
  if (POSITION.test(text))
    return text.replace(POSITION, (_, name: string, digits: string) => name + add(digits));
  if (/^https?:/i.test(text)) return `${text}${text.includes('?') ? '&' : '?'}page=${by + 1}`;
  if (LAST_DIGITS.test(text)) return text.replace(LAST_DIGITS, add);
  return `${text}-${by}`;
}

/** Digits as text count as a number. */
function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function planNumber(
  first: number,
  { path, values, isRead }: RecordedMember,
  shape: PageShape,
): ValueOfPage | undefined {
  const { recorded } = shape;
  const numbers = values.map(toNumber);
  const isConstant = numbers.every((number) => number === first);
  if (!isConstant) {
    if (numbers.every((number, index) => number === recorded[index])) return shape.countOf;
    return planPosition(first, numbers, shape);
  }
  const name = path.at(-1) ?? '';
  const described = NAMES.find(({ pattern }) => pattern.test(name))?.plan(first, shape);
  if (described !== undefined) return described;
  if (values.length > 1) {
    if (first === sum(recorded)) return () => shape.total;
    return first === recorded.length ? () => shape.pages : undefined;
  }
  // The only recorded page has all records.
  if (first === recorded[0]) return isRead ? () => shape.total : shape.countOf;
  return isRead ? planPosition(first, numbers, shape) : undefined;
}

/** A number that grows with each page: of the page, or of its first record. */
function planPosition(
  first: number,
  numbers: readonly (number | undefined)[],
  { size, recorded }: PageShape,
): ValueOfPage {
  const [recordedSize = 0] = recorded;
  const second = numbers[1];
  const isOfRecords = recordedSize > 1 && first > 0 && first % recordedSize === 0;
  const step = second === undefined ? (isOfRecords ? recordedSize : 1) : second - first;
  const scale = (number: number): number =>
    recordedSize > 1 && Math.abs(step) === recordedSize ? (number / recordedSize) * size : number;
  return (page) => scale(first) + (page - 1) * scale(step);
}

interface NamedNumber {
  readonly pattern: RegExp;
  /** Undefined if the recorded pages contradict the name. */
  readonly plan: (first: number, shape: PageShape) => ValueOfPage | undefined;
}

/** Common names of numbers that are the same on all recorded pages. */
const NAMES: readonly NamedNumber[] = [
  {
    pattern: /pages|page_?count|last_?page/i,
    plan:
      (_, { pages }) =>
      () =>
        pages,
  },
  {
    pattern: /per_?page|page_?size|limit/i,
    plan:
      (_, { size }) =>
      () =>
        size,
  },
  {
    pattern: /total/i,
    plan:
      (_, { total }) =>
      () =>
        total,
  },
  {
    pattern: /^(?:current_?)?page(?:_?(?:number|no|index))?$|next|offset|skip/i,
    plan: (first, shape) => (shape.recorded.length > 1 ? undefined : planPosition(first, [first], shape)),
  },
];

/** Whether members of this name hold numbers about pages. */
export function isPageNumber(name: string): boolean {
  return /page|total|limit|offset|skip/i.test(name);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Members of a record that identify it. */
const IDENTITY = /^(?:_?id|uuid|guid|key|ref)$|(?:_id|Id|ID|_uuid)$/;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Repeats recorded records without an end; copies have different ids.
 *
 * @returns the record of a position, from 0
 */
export function repeatRecords(recorded: readonly unknown[]): (position: number) => unknown {
  return (position) => {
    const record = recorded[position % recorded.length];
    const copy = Math.floor(position / recorded.length);
    if (copy === 0 || !isPlainObject(record)) return record;
    const varied: PlainObject = {};
    for (const [name, value] of Object.entries(record)) {
      const isIdentity = IDENTITY.test(name) && (typeof value === 'string' || Number.isSafeInteger(value));
      setMember(varied, name, isIdentity ? varyIdentity(value, copy, recorded) : value);
    }
    return varied;
  };
}

function varyIdentity(value: unknown, copy: number, { length }: readonly unknown[]): unknown {
  if (typeof value === 'number') return value + copy * Math.max(length, 1000);
  const text = String(value);
  if (!UUID.test(text)) return varyText(text, copy * length);
  return text.slice(0, -8) + copy.toString(16).padStart(8, '0');
}

/** A copy of a value with another member. Objects on the path are created if they are missing. */
export function replaceMember(value: unknown, [name, ...rest]: MemberPath, member: unknown): unknown {
  if (name === undefined) return member;
  const copy: PlainObject = isPlainObject(value) ? { ...value } : {};
  setMember(copy, name, replaceMember(ownMember(copy, name), rest, member));
  return copy;
}

import type { Document } from '../../document/reading/document.js';
import { isSpreadKey } from '../../iml/syntax/grammar.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';

/** Members that are dropped as a whole if they contain an expression. */
const WHOLE: ReadonlySet<string> = new Set(['body', 'aws', 'oauth', 'endpoint', 'input']);

/** Replaces a URL with expressions. */
const STAND_IN = 'https://dry-run.invalid';

const ADDRESSES: ReadonlySet<string> = new Set(['url', 'baseUrl']);

/**
 * The constant part of a document: members with expressions are removed, URLs with expressions replaced. Locations
 * and the order of a chain stay.
 */
export function constantPart(document: Document): Document {
  return { ...document, value: constantValue(document.value) };
}

function constantValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(constantValue);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    // A spread value may be constant.
    if (isSpreadKey(key) && !holdsExpression(member)) return [[key, member]];
    if (key.includes('{{')) return [];
    if (typeof member === 'string') return constantText(key, member);
    return WHOLE.has(key) && holdsExpression(member) ? [] : [[key, constantValue(member)]];
  });
  return ownMembers(members);
}

function constantText(key: string, text: string): [string, unknown][] {
  if (!text.includes('{{')) return [[key, text]];
  return ADDRESSES.has(key) ? [[key, STAND_IN]] : [];
}

/** `__proto__` is an ordinary name. */
function ownMembers(members: readonly (readonly [string, unknown])[]): PlainObject {
  return Object.fromEntries(members);
}

function holdsExpression(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (Array.isArray(value)) return value.some(holdsExpression);
  return isPlainObject(value) && Object.entries(value).some((member) => member.some(holdsExpression));
}

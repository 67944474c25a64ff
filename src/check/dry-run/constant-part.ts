import type { Document } from '../../document/reading/document.js';
import { isSpreadKey } from '../../iml/syntax/grammar.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';

/** Members that mean something only as a whole: with an expression inside, nothing is known of them. */
const WHOLE: ReadonlySet<string> = new Set(['body', 'aws', 'oauth', 'endpoint', 'input']);

/** Stands for an address that an expression gives: any request can be sent there. */
const STAND_IN = 'https://dry-run.invalid';

const ADDRESSES: ReadonlySet<string> = new Set(['url', 'baseUrl']);

/**
 * What of a document does not depend on the data of a run: members with expressions are left out, addresses among them
 * replaced by one that can be called. Places and the order of a chain stay those of the document.
 */
export function constantPart(document: Document): Document {
  return { ...document, value: constantValue(document.value) };
}

function constantValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(constantValue);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    // What is spread may be constant.
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

/** `__proto__` is a name like any other. */
function ownMembers(members: readonly (readonly [string, unknown])[]): PlainObject {
  return Object.fromEntries(members);
}

function holdsExpression(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (Array.isArray(value)) return value.some(holdsExpression);
  return isPlainObject(value) && Object.entries(value).some((member) => member.some(holdsExpression));
}

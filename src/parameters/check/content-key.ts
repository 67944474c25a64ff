import { isBuffer } from '../../iml/values/coerce.js';
import { isTooMuchWork, spend, spendOnText } from '../../iml/values/work.js';
import { isPlainObject } from '../../util/plain-object.js';

const STEPS_OF_VALUE = 10;
const STEPS_OF_NAME = 25;

/** Levels of data that are looked at. What is deeper, or holds itself, is the same as nothing. */
const MAX_DEPTH = 64;

/**
 * A text that values share where they are the same by content, so that none has to be compared with each of many.
 *
 * @returns undefined for what is no data, and for what throws while it is read
 * @throws ImlError `IML_LIMIT` where `withinSteps` allows less work
 */
export function contentKey(value: unknown): string | undefined {
  try {
    return write(value, 0);
  } catch (error) {
    if (isTooMuchWork(error)) throw error;
    return undefined;
  }
}

/** Undefined for what is no data, and for whatever holds it. */
function write(value: unknown, depth: number): string | undefined {
  spend(STEPS_OF_VALUE);
  switch (typeof value) {
    case 'string':
      spendOnText(value, 0.2);
      return JSON.stringify(value);
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : writeObject(value, depth);
    default:
      return undefined;
  }
}

function writeObject(value: object, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    spend(value.length);
    return joinAll(
      '[',
      Array.from(value, (item: unknown) => write(item, depth + 1)),
    );
  }
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (isBuffer(value)) {
    spend(value.length);
    return `buffer ${Buffer.from(value).toString('base64')}`;
  }
  if (!isPlainObject(value)) return undefined;
  const names = Object.keys(value);
  spend(STEPS_OF_NAME * names.length);
  const members = names.sort().map((name) => {
    const member = write(value[name], depth + 1);
    return member === undefined ? undefined : `${JSON.stringify(name)}:${member}`;
  });
  return joinAll('{', members);
}

function joinAll(opening: '[' | '{', parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : opening + parts.join();
}

import { CASELESS, type PlainObject, setMember } from '../../util/plain-object.js';

/**
 * A collection looked up without case, such as the headers of a response. Names are stored in lower case;
 * of names that differ only in case the later wins. [app]
 */
export function createCaseless(entries: Iterable<readonly [string, unknown]>): PlainObject {
  const result: PlainObject = Object.create(CASELESS);
  for (const [name, value] of entries) setMember(result, name.toLowerCase(), value);
  return result;
}

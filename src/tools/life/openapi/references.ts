import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';

/** Resolves the local references of a document. */
export interface References {
  /** Resolves a value or reference to an object; undefined if it has none. Ignores members beside `$ref`. */
  readonly follow: (value: unknown) => PlainObject | undefined;
  /** Unresolved references with the reason. */
  readonly problems: ReadonlyMap<string, string>;
}

/** A reference may name a reference. */
const MAX_STEPS = 50;

/** Remote references are reported, never fetched. */
export function createReferences(root: PlainObject): References {
  const problems = new Map<string, string>();
  const follow = (value: unknown): PlainObject | undefined => {
    let at: unknown = value;
    let reference: string | undefined;
    for (let step = 0; step < MAX_STEPS; step++) {
      if (!isPlainObject(at)) break;
      const next = ownMember(at, '$ref');
      if (typeof next !== 'string') return at;
      reference = next;
      if (!next.startsWith('#')) {
        problems.set(
          next,
          'is in another document, which is not fetched. Bundle the documents into one first',
        );
        return undefined;
      }
      at = readPointer(root, next.slice(1));
    }
    if (reference !== undefined) {
      problems.set(reference, isPlainObject(at) ? 'refers to itself' : 'names nothing in the document');
    }
    return undefined;
  };
  return { follow, problems };
}

/** Source: RFC 6901, section 6: a pointer in a URI fragment is percent-encoded. Own members only. */
function readPointer(root: unknown, fragment: string): unknown {
  let at = root;
  for (const written of fragment.split('/').slice(1)) {
    const step = decode(written).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^\d+$/.test(step) ? at[Number(step)] : undefined;
    else at = isPlainObject(at) ? ownMember(at, step) : undefined;
  }
  return at;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';

/** Resolves the references of a document. */
export interface References {
  /** Resolves a value or reference to an object; undefined if it has none. Ignores members beside `$ref`. */
  readonly follow: (value: unknown) => PlainObject | undefined;
  /** Why a reference could not be resolved; undefined for other values. */
  readonly explain: (value: unknown) => string | undefined;
  /** Unresolved references with the reason. */
  readonly problems: ReadonlyMap<string, string>;
}

/** A file beside the document: its value, or the reason why it cannot be read. */
export type Referenced = { readonly value: unknown } | { readonly problem: string };

/** A reference may name a reference. */
const MAX_STEPS = 50;

/**
 * Remote references are reported, never fetched.
 *
 * @param open reads a file of the folder of the document; its own references name files from that folder. Default: none
 */
export function createReferences(
  root: PlainObject,
  open: (file: string) => Referenced = () => ({ problem: 'names another document' }),
): References {
  const problems = new Map<string, string>();
  const follow = (value: unknown): PlainObject | undefined => {
    let at: unknown = value;
    let reference: string | undefined;
    for (let step = 0; step < MAX_STEPS; step++) {
      if (!isPlainObject(at)) break;
      const next = ownMember(at, '$ref');
      if (typeof next !== 'string') return at;
      reference = next;
      const [file = '', fragment = ''] = next.split('#', 2);
      if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(file)) {
        problems.set(
          next,
          'is on a server, and the import sends no requests. Bundle the documents into one first',
        );
        return undefined;
      }
      const found = file === '' ? { value: root } : open(file);
      if ('problem' in found) {
        problems.set(next, found.problem);
        return undefined;
      }
      at = readPointer(found.value, fragment);
    }
    if (reference !== undefined) {
      problems.set(reference, isPlainObject(at) ? 'refers to itself' : 'names nothing in the document');
    }
    return undefined;
  };
  const explain = (value: unknown): string | undefined => {
    const reference = readAt(value, '$ref');
    if (typeof reference !== 'string' || follow(value) !== undefined) return undefined;
    return `Its reference "${reference}" ${problems.get(reference) ?? 'leads nowhere'}.`;
  };
  return { follow, explain, problems };
}

/**
 * Makes the references of a file those of the document that names it: `#/a` of `paths/users.yaml` becomes
 * `paths/users.yaml#/a`.
 *
 * @param file path from the folder of the document
 */
export function rebaseReferences(value: unknown, file: string): void {
  const folder = file.split('/').slice(0, -1);
  const seen = new Set<object>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const at = pending.pop();
    if (typeof at !== 'object' || at === null || seen.has(at)) continue;
    seen.add(at);
    const reference = readAt(at, '$ref');
    if (isPlainObject(at) && typeof reference === 'string') at['$ref'] = rebase(reference, file, folder);
    for (const inner of Object.values(at)) pending.push(inner);
  }
}

function rebase(reference: string, file: string, folder: readonly string[]): string {
  if (reference.startsWith('#')) return file + reference;
  if (/^[a-z][a-z\d+.-]*:|^\//i.test(reference)) return reference;
  const [target = '', ...fragment] = reference.split('#');
  const steps = [...folder];
  for (const step of target.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return [steps.join('/'), ...fragment].join('#');
}

/** Source: RFC 6901, section 6: a pointer in a URI fragment is percent-encoded. Own members only. */
function readPointer(root: unknown, fragment: string): unknown {
  let at = root;
  for (const written of fragment.split('/').slice(1)) {
    const step = decode(written).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^\d+$/.test(step) ? at[Number(step)] : undefined;
    else at = readAt(at, step);
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

import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';

/** Whether a value cannot be posted to another thread. */
export function isCloneError(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'DataCloneError';
}

/** The error for a value that cannot be posted. It names the member that is not plain data. */
export function notPlain(what: string, value: unknown, cause: unknown): EngineError {
  const at = findUncloneable(value);
  const place = at === undefined || at === '' ? '' : ` at "${at}"`;
  return new EngineError('USAGE', `${what} cannot be sent to another thread${place}. Expected plain data.`, {
    cause,
  });
}

/** Maximum depth of the search. */
const MAX_DEPTH = 20;

/** @returns the path of the first part that cannot be cloned (`parameters.list.0`), or undefined */
function findUncloneable(value: unknown, path = '', depth = 0): string | undefined {
  if (isCloneable(value)) return undefined;
  if (depth < MAX_DEPTH && (Array.isArray(value) || isPlainObject(value))) {
    for (const [name, member] of Object.entries(value)) {
      const found = findUncloneable(member, path === '' ? name : `${path}.${name}`, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return path;
}

export function isCloneable(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null) return true;
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

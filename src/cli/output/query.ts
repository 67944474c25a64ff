import { usageError } from '../usage-error.js';

/** A compiled query. */
export type CompiledQuery = (data: unknown) => Promise<unknown>;

/**
 * Compiles a JSONata expression.
 *
 * @throws EngineError (USAGE) for a syntax error
 */
export async function compileQuery(text: string): Promise<CompiledQuery> {
  const { default: jsonata } = await import('jsonata');
  try {
    const expression = jsonata(text);
    return async (data) => {
      try {
        return await expression.evaluate(data);
      } catch (error) {
        throw queryError(error);
      }
    };
  } catch (error) {
    throw queryError(error);
  }
}

/** JSONata throws plain objects. */
function queryError(error: unknown): Error {
  const { message, position } = error as { readonly message?: string; readonly position?: number };
  const at = position === undefined ? '' : ` (at character ${position})`;
  return usageError(`--query: ${message ?? String(error)}${at}`, error);
}

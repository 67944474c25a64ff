import { SpecError } from '../../../shared/errors/engine-error.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { ConnectionEntry, ConnectionFiles } from '../connections/connection-store.js';
import { missingConnection, usageError } from '../usage-error.js';

/**
 * The component of an argument.
 *
 * @throws EngineError (USAGE) for an unknown name
 */
export function findNamed<Component>(find: () => Component): Component {
  try {
    return find();
  } catch (error) {
    throw error instanceof SpecError ? usageError(error.message, error) : error;
  }
}

/**
 * The stored connection of a name.
 *
 * @throws EngineError (CONNECTION_MISSING) for an unknown name; StoreError if it cannot be opened
 */
export async function findEntry(files: ConnectionFiles, name: string): Promise<ConnectionEntry> {
  const entry = await files.read(name);
  if (entry !== undefined) return entry;
  const { entries } = await files.list();
  const hint = didYouMean(
    name,
    entries.map((known) => known.name),
  );
  throw missingConnection(name, hint);
}

import { SpecError } from '../../errors/engine-error.js';
import { usageError } from '../usage-error.js';

/**
 * A component that an argument names.
 *
 * @throws EngineError (USAGE) for a name the app does not have
 */
export function findNamed<Component>(find: () => Component): Component {
  try {
    return find();
  } catch (error) {
    throw error instanceof SpecError ? usageError(error.message, error) : error;
  }
}

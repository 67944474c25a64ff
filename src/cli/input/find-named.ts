import { SpecError } from '../../errors/engine-error.js';
import { usageError } from '../usage-error.js';

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

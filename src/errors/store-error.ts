import { EngineError } from './engine-error.js';

/**
 * A store cannot do what it was asked: `STORE_CONFLICT` when a unique value is taken, `STORE_BUSY` when other writers
 * did not let it through, `STORE_FAILED` for the rest (no connection, no disk, a missing driver).
 */
export class StoreError extends EngineError {
  override readonly name = 'StoreError';
}

import { EngineError, type EngineErrorOptions } from './engine-error.js';

/** A file of a test case that cannot be run as it is written. `place` says where: file, line, column and JSON pointer. */
export class CaseError extends EngineError {
  override readonly name = 'CaseError';

  constructor(message: string, options: EngineErrorOptions = {}) {
    super('CASE_INVALID', message, options);
  }
}

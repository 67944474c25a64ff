import { EngineError, type EngineErrorOptions } from './engine-error.js';

/** A run that is not written down: it could not be played again, or a secret would stand in it. */
export class RecordingError extends EngineError {
  override readonly name = 'RecordingError';

  constructor(message: string, options: EngineErrorOptions = {}) {
    super('RECORDING_REFUSED', message, options);
  }
}

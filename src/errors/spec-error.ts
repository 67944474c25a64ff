import { EngineError } from './engine-error.js';

/** A part of an app that cannot be read or has a shape that cannot be run. `place` says where. */
export class SpecError extends EngineError {
  override readonly name = 'SpecError';
}

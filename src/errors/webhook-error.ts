import { EngineError } from './engine-error.js';

/** Something about a webhook that is no matter of its app: a payload nobody can read, a hook that cannot be changed. */
export class WebhookError extends EngineError {
  override readonly name = 'WebhookError';
}

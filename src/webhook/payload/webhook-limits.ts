import { resolveBounds } from '../../errors/check-options.js';

/** Ceilings of one call of a webhook. */
export interface WebhookLimits {
  /** Bytes of the payload, as received and decoded. Default 5 MB. */
  readonly maxBodyBytes: number;
  /** Items `iterate` may find. Default 100000. */
  readonly maxItems: number;
  /** Fields of a form, or parts of a multipart payload. Default 10000. */
  readonly maxFields: number;
  /** Levels of lists and collections inside one another. Default 1000. */
  readonly maxDepth: number;
}

/** 5 MB is what users of the platform tell. [app] The rest: [choice] */
export const DEFAULT_WEBHOOK_LIMITS: WebhookLimits = Object.freeze({
  maxBodyBytes: 5 * 1024 * 1024,
  maxItems: 100_000,
  maxFields: 10_000,
  maxDepth: 1_000,
});

/**
 * The defaults with the given ones in their place.
 *
 * @throws EngineError (USAGE) for a name that is no limit, and for a value that is no whole number of at least 0
 */
export function resolveWebhookLimits(given: Partial<WebhookLimits> = {}): WebhookLimits {
  return resolveBounds(DEFAULT_WEBHOOK_LIMITS, given);
}

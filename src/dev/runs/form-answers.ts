import type { Transport, TransportResponse } from '../../http/message/transport.js';
import { writeKey } from './kept-answers.js';

/** Caches responses of form RPCs for a short time, because forms are redrawn while the user types. */
export interface FormAnswers {
  /** @param scope separates credentials and apps */
  readonly wrap: (scope: string) => (transport: Transport) => Transport;
}

const KEPT_MS = 60_000;
const MAX_KEPT = 100;

/** Creates an empty cache. */
export function createFormAnswers(): FormAnswers {
  const answers = new Map<string, { readonly response: TransportResponse; readonly at: number }>();
  return {
    wrap: (scope) => (transport) => async (request) => {
      const key = `${scope}\n${writeKey(request)}`;
      const known = answers.get(key);
      if (known !== undefined && performance.now() - known.at < KEPT_MS) return known.response;
      const response = await transport(request);
      answers.delete(key);
      if (response.status < 400) answers.set(key, { response, at: performance.now() });
      for (const oldest of answers.keys()) {
        if (answers.size <= MAX_KEPT) break;
        answers.delete(oldest);
      }
      return response;
    },
  };
}

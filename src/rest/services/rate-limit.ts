import { forbidden, tooManyRequests } from '../problems.js';
import type { OrganizationRow } from '../store/tables.js';
import type { RestServices } from './services.js';

const WINDOW_MS = 60_000;
const NO_API = 'Forbidden to use token authorization for this organization.';

/**
 * Counts a call against the license of an organization: at most `apiLimit` calls in the minute its first call opens.
 * Answers the headers that say how much is left.
 * Source: https://developers.make.com/api-documentation (Limits 4), https://developers.make.com/api-documentation (rate limiting). [seed][app]
 * @throws RestError 403 `SC403` when the license gives no access, 429 `SC429` when the calls are used up
 */
export async function countCall(
  { store }: RestServices,
  organization: OrganizationRow,
  nowMs: number,
): Promise<Readonly<Record<string, string>>> {
  const limit = organization.license['apiLimit'];
  if (typeof limit !== 'number' || limit <= 0) throw forbidden(NO_API);
  const window = await store.countInWindow(`api:${organization.id}`, nowMs, WINDOW_MS);
  const resetMs = window.startedAtMs + WINDOW_MS;
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - window.count)),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
  };
  if (window.count <= limit) return headers;
  const retryAfter = String(Math.max(1, Math.ceil((resetMs - nowMs) / 1000)));
  throw tooManyRequests({ ...headers, 'retry-after': retryAfter });
}

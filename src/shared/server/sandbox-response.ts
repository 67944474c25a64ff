import type { PlainResponse } from './plain-request.js';

/**
 * Whether a browser requests the script of a service worker: one that is served from an address of a webhook would control all other
 * pages of that origin.
 * Source: https://www.w3.org/TR/service-workers/#update-algorithm (`Service-Worker: script`). [doc]
 */
export function isServiceWorkerRequest(headers: Headers): boolean {
  return headers.get('service-worker') !== null;
}

/**
 * Restricts what a browser does with a response that an app or a sender controls: no scripts, forms or access to its origin
 * (`sandbox`), no guessed content type, no service worker for other paths.
 */
function sandboxHeaders(headers: Headers): void {
  headers.delete('service-worker-allowed');
  headers.set('x-content-type-options', 'nosniff');
  headers.append('content-security-policy', 'sandbox');
}

/** The response with `sandboxHeaders` applied. */
export function sandboxPlainResponse({ status, headers, body }: PlainResponse): PlainResponse {
  const remaining = headers.filter(([name]) => !REPLACED.has(name.toLowerCase()));
  return {
    status,
    headers: [...remaining, ['x-content-type-options', 'nosniff'], ['content-security-policy', 'sandbox']],
    body,
  };
}

const REPLACED: ReadonlySet<string> = new Set(['service-worker-allowed', 'x-content-type-options']);

/** The response with `sandboxHeaders` applied. */
export function sandboxResponse({ body, status, statusText, headers }: Response): Response {
  const sandboxed = new Headers(headers);
  sandboxHeaders(sandboxed);
  return new Response(body, { status, statusText, headers: sandboxed });
}

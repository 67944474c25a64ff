/** Transport and browser headers. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'],
  ...['date', 'server', 'via', 'x-powered-by', 'alt-svc', 'nel', 'report-to', 'server-timing', 'age'],
  ...['strict-transport-security', 'expect-ct', 'content-security-policy', 'x-content-type-options'],
  ...['x-frame-options', 'x-xss-protection', 'referrer-policy', 'permissions-policy', 'vary'],
  ...['cross-origin-opener-policy', 'cross-origin-resource-policy', 'cross-origin-embedder-policy'],
  ...['cf-ray', 'cf-cache-status', 'x-request-time', 'origin-agent-cluster', 'x-dns-prefetch-control'],
]);

/** Selects response headers to keep: those that the app reads, and others that are useful. */
export type KeepsHeader = (name: string) => boolean;

/** Lower-case names of headers in the text of an app: `headers.link`. */
export function listReadHeaders(appTexts: string): ReadonlySet<string> {
  return new Set(
    [...appTexts.matchAll(/headers\s*[.[]\s*[`'"]?([\w-]+)/gi)].map(([, name = '']) => name.toLowerCase()),
  );
}

/** Keeps headers that the text of the app names. */
export function chooseHeaders(appTexts: string): KeepsHeader {
  const read = listReadHeaders(appTexts);
  return (name) => read.has(name) || !(LEFT_OUT.has(name) || name.startsWith('access-control-'));
}

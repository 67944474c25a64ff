import { createHash, timingSafeEqual } from 'node:crypto';

/** Requirements for requests. */
export interface SafetyRules {
  /** Port of the server; undefined before it listens. */
  readonly port: () => number | undefined;
  /** Created at each start and passed in the fragment of the URL, which servers and logs never see. */
  readonly token: string;
}

/** Why a request is refused. */
export interface SafetyRefusal {
  readonly status: 401 | 403 | 415 | 421;
  readonly code: string;
  readonly message: string;
}

/** Security headers of all responses: no foreign content, no inline scripts, no frames. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/**
 * Whether a request names this machine and comes from no other page. Protects from DNS rebinding and cross-site
 * requests.
 */
export function checkOrigin(request: Request, { port }: SafetyRules): SafetyRefusal | undefined {
  const hosts = ownHosts(port());
  const host = request.headers.get('host')?.toLowerCase() ?? '';
  if (!hosts.includes(host)) {
    return {
      status: 421,
      code: 'WRONG_HOST',
      message: 'This server accepts only requests from this machine to its own address.',
    };
  }
  const origin = request.headers.get('origin');
  const isOwn = origin === null || hosts.some((own) => origin.toLowerCase() === `http://${own}`);
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  // A link may open the page, which is useless without its token.
  const isNavigation = request.method === 'GET' && request.headers.get('sec-fetch-mode') === 'navigate';
  if (isOwn && (site === 'none' || site === 'same-origin' || isNavigation)) return undefined;
  return { status: 403, code: 'WRONG_ORIGIN', message: 'Requests from pages of other origins are refused.' };
}

/** Whether an API request has the token and a body that HTML forms cannot send. */
export function checkCall(request: Request, { token }: SafetyRules): SafetyRefusal | undefined {
  const given = /^Bearer (\S{1,200})$/.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given === undefined || !isSame(given, token)) {
    const message = 'Open the address that iml dev printed at its start. It contains the token.';
    return { status: 401, code: 'NO_TOKEN', message };
  }
  if (request.method === 'GET' || request.method === 'DELETE') return undefined;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json' || type === 'application/x-ndjson') return undefined;
  return { status: 415, code: 'NO_JSON', message: 'Expected a body of type application/json.' };
}

function ownHosts(port: number | undefined): readonly string[] {
  if (port === undefined) return [];
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  // Browsers omit the default port.
  return port === 80 ? [...names, '127.0.0.1', 'localhost', '[::1]'] : names;
}

/** Constant-time comparison. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

import { createHash, timingSafeEqual } from 'node:crypto';

/** What a request has to show to be answered. */
export interface SafetyRules {
  /** Where the server listens; undefined until it does. */
  readonly port: () => number | undefined;
  /** Made at each start, given to the page in the fragment of its address, which no server and no log sees. */
  readonly token: string;
}

/** Why a request is not answered. */
export interface SafetyRefusal {
  readonly status: 401 | 403 | 415 | 421;
  readonly code: string;
  readonly message: string;
}

/** What every answer says to the browser: nothing from elsewhere, nothing written into the page, no frames. */
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
 * Whether a request comes to this machine by its own name and from no other page. A name that somebody else's DNS leads
 * here (rebinding) is none of ours, and a page of another origin says where it comes from.
 */
export function checkOrigin(request: Request, { port }: SafetyRules): SafetyRefusal | undefined {
  const hosts = ownHosts(port());
  const host = request.headers.get('host')?.toLowerCase() ?? '';
  if (!hosts.includes(host)) {
    return {
      status: 421,
      code: 'WRONG_HOST',
      message: 'This server answers on this machine only, by its own name.',
    };
  }
  const origin = request.headers.get('origin');
  const isOwn = origin === null || hosts.some((own) => origin.toLowerCase() === `http://${own}`);
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  // A link from elsewhere may open the page, which knows nothing without its token.
  const isNavigation = request.method === 'GET' && request.headers.get('sec-fetch-mode') === 'navigate';
  if (isOwn && (site === 'none' || site === 'same-origin' || isNavigation)) return undefined;
  return { status: 403, code: 'WRONG_ORIGIN', message: 'A page of another origin asks; it gets nothing.' };
}

/** Whether a call of the API carries the token of this start, and a body that no plain form can send. */
export function checkCall(request: Request, { token }: SafetyRules): SafetyRefusal | undefined {
  const given = /^Bearer (\S{1,200})$/.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given === undefined || !isSame(given, token)) {
    const message =
      'Open the address that iml dev printed when it started: it carries the token of this start.';
    return { status: 401, code: 'NO_TOKEN', message };
  }
  if (request.method === 'GET' || request.method === 'DELETE') return undefined;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json' || type === 'application/x-ndjson') return undefined;
  return { status: 415, code: 'NO_JSON', message: 'A body of the type application/json is expected.' };
}

function ownHosts(port: number | undefined): readonly string[] {
  if (port === undefined) return [];
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  // Browsers leave the port of http out.
  return port === 80 ? [...names, '127.0.0.1', 'localhost', '[::1]'] : names;
}

/** In a time that does not tell how alike they are. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

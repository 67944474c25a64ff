import type { PackedEvent } from '../../protocol.js';

type RequestEvent = Extract<PackedEvent, { readonly kind: 'request' }>;

/** The redaction mark, raw and in a query. */
const HIDDEN = /\[SANITIZED\]|%5BSANITIZED%5D/gi;

/** Headers that curl sets itself. */
const OF_CURL = /^(?:content-length|host|connection|accept-encoding)$/i;

/** Maximum distance of the name before a secret. */
const MAX_NAME = 200;

/** curl reads a header that starts with `@` from a file. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Characters that curl expands in URLs. */
const GLOB = /[[\]{}]/;

/**
 * A command for a POSIX shell that sends the same request, also for a trace of somebody else. Each secret becomes a shell
 * variable named after its location, `IML_X_API_KEY`; the first line lists them. The prefix keeps a trace from naming a
 * variable that the user's shell has.
 */
export function writeCurl({ method, url, headers }: RequestEvent, body: string | undefined): string {
  const secrets = new Set<string>();
  const quote = (text: string, nameOf: (before: string) => string): string => {
    let at = 0;
    let quoted = '';
    for (const match of text.matchAll(HIDDEN)) {
      const name =
        nameOf(text.slice(Math.max(0, match.index - MAX_NAME), match.index))
          .replace(/\W+/g, '_')
          .toUpperCase() || 'SECRET';
      secrets.add(`IML_${name}`);
      quoted += `${quoteText(text.slice(at, match.index))}"$IML_${name}"`;
      at = match.index + match[0].length;
    }
    return quoted + quoteText(text.slice(at)) || "''";
  };
  const parts = [
    `curl ${writeMethod(method)}${GLOB.test(url) ? ' --globoff' : ''} --url ${quote(url, (before) => /[?&]([^=&]*)=[^&]*$/.exec(before)?.[1] ?? '')}`,
    ...headers
      .filter(([name]) => HEADER_NAME.test(name) && !OF_CURL.test(name))
      .map(([name, value]) => `-H ${quote(`${name}: ${value}`, () => name)}`),
    ...(body === undefined
      ? []
      : [
          `--data-raw ${quote(body, (before) => /(\w+)["']?\s*[:=]\s*["']?[^"'&=:]*$/.exec(before)?.[1] ?? '')}`,
        ]),
  ];
  const command = parts.join(' \\\n  ');
  return secrets.size === 0 ? command : `# Set ${[...secrets].join(', ')} first.\n${command}`;
}

/** A foreign trace may contain any text as method. */
function writeMethod(method: string): string {
  if (method === 'HEAD') return '--head';
  return `-X ${/^[A-Za-z]+$/.test(method) ? method : quoteText(method) || "''"}`;
}

function quoteText(text: string): string {
  return text === '' ? '' : `'${text.replaceAll("'", "'\\''")}'`;
}

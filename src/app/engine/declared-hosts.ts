import type { App } from '../../document/app.js';
import type { Document } from '../../document/reading/document.js';
import { type HostMatcher, readHosts } from '../../http/transport/host-policy.js';
import { isPlainObject } from '../../util/plain-object.js';

const MAX_DEPTH = 100;

/** The authority of an address, as far as it is written. */
const AUTHORITY = /https?:\/\/([^\s/?#"'\\<>`|,;)]+)/gi;

/**
 * The hosts an app names in addresses that are written in its base, connections, modules, RPCs, webhooks and endpoints.
 * `https://{{connection.shop}}.example.com` names all hosts below `example.com`; an address whose host is an expression
 * alone names none.
 */
export function findDeclaredHosts(app: App): HostMatcher {
  const hosts = new Set<string>();
  for (const document of listDocuments(app)) if (document !== undefined) collect(document.value, hosts, 0);
  return readHosts([...hosts].filter(isHost), 'the app');
}

function listDocuments(app: App): readonly (Document | undefined)[] {
  const parts = [app.connections, app.modules, app.rpcs, app.webhooks, app.endpoints];
  const components = parts.flatMap((part): object[] => [...part.values()]);
  return [
    app.base,
    app.common,
    ...components.flatMap((component) => Object.values(component).filter(isDocument)),
  ];
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && 'value' in value && 'placeOf' in value;
}

function collect(value: unknown, hosts: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    // What an expression gives is not known; behind it may stand the rest of the host.
    for (const [, authority = ''] of value.replace(/\{\{.*?\}\}/gs, '\u0000').matchAll(AUTHORITY)) {
      const host = authority.replace(/^[^@]*@/, '');
      const known = host.slice(host.lastIndexOf('\u0000') + 1);
      if (known === host) hosts.add(host);
      else if (/^\.[^.]+\../.test(known)) hosts.add(`*${known}`);
    }
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, hosts, depth + 1);
  } else if (isPlainObject(value)) {
    for (const member of Object.values(value)) collect(member, hosts, depth + 1);
  }
}

/** Texts hold examples that no request can go to. */
function isHost(host: string): boolean {
  return (
    /^(?:\*\.)?[\p{L}\p{N}.-]+(?::\d{1,5})?$/u.test(host) &&
    URL.canParse(`https://${host.replace(/^\*\./, '')}`)
  );
}

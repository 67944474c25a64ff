import { isPlainObject } from '../shared/plain-object.js';
import type { App } from './document/app.js';
import type { Document } from './document/document.js';
import { isDocument } from './document/document.js';
import { listStaticServers } from './document/static-host.js';
import { type HostMatcher, readHosts } from './http/host-policy.js';

const MAX_DEPTH = 100;

/** Documents for people, whose URLs are not requested. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  ...['staticParams', 'mappableParams', 'params', 'input', 'output'],
  ...['interface', 'samples', 'scope', 'scopeList', 'defaultScope', 'requiredScope'],
]);

/**
 * The hosts an app names in addresses that are written in its base, connections, modules, RPCs, webhooks and endpoints.
 * `https://{{connection.shop}}.example.com` names all hosts below `example.com`; an address whose host is an expression
 * alone names none. A host that is called without encryption may be called with it as well.
 */
export function findDeclaredHosts(app: App): HostMatcher {
  const hosts = new Set<string>();
  for (const document of listDocuments(app)) if (document !== undefined) collect(document.value, hosts, 0);
  return readHosts([...hosts], 'the app');
}

function listDocuments(app: App): readonly (Document | undefined)[] {
  const parts = [app.connections, app.modules, app.rpcs, app.webhooks, app.endpoints];
  const components = parts.flatMap((part): object[] => [...part.values()]);
  return [app.base, app.common, ...components.flatMap(listCalling)];
}

function listCalling(component: object): readonly Document[] {
  return Object.entries(component).flatMap(([name, part]: [string, unknown]) =>
    !FOR_PEOPLE.has(name) && isDocument(part) ? [part] : [],
  );
}

function collect(value: unknown, hosts: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    for (const { scheme, host, isWhole } of listStaticServers(value)) {
      const entry = isWhole ? host : `*${host}`;
      if (!isHost(entry)) continue;
      hosts.add(`${scheme}://${entry}`);
      if (scheme === 'http') hosts.add(`https://${entry}`);
    }
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, hosts, depth + 1);
  } else if (isPlainObject(value)) {
    for (const member of Object.values(value)) collect(member, hosts, depth + 1);
  }
}

/** Excludes examples in text, and a bare top-level domain after an expression. */
function isHost(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').replace(/\.+$/, '');
  return (
    /^(?:\*\.(?=[^.]+\.[^.])|[^*])/.test(name) &&
    /^(?:\*\.)?[\p{L}\p{N}][\p{L}\p{N}.-]*(?::\d{1,5})?$/u.test(host) &&
    URL.canParse(`https://${host.replace(/^\*\./, '')}`)
  );
}

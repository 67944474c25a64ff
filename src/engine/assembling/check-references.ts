import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import type { App } from '../document/app.js';
import { type Document, limitWarnings, type Warn } from '../document/document.js';
import type { AppParts, ComponentPart } from './app-parts.js';

/**
 * Warns about references to unknown components (`unknown-reference`): connections, webhooks, RPCs, modules of groups.
 */
export function checkReferences(app: App, parts: AppParts, warn: Warn): void {
  const warnFields = limitWarnings(warn);
  for (const part of parts.components) checkFields(app, parts, part, warnFields);
  const seen = new Set<Document>();
  for (const part of parts.components) {
    for (const [name, document] of part.documents) {
      if (seen.has(document)) continue;
      seen.add(document);
      checkRpcs(app, document, limitWarnings(warn));
      if (REQUESTS.has(name)) checkEndpointCalls(app, parts, document, limitWarnings(warn));
    }
  }
  if (app.groups) checkGroups(app, app.groups, limitWarnings(warn));
}

function checkFields(app: App, parts: AppParts, part: ComponentPart, warn: Warn): void {
  for (const field of ['connection', 'altConnection', 'webhook'] as const) {
    const name = part.fields[field];
    if (typeof name !== 'string' || name === '') continue;
    const known: ReadonlyMap<string, unknown> = field === 'webhook' ? app.webhooks : app.connections;
    if (known.has(name) || parts.foreign.has(name)) continue;
    const kind = field === 'webhook' ? 'webhook' : 'connection';
    const message = `The ${part.kind} "${part.name}" names the ${kind} "${name}", which the app does not have.`;
    warn('unknown-reference', message + didYouMean(name, known.keys()), () => part.locationOf(field));
  }
  if (
    app.modules.get(part.name)?.type === 'instant_trigger' &&
    part.kind === 'module' &&
    !part.fields.webhook
  ) {
    const message = `The instant trigger "${part.name}" names no webhook, so nothing can start it.`;
    warn('unknown-reference', message, () => part.locationOf());
  }
}

/** Code types with requests. */
const REQUESTS: ReadonlySet<string> = new Set(['communication', 'epoch', 'attach', 'detach', 'update']);

/** An endpoint call can name its connection, or compute its data. */
function checkEndpointCalls(app: App, parts: AppParts, { value, locationOf }: Document, warn: Warn): void {
  const requests: readonly unknown[] = Array.isArray(value) ? value : [value];
  requests.forEach((request, index) => {
    const endpoint = isPlainObject(request) ? ownMember(request, 'endpoint') : undefined;
    const name = isPlainObject(endpoint) ? ownMember(endpoint, 'connection') : undefined;
    if (typeof name !== 'string' || name === '' || name.includes('{{')) return;
    if (app.connections.has(name) || parts.foreign.has(name)) return;
    const message = `The call of an endpoint names the connection "${name}", which the app does not have.`;
    const pointer = `${Array.isArray(value) ? `/${index}` : ''}/endpoint/connection`;
    warn('unknown-reference', message + didYouMean(name, app.connections.keys()), () => locationOf(pointer));
  });
}

/** `rpc://name`, `rpc://name?key=value`. Source: https://developers.make.com/custom-apps-documentation/app-components/rpcs [doc][app] */
const RPC_REFERENCE = /^rpc:\/\/([A-Za-z][\w-]*)(?:\?|$)/;

function checkRpcs(app: App, document: Document, warn: Warn): void {
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') {
      const name = RPC_REFERENCE.exec(value)?.[1];
      if (name === undefined || app.rpcs.has(name)) return;
      const message = `The app has no RPC "${name}".${didYouMean(name, app.rpcs.keys())}`;
      warn('unknown-reference', message, () => document.locationOf(pointer));
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, childPointer(pointer, index));
      });
    } else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, childPointer(pointer, key));
    }
  };
  visit(document.value, '');
}

function checkGroups(app: App, groups: Document, warn: Warn): void {
  if (!Array.isArray(groups.value)) return;
  groups.value.forEach((group: unknown, index) => {
    const modules = isPlainObject(group) ? ownMember(group, 'modules') : undefined;
    if (!Array.isArray(modules)) {
      const message = `Group ${index + 1} is no object with a label and a list of modules.`;
      warn('wrong-type', message, () => groups.locationOf(`/${index}`));
      return;
    }
    modules.forEach((name: unknown, position) => {
      if (typeof name === 'string' && app.modules.has(name)) return;
      const hint = typeof name === 'string' ? didYouMean(name, app.modules.keys()) : '';
      const shown = typeof name === 'string' ? `"${name}"` : 'a value that is no text';
      warn('unknown-reference', `Group ${index + 1} lists ${shown}, no module of the app.${hint}`, () =>
        groups.locationOf(`/${index}/modules/${position}`),
      );
    });
  });
}

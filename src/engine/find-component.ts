import { ANY_TEXT, checkValue } from '../shared/errors/check-options.js';
import { SpecError } from '../shared/errors/engine-error.js';
import { didYouMean } from '../shared/suggest.js';
import type {
  App,
  ConnectionComponent,
  EndpointComponent,
  ModuleComponent,
  RpcComponent,
  WebhookComponent,
} from './document/app.js';

/** Finds a module by its name. Throws SpecError SPEC_MISSING with the nearest name. */
export function findModule(app: App, name: string): ModuleComponent {
  return find(app, app.modules, 'module', name);
}

/** Finds a connection by its name. Throws SpecError SPEC_MISSING with the nearest name. */
export function findConnection(app: App, name: string): ConnectionComponent {
  return find(app, app.connections, 'connection', name);
}

/** Finds an RPC by its name, without `rpc://`. Throws SpecError SPEC_MISSING with the nearest name. */
export function findRpc(app: App, name: string): RpcComponent {
  return find(app, app.rpcs, 'RPC', name);
}

/** Finds a webhook by its name. Throws SpecError SPEC_MISSING with the nearest name. */
export function findWebhook(app: App, name: string): WebhookComponent {
  return find(app, app.webhooks, 'webhook', name);
}

/** Finds an endpoint by its name. Throws SpecError SPEC_MISSING with the nearest name. */
export function findEndpoint(app: App, name: string): EndpointComponent {
  return find(app, app.endpoints, 'endpoint', name);
}

function find<Component>(
  app: App,
  components: ReadonlyMap<string, Component>,
  kind: string,
  name: string,
): Component {
  checkValue(name, ANY_TEXT, `The name of a ${kind}`);
  const component = components.get(name);
  if (component !== undefined) return component;
  const hint = didYouMean(name, components.keys()) || listNames(components);
  throw new SpecError('SPEC_MISSING', `The app "${app.name}" has no ${kind} "${name}".${hint}`);
}

const SHOWN_NAMES = 10;

function listNames(components: ReadonlyMap<string, unknown>): string {
  if (components.size === 0) return ' It has none.';
  const names = [...components.keys()].slice(0, SHOWN_NAMES).join(', ');
  return ` It has ${names}${components.size > SHOWN_NAMES ? ', ...' : ''}.`;
}

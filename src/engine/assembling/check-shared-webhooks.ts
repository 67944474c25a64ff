import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import type { App, ConnectionComponent, WebhookComponent } from '../document/app.js';
import type { Warn } from '../document/document.js';

/**
 * Warns about shared webhooks whose events reach no connection (`missing-uid`): the `uid` of an event is compared with the one
 * that a connection has kept, so both have to be written. Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks [doc]
 */
export function checkSharedWebhooks(app: App, warn: Warn): void {
  for (const webhook of app.webhooks.values()) {
    if (webhook.type !== 'web-shared') continue;
    checkOwnUid(webhook, warn);
    for (const name of [webhook.connection, webhook.altConnection]) {
      const connection = name === undefined ? undefined : app.connections.get(name);
      if (connection !== undefined) checkUid(connection, webhook, warn);
    }
  }
}

function checkOwnUid({ name, communication }: WebhookComponent, warn: Warn): void {
  if (communication === undefined || hasMember(communication.value, 'uid')) return;
  const message = `The shared webhook "${name}" has no uid, so its events reach no connection.`;
  warn('missing-uid', message, () => communication.locationOf(''));
}

function checkUid({ name, communication }: ConnectionComponent, webhook: WebhookComponent, warn: Warn): void {
  if (communication === undefined || listRequests(communication.value).some(keepsUid)) return;
  const message = `The shared webhook "${webhook.name}" finds its recipients by the uid of the connection "${name}", which keeps none (response.uid).`;
  warn('missing-uid', message, () => communication.locationOf(''));
}

/** The requests of a connection: one, a chain, or named OAuth requests, each possibly a chain. */
function listRequests(communication: unknown): readonly unknown[] {
  if (Array.isArray(communication)) return communication;
  if (!isPlainObject(communication)) return [];
  return [communication, ...Object.values(communication).flat()];
}

function keepsUid(request: unknown): boolean {
  return isPlainObject(request) && hasMember(ownMember(request, 'response'), 'uid');
}

function hasMember(value: unknown, name: string): boolean {
  return isPlainObject(value) && ownMember(value, name) !== undefined;
}

import type { Rule } from '../../rule.js';
import { writtenMembers } from '../../subject/declared-names.js';
import { listRequests, readAt } from '../../subject/walk-requests.js';
import { createMemberRule } from './member-rule.js';

/**
 * Members that the platform sets. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
 */
const GIVEN = ['id', 'url'];

export const unstoredWebhookData: Rule = createMemberRule({
  id: 'unstored-webhook-data',
  level: 'error',
  summary: 'A member of `webhook` is read that neither attach nor update stores.',
  why: 'A webhook keeps what `response.data` of attach and update writes, besides `webhook.url` and `webhook.id`. Anything else is undefined: detach calls an address without the id.',
  bad: 'attach: { "response": { "data": { "hookId": "{{body.id}}" } } }; detach: { "url": "/hooks/{{webhook.hokId}}" }',
  good: 'attach: { "response": { "data": { "hookId": "{{body.id}}" } } }; detach: { "url": "/hooks/{{webhook.hookId}}" }',
  roots: ['webhook'],
  declared: (subject, { in: { owner } }) => {
    const name = owner?.kind === 'webhook' ? owner.name : owner?.webhook;
    if (name === undefined || !subject.app.webhooks.has(name)) return undefined;
    const requests = subject
      .documentsOf('webhook', name)
      .filter(({ part }) => part === 'attach' || part === 'update')
      .flatMap(listRequests);
    const base = readAt(subject.app.base?.value, 'response', 'data');
    const { names, isOpen } = writtenMembers([
      base,
      ...requests.map(({ value }) => readAt(value, 'response', 'data')),
    ]);
    return { names: new Set([...GIVEN, ...names]), isOpen };
  },
  message: (name) => `The webhook stores no "${name}": no response.data of attach or update writes it.`,
});

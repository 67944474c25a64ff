import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { writtenMembers } from '../subject/declared-names.js';
import type { Subject } from '../subject/subject.js';
import { pointerTo, readAt, type WrittenRequest } from '../subject/walk-requests.js';

export const incompleteTrigger: Rule = {
  id: 'incomplete-trigger',
  level: 'error',
  summary: 'A polling trigger has no `id` or `date`, or its epoch has no `label` or `date`.',
  why: 'Without `id` (and `date` for the type `date`), a trigger cannot recognize new items. The panel of the epoch shows `label` and starts at `date`.',
  bad: '"trigger": { "type": "date", "order": "desc", "id": "{{item.id}}" }',
  good: '"trigger": { "type": "date", "order": "desc", "id": "{{item.id}}", "date": "{{item.created}}" }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      const { owner, kind } = request.in;
      if (owner?.kind !== 'module' || owner.type !== 'trigger') continue;
      if (kind === 'epoch') {
        const { pointer, missing } = findMissingInEpoch(subject, request);
        if (missing.length === 0) continue;
        const message = `The entries of the epoch have no ${missing.join(' and no ')}.`;
        report({ message, place: request.document.locationOf(pointer, undefined, 'key') });
        continue;
      }
      const trigger = readAt(request.value, 'response', 'trigger');
      if (!isPlainObject(trigger)) continue;
      const base = readAt(subject.app.base?.value, 'response', 'trigger');
      const needed = readType(subject, trigger) === 'date' ? ['id', 'date'] : ['id'];
      for (const name of needed) {
        if ((readAt(trigger, name) ?? readAt(base, name) ?? '') !== '') continue;
        const message = `The trigger has no "${name}", so it cannot tell new items from old ones.`;
        const place = request.document.locationOf(
          pointerTo(request, 'response', 'trigger'),
          undefined,
          'key',
        );
        report({ message, place });
      }
    }
  },
};

function readType(subject: Subject, trigger: unknown): unknown {
  return readAt(trigger, 'type') ?? readAt(subject.app.base?.value, 'response', 'trigger', 'type') ?? 'id';
}

function findMissingInEpoch(
  subject: Subject,
  request: WrittenRequest,
): { readonly pointer: string; readonly missing: readonly string[] } {
  const path =
    readAt(request.value, 'response', 'output') === undefined ? ['output'] : ['response', 'output'];
  const output = readAt(request.value, ...path);
  const pointer = pointerTo(request, ...path);
  const written = writtenMembers([output]);
  if (!isPlainObject(output) || written.isOpen) return { pointer, missing: [] };
  const { name = '' } = request.in.owner ?? {};
  const communication = subject.app.modules.get(name)?.communication?.value;
  const last: unknown = Array.isArray(communication) ? communication.at(-1) : communication;
  const isDated = readType(subject, readAt(last, 'response', 'trigger')) === 'date';
  const missing = ['label', ...(isDated ? ['date'] : [])].filter((member) => !written.names.has(member));
  return { pointer, missing };
}

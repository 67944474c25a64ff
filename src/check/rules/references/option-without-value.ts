import { isPlainObject, ownMember } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { writtenMembers } from '../../subject/declared-names.js';
import { listFields } from '../../subject/form-fields.js';
import { listRpcNames } from '../../subject/rpc-references.js';
import { listRequests, pointerTo, readAt } from '../../subject/walk-requests.js';

export const optionWithoutValue: Rule = {
  id: 'option-without-value',
  level: 'error',
  summary: 'An RPC gives options that have no `value`.',
  why: 'The form shows the options, and choosing one sets nothing.',
  bad: '"output": { "label": "{{item.name}}", "id": "{{item.id}}" }',
  good: '"output": { "label": "{{item.name}}", "value": "{{item.id}}" }',
  check: (subject, report) => {
    const names = new Set(listFields(subject).flatMap(({ value }) => listOptionRpcs(value)));
    for (const name of names) {
      const communication = subject
        .documentsOf('rpc', name)
        .find((checked) => checked.part === 'communication' && subject.documents.includes(checked));
      const request = communication && listRequests(communication).at(-1);
      if (request === undefined || readAt(request.value, 'response', 'wrapper') !== undefined) continue;
      const output = readAt(request.value, 'response', 'output');
      const written = writtenMembers([output]);
      if (!isPlainObject(output) || written.isOpen || written.names.has('value')) continue;
      report({
        message: `The options that the RPC "${name}" gives have no "value".`,
        place: request.document.locationOf(pointerTo(request, 'response', 'output'), undefined, 'key'),
      });
    }
  },
};

/** RPCs of the options of a field. If `options` renames `value`, the output uses that name. */
function listOptionRpcs(field: object): readonly string[] {
  const options = ownMember(field, 'options');
  if (typeof options === 'string') return listRpcNames(options);
  if (!isPlainObject(options) || Object.hasOwn(options, 'value')) return [];
  const store = ownMember(options, 'store');
  return typeof store === 'string' ? listRpcNames(store) : [];
}

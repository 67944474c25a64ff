import { childPointer } from '../../../errors/source-location.js';
import { ownMember } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { listFields, type WrittenField } from '../../subject/form-fields.js';

export const duplicateField: Rule = {
  id: 'duplicate-field',
  level: 'error',
  summary: 'Two fields of one form have the same name.',
  why: 'A form stores one value per name, so one of the two fields is lost. Fields of different options may share a name: only one of them is shown.',
  bad: '[{ "name": "id", "type": "text" }, { "name": "id", "type": "number" }]',
  good: '[{ "name": "userId", "type": "text" }, { "name": "count", "type": "number" }]',
  check: (subject, report) => {
    const seen = new Set<string>();
    for (const field of listFields(subject)) {
      const name = ownMember(field.value, 'name');
      // Fields with conditions can be alternatives.
      if (typeof name !== 'string' || name === '' || hasCondition(field)) continue;
      const key = JSON.stringify([listKey(field), name]);
      if (seen.has(key)) {
        report({
          message: `The form has two fields named "${name}". Rename one of them.`,
          place: field.document.locationOf(childPointer(field.pointer, 'name')),
        });
      }
      seen.add(key);
    }
  },
};

function hasCondition({ value }: WrittenField): boolean {
  return ['visible', 'condition'].some((key) => typeof ownMember(value, key) === 'string');
}

/** Static and mappable parameters are one form. */
function listKey({ in: { owner, part }, list }: WrittenField): readonly (string | undefined)[] {
  const isModuleForm = part === 'staticParams' || part === 'mappableParams';
  return [owner?.kind, owner?.name, isModuleForm && list === '' ? 'params' : part, list];
}

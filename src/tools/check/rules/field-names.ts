import { childPointer } from '../../../shared/errors/source-location.js';
import { ownMember } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { listFields, type WrittenField } from '../subject/form-fields.js';

export const duplicateField: Rule = {
  id: 'duplicate-field',
  level: 'error',
  summary: 'Two fields of one form have the same name.',
  why: 'A form stores one value per name, so one of the two values is lost. Fields below different options may share a name, because the form shows only one of them.',
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

export const reservedParameter: Rule = {
  id: 'reserved-parameter',
  level: 'error',
  summary: 'A parameter of a connection has a reserved name.',
  why: 'Make stores its own values `teamID` and `accountName` in each connection.',
  bad: '[{ "name": "accountName", "type": "text" }]',
  good: '[{ "name": "account", "type": "text" }]',
  check: (subject, report) => {
    for (const { in: checked, document, value, pointer } of listFields(subject)) {
      const name = ownMember(value, 'name');
      if (checked.owner?.kind !== 'connection' || (name !== 'teamID' && name !== 'accountName')) continue;
      report({
        message: `"${name}" is reserved by the platform. Choose another name.`,
        place: document.locationOf(childPointer(pointer, 'name')),
      });
    }
  },
};

export const missingLabel: Rule = {
  id: 'missing-label',
  level: 'warning',
  summary: 'A module has no label, but other modules of the app have one.',
  why: 'Users see the label in the list of modules. Make requires it.',
  bad: '"getUser": { "moduleType": "action", "connection": "account" }',
  good: '"getUser": { "label": "Get a user", "moduleType": "action", "connection": "account" }',
  check: ({ app, part, documentsOf }, report) => {
    // An app without labels is a draft or in a layout without labels.
    if (![...app.modules.values()].some(({ label }) => label !== undefined)) return;
    for (const { name, label } of app.modules.values()) {
      if (label !== undefined || part?.has('module', name) === false) continue;
      const place = documentsOf('module', name)[0]?.document.locationOf('') ?? {};
      report({ message: `The module "${name}" has no label.`, place });
    }
  },
};

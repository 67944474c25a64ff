import { childPointer } from '../../../errors/source-location.js';
import { ownMember } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { listFields } from '../../subject/form-fields.js';

export const reservedParameter: Rule = {
  id: 'reserved-parameter',
  level: 'error',
  summary: 'A parameter of a connection has a name that the platform uses itself.',
  why: 'Make stores values of its own as `teamID` and `accountName` with every connection.',
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

import type { Rule } from '../../rule.js';
import { declaredFields } from '../../subject/declared-names.js';
import { readSample } from '../../subject/read-sample.js';

export const samplesOutsideInterface: Rule = {
  id: 'samples-outside-interface',
  level: 'info',
  summary: 'A sample has a member that the interface does not declare.',
  why: 'The mapper shows samples beside the fields of the interface; a member without a field most often has a misspelt name.',
  bad: 'interface: [{ "name": "id" }]; samples: { "ID": 7 }',
  good: 'interface: [{ "name": "id" }]; samples: { "id": 7 }',
  check: ({ app }, report) => {
    for (const { interface: fields, samples } of app.modules.values()) {
      const sample = readSample(samples);
      if (fields === undefined || sample === undefined) continue;
      const declared = declaredFields(fields);
      if (declared.isOpen || declared.names.size === 0) continue;
      for (const { key, place } of sample.filter((member) => !declared.names.has(member.key)))
        report({ message: `The interface declares no "${key}".`, place: place() });
    }
  },
};

import type { Rule } from '../../rule.js';
import { findOutputMembers } from '../../subject/output-members.js';
import { readSample } from '../../subject/read-sample.js';

export const samplesOutsideOutput: Rule = {
  id: 'samples-outside-output',
  level: 'info',
  summary: 'A sample has a member that `output` cannot give, and no interface tells of it.',
  why: 'Where `output` writes its members one by one, the mapper shows a value there that no run ever gives.',
  bad: 'output: { "id": "{{item.id}}" }; samples: { "ID": 7 }',
  good: 'output: { "id": "{{item.id}}" }; samples: { "id": 7 }',
  check: (subject, report) => {
    for (const { name, interface: fields, samples } of subject.app.modules.values()) {
      if (subject.part?.has('module', name) === false) continue;
      // Interfaces have their own rules.
      if (fields !== undefined && (!Array.isArray(fields.value) || fields.value.length > 0)) continue;
      const sample = readSample(samples);
      const given = sample === undefined ? undefined : findOutputMembers(subject, name);
      if (sample === undefined || given === undefined) continue;
      for (const { key, place } of sample.filter((member) => !given.has(member.key)))
        report({ message: `The output of "${name}" has no "${key}".`, place: place() });
    }
  },
};

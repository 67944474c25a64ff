import type { Rule } from '../../rule.js';
import { PLATFORM_DIRECTIVES } from '../../subject/platform-directives.js';
import { createLoaderRule } from './loader-rule.js';

const UNKNOWN_KEYS: Rule = createLoaderRule({
  id: 'unknown-directive',
  level: 'warning',
  codes: ['unknown-key'],
  summary: 'A file has a key that nothing reads there.',
  why: 'It has no effect: most often it is misspelt, or belongs one level up or down.',
  bad: '"respones": { "output": "{{body}}" }',
  good: '"response": { "output": "{{body}}" }',
});

export const unknownDirective: Rule = {
  ...UNKNOWN_KEYS,
  check: (subject, report) => {
    UNKNOWN_KEYS.check(subject, (finding) => {
      // `platform-only` reports more.
      const key = finding.place.pointer?.split('/').at(-1) ?? '';
      if (!PLATFORM_DIRECTIVES.has(key)) report(finding);
    });
  },
};

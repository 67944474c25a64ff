import type { SourceLocation } from '../../../shared/errors/source-location.js';
import type { Rule } from '../rule.js';

export const refusedRun: Rule = {
  id: 'refused-run',
  level: 'error',
  summary: 'The component always fails, with any input.',
  why: 'The rule runs the steps that need no data with the code of the engine. What fails there, fails in each run.',
  bad: '"response": { "limit": 0, "trigger": { "order": "newest" } }',
  good: '"response": { "limit": 10, "trigger": { "order": "desc" } }',
  check: ({ app, refusals }, report) => {
    const told = new Set(app.warnings.map(({ place }) => writeKey(place)));
    for (const { error, isOfEndpoint } of refusals) {
      const { message, place = {} } = error;
      // Loading reports the same, and endpoints have their own rule.
      if (!isOfEndpoint && !told.has(writeKey(place))) report({ message, place });
    }
  },
};

/** A location can have two pointers: in its file, and in the element of a chain. */
function writeKey({ file, line, column, pointer }: SourceLocation): string {
  return JSON.stringify(line === undefined ? [file, pointer] : [file, line, column]);
}

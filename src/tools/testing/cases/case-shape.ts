import { flag, freeForm, list, object, oneOf, type Schema, text } from '../../../shared/schema/build.js';
import { CASE_EXCHANGE, CLOSED } from '../exchanges/exchange-shape.js';
import {
  ALL_KINDS,
  COMPONENT_OBJECT,
  COMPONENT_TYPES,
  EXPECTATION,
  REMARKS,
  RUN_MEMBERS,
} from '../fixtures/fixture-shape.js';

const COMPONENT = text({
  pattern: `^(?:${COMPONENT_TYPES.join('|')}):[^]+$`,
  description: `must be a component such as module:NAME; the types are ${COMPONENT_TYPES.join(', ')}`,
});

/** Path of the schema of cases in the package, for `$schema`. */
export const CASE_SCHEMA_FILE = 'dist/schemas/test.schema.json';

/** JSON Schema (draft 2020-12) of the file of a case, `*.test.json`. */
export const CASE_SCHEMA: Schema<unknown> = object(
  {},
  {
    expect: EXPECTATION,
    $schema: text(),
    ...REMARKS,
    ...RUN_MEMBERS,
    name: text({ minLength: 1 }),
    component: { anyOf: [COMPONENT, COMPONENT_OBJECT] },
    kind: oneOf(ALL_KINDS),
    record: flag(),
    todo: text({ minLength: 1 }),
    live: flag(),
    recorded: object({ at: text({ minLength: 4 }) }, { runtime: text() }, CLOSED),
    secrets: freeForm({ additionalProperties: { type: ['string', 'number'], minLength: 1 } }),
    exchanges: list(CASE_EXCHANGE),
  },
  {
    title: 'Test case of a Make custom app',
    ...CLOSED,
    // A case to be recorded has no expectation yet.
    if: { type: 'object', properties: { record: { const: true } }, required: ['record'] },
    else: { type: 'object', properties: { expect: {} }, required: ['expect'] },
  },
);

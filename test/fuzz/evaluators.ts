import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { fromPortable } from '../../src/index.js';
import { compileExpression } from '../../src/language/compile/compile-expression.js';
import { compileTemplate } from '../../src/language/compile/compile-template.js';
import { ImlError, parse as parseTemplate } from '../../src/language/index.js';
import { contextOf, REFERENCE_FUNCTIONS } from '../language/core-environment.js';
import { choices, shapes, write } from '../language/expression-arbitrary.js';
import {
  evaluateReference,
  evaluateTemplateReference,
  type ReferenceOptions,
} from '../language/reference-evaluator.js';
import { jsonValues } from './arbitrary-json.js';
import type { Target } from './target.js';

interface Input {
  readonly template: unknown;
  readonly scope: Readonly<Record<string, unknown>>;
  readonly options: ReferenceOptions;
}

const expressions = fc
  .tuple(shapes, fc.array(fc.nat(), { maxLength: 6 }))
  .map(([shape, numbers]) => `{{${write(shape, choices(numbers))}}}`);

const texts = fc.oneof(
  { weight: 4, arbitrary: expressions },
  {
    weight: 2,
    arbitrary: fc
      .tuple(expressions, fc.constantFrom('', ' ', 'a'), expressions)
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('plain', '', '{{list}}', '{{object}}', '{{missing}}x') },
);

/** Texts, and collections and arrays of them, with computed names and members that are spread. */
const valueTemplates: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    texts,
    fc.constantFrom<unknown>(null, true, 1, 0.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', 'name', '{{...}}', '{{ ... }}', '{{a}}', '{{text}}', '{{missing}}', 'x{{b}}'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value;

const scopes = fc.record(
  {
    a: jsonValues,
    b: jsonValues,
    list: fc.array(jsonValues, { maxLength: 3 }),
    object: jsonValues,
    text: fc.constantFrom('abc', '5', ''),
    date: fc.constant({ $date: '2024-03-05T00:00:00.000Z' }),
    now: jsonValues,
    'a b': jsonValues,
    '7': jsonValues,
    constructor: jsonValues,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** The evaluators of the engine against each other, and against one that is written from the description alone. */
export const evaluators: Target<Input> = {
  name: 'evaluators',
  input: fc.record({
    template: valueTemplates,
    scope: scopes,
    options: fc.record({
      semantics: fc.constantFrom('runtime', 'documented'),
      platformVersion: fc.constantFrom(1, 2),
    }),
  }),
  survive: ({ template, scope: written, options }) => {
    const scope = fromPortable(written) as Record<string, unknown>;
    const reference = { scope, nowMs: 0, functions: REFERENCE_FUNCTIONS, ...options };
    const whole = { ...contextOf(''), environment: { ...contextOf('').environment, ...options } };
    assertSame(
      outcomeOf(() => compileTemplate(template, whole)(scope)),
      evaluateTemplateReference(template, reference),
    );
    if (typeof template !== 'string') return;
    for (const node of parseTemplate(template).parts) {
      if (typeof node === 'string') continue;
      const context = { ...whole, source: template };
      const expected = evaluateReference(node, reference);
      assertSame(
        outcomeOf(() => compileExpression(node, context)(scope)),
        expected,
      );
    }
  },
};

function outcomeOf(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    return { kind: error.kind, message: error.message };
  }
}

/** The host's comparison, because others read `constructor` of data. */
function assertSame(got: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(got, expected)) {
    throw new Error(`${fc.stringify(got)} is not ${fc.stringify(expected)}`);
  }
}

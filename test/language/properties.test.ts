import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../src/language/compile/compile-expression.js';
import {
  compile,
  type Evaluate,
  type Expression,
  ImlError,
  parse,
  print,
  safeParse,
} from '../../src/language/index.js';
import { evaluators } from '../fuzz/evaluators.js';
import { functions } from '../fuzz/functions.js';
import { runTarget } from '../fuzz/run-target.js';
import { contextOf, REFERENCE_FUNCTIONS } from './core-environment.js';
import { choices, plainly, shapes, write } from './expression-arbitrary.js';
import { evaluateReference } from './reference-evaluator.js';

const RUNS = Number(process.env['FAST_CHECK_RUNS'] ?? 1500);

/** Values of every type, functions among them. */
const values: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('', 'a', '10', ' 2 ', 'abc', '0x10', '2024-03-05', 'x,y'),
    fc.constantFrom(0, -0, 1, 2, 1.5, -3, Number.NaN, Number.POSITIVE_INFINITY),
    fc.constantFrom(true, false, null, undefined),
    fc.constantFrom(0, 86_400_000, 1_709_596_800_000).map((ms) => new Date(ms)),
    fc.constant(() => 'called'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', 'name', 'a b', '2', 'length', 'constructor', 'toString'),
      tie('value'),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
})).value;

const scopes = fc.record(
  {
    a: values,
    b: values,
    list: fc.array(values, { maxLength: 3 }),
    object: values,
    text: fc.constantFrom('abc', '5', ''),
    date: fc.constant(new Date(1_709_596_800_000)),
    now: values,
    'a b': values,
    '1': values,
    '7': values,
    true: values,
    constructor: values,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Parses a template to a tree without offsets, which does not depend on the spelling. */
function bare(source: string): unknown {
  const strip = (key: string, value: unknown): unknown =>
    key === 'start' || key === 'end' || key === 'source' || key === 'height' ? undefined : value;
  return JSON.parse(JSON.stringify(parse(source), strip));
}

function expressionOf(source: string): Expression {
  const [part] = parse(source).parts;
  if (part === undefined || typeof part === 'string') throw new Error('The template is not an expression.');
  return part;
}

/** Returns the value, or the properties of an `ImlError`; rethrows any other error. */
function outcomeOf(
  evaluate: Evaluate,
  scope: Record<string, unknown>,
): Partial<ImlError> & { value?: unknown } {
  try {
    return { value: evaluate(scope) };
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    const { kind, code, message, offset, hint } = error;
    return { kind, code, message, offset, hint };
  }
}

/** Compares with Node, because `expect` reads `constructor` of the data. */
function expectSame(got: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(got, expected)) expect.fail(`${fc.stringify(got)} is not ${fc.stringify(expected)}`);
}

describe('printing and parsing', () => {
  it('print returns a template that parses to the same tree', () => {
    fc.assert(
      fc.property(shapes, fc.array(fc.nat()), fc.string(), (shape, numbers, text) => {
        const source = `${text.replaceAll('{{', '')} {{${write(shape, choices(numbers))}}}`;
        const printed = print(parse(source));
        expect(bare(printed)).toEqual(bare(source));
        expect(print(parse(printed))).toBe(printed);
      }),
      { numRuns: RUNS },
    );
  });
  it('white space, parentheses, aliases and separators do not change the tree', () => {
    fc.assert(
      fc.property(shapes, fc.array(fc.nat(), { minLength: 3 }), (shape, numbers) => {
        expect(bare(`{{ ${write(shape, choices(numbers))} }}`)).toEqual(bare(`{{${write(shape, plainly)}}}`));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('evaluation', () => {
  it('has the result of the reference evaluator', () => {
    fc.assert(
      fc.property(shapes, scopes, (shape, scope) => {
        const source = `{{${write(shape, plainly)}}}`;
        const node = expressionOf(source);
        const expected = evaluateReference(node, { scope, nowMs: 0, functions: REFERENCE_FUNCTIONS });
        const { value, kind, message } = outcomeOf(compileExpression(node, contextOf(source)), scope);
        expectSame(kind === undefined ? { value } : { kind, message }, expected);
      }),
      { numRuns: RUNS },
    );
  });
  it('is repeatable and does not modify the scope', () => {
    fc.assert(
      fc.property(shapes, scopes, (shape, scope) => {
        const before = fc.stringify(scope);
        const evaluate = compile(`{{${write(shape, plainly)}}}`, { now: () => 0 });
        expectSame(outcomeOf(evaluate, scope), outcomeOf(evaluate, scope));
        expect(fc.stringify(scope)).toBe(before);
      }),
      { numRuns: RUNS },
    );
  });
});

const TEMPLATES = readdirSync(new URL('../../spec-fixtures/iml', import.meta.url)).flatMap((file) => {
  const url = new URL(`../../spec-fixtures/iml/${file}`, import.meta.url);
  const vectors = JSON.parse(readFileSync(url, 'utf8')) as { template: unknown; context?: object }[];
  return vectors.map(({ template, context }) => ({ text: JSON.stringify(template), scope: context ?? {} }));
});

const TOKENS =
  '{{ }} { } ( ) [ ] . , ; + - * / % = == === != !== < <= > >= & && | || ! \' " ` \\ a if ifempty now 1 2.5 1. .5 … \u0000 \ud800'.split(
    ' ',
  );

describe('only an ImlError is thrown for', () => {
  const survives = (text: string, scope: Record<string, unknown>): void => {
    const parsed = safeParse(text);
    if (!parsed.ok) {
      const { offset } = parsed.error;
      expect(offset).toBeGreaterThanOrEqual(0);
      expect(offset).toBeLessThanOrEqual(text.length);
    } else expect(bare(print(parsed.template))).toEqual(bare(text));
    outcomeOf(compile(text), scope);
  };

  it('random text', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string());
    fc.assert(
      fc.property(text, scopes, (inner, scope) => survives(`{{${inner}}}`, scope)),
      { numRuns: RUNS },
    );
  });
  it('random tokens', () => {
    const tokens = fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 });
    fc.assert(
      fc.property(tokens, fc.constantFrom('', ' '), scopes, (list, glue, scope) => {
        survives(list.join(glue), scope);
        survives(`{{${list.join(glue)}}}`, scope);
      }),
      { numRuns: RUNS },
    );
  });
  it('mutated conformance vectors', () => {
    const edit = fc.record({ at: fc.nat(), length: fc.nat(5), by: fc.constantFrom('', ...TOKENS) });
    fc.assert(
      fc.property(
        fc.constantFrom(...TEMPLATES),
        fc.array(edit, { maxLength: 3 }),
        ({ text, scope }, edits) => {
          const mutated = edits.reduce((before, { at, length, by }) => {
            const start = at % (before.length + 1);
            return before.slice(0, start) + by + before.slice(start + length);
          }, text);
          survives(mutated, scope as Record<string, unknown>);
        },
      ),
      { numRuns: RUNS },
    );
  });
  it('random values as template and scope', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withMap: true }), fc.anything(), (template, scope) => {
        outcomeOf(compile(template), scope as Record<string, unknown>);
        outcomeOf(compile('{{a.b}}{{c}}'), scope as Record<string, unknown>);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('differential tests with the reference implementation', () => {
  it('functions return the documented results for random arguments', () => runTarget(functions, 2_000));

  it('the evaluator returns the results of the reference evaluator for random expressions', () =>
    runTarget(evaluators, 400));
});

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImlError } from '../../src/errors/iml-error.js';
import type { Evaluate } from '../../src/iml/compile/compile-primary.js';
import { compileTemplate, templateInParts } from '../../src/iml/compile/compile-template.js';
import { parseTemplate, parseTemplateInParts, safeParseTemplate } from '../../src/iml/syntax/parser.js';
import { finishAtOnce, type Parts, withinSteps } from '../../src/iml/values/work.js';
import { contextOf } from './core-environment.js';
import { plainly, shapes, write } from './expression-arbitrary.js';
import { imlErrorOf } from './template-failure.js';

// Line 2 of the findings: an app may be as large as its files may be, and others go on meanwhile.

function finish<T>(parts: Parts<T>): { readonly result: T; readonly turns: number } {
  for (let turns = 0; ; turns++) {
    const { done, value } = parts.next();
    if (done === true) return { result: value, turns };
  }
}

const context = contextOf('');
const SCOPE = { a: 1, list: [1, 2], object: { a: 'x' } };

/** What evaluating gives, or how it fails. */
function outcome(evaluate: Evaluate): unknown {
  try {
    return evaluate(SCOPE);
  } catch (error) {
    const { code, message, offset } = imlErrorOf(() => {
      throw error;
    });
    return { code, message, offset };
  }
}

/** What is read in parts, or the offset where it does not parse. */
function* parse(source: string): Parts<unknown> {
  try {
    return yield* parseTemplateInParts(source);
  } catch (error) {
    return error instanceof ImlError ? error.offset : error;
  }
}

function parseOrError(source: string): unknown {
  const parsed = safeParseTemplate(source);
  return parsed.ok ? parsed.template : parsed.error.offset;
}

describe('a template that is made ready in parts', () => {
  it.each<readonly [string, unknown, number]>([
    ['a list', Array.from({ length: 1000 }, (_, id) => `{{a}} ${id}`), 10],
    ['an object', Object.fromEntries(Array.from({ length: 1000 }, (_, id) => [`n${id}`, `{{a}} ${id}`])), 10],
    ['objects in a list', Array.from({ length: 1000 }, () => ({ b: { c: '{{a}}' }, d: 1 })), 30],
    [
      'names that are templates',
      Object.fromEntries(Array.from({ length: 1000 }, (_, id) => [`{{a}}${id}`, 1])),
      10,
    ],
    ['a text', '{{a}}, '.repeat(10_000), 100],
    ['a text of long expressions', `{{count(${'a;'.repeat(3000)})}}, `.repeat(3), 30],
    ['one expression of many arguments', `{{count(${'a;'.repeat(20_000)})}}`, 60],
    ['one expression of many operators', `{{${'a + '.repeat(20_000)}1}}`, 60],
    ['a long path', `{{object${'.b'.repeat(20_000)}}}`, 60],
    ['a text that does not parse', `${'{{a}}, '.repeat(10_000)}{{`, 20],
  ])('%s: lets others have their turn, and comes out alike', (_, template, turns) => {
    const parts = finish(templateInParts(template, context));
    expect(parts.turns).toBeGreaterThanOrEqual(turns);
    expect(isDeepStrictEqual(outcome(parts.result), outcome(compileTemplate(template, context)))).toBe(true);
  });

  it.each<readonly [string, string]>([
    ['expressions with nothing between them', '{{a}}'.repeat(450)],
    ['texts that differ', Array.from({ length: 250 }, (_, id) => `${id}{{a}}`).join('')],
    ['an expression of more than 500 tokens', `{{count(${'a;'.repeat(300)}${' '.repeat(1500)}a)}}`],
    ['two of them, and a text', `${`{{${'1+'.repeat(1000)}a}}`.repeat(2)}.`],
    ['a path of more than 50 steps', `{{${'object.'.repeat(400)}a}}`],
    ['a path as the whole', `{{${' '.repeat(2000)}object.a}}`],
    ['a text without an expression', 'x'.repeat(2001)],
    ['braces that are text', `\\{{${'x'.repeat(2000)}{{a}}`],
    ['what does not parse', `${'x'.repeat(2000)}{{a b}}`],
  ])('%s: short of long, and a little beyond', (_, source) => {
    expect(finishAtOnce(parse(source))).toEqual(parseOrError(source));
    const inParts = finishAtOnce(templateInParts(source, context));
    expect(outcome(inParts)).toEqual(outcome(compileTemplate(source, context)));
  });

  it('is read as one that is read at once', () => {
    fc.assert(
      fc.property(fc.array(shapes, { minLength: 1, maxLength: 4 }), fc.nat({ max: 3 }), (all, pad) => {
        const one = all.map((shape) => `{{${write(shape, plainly)}}}`).join(' ');
        const source = `${one}${pad === 0 ? '' : ' '.repeat(2000)}${one}`;
        expect(finishAtOnce(parseTemplateInParts(source))).toEqual(parseTemplate(source));
        const inParts = finishAtOnce(templateInParts(source, context));
        expect(isDeepStrictEqual(outcome(inParts), outcome(compileTemplate(source, context)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

it('the values of a wide object are read in parts', () => {
  let reads = 0;
  const wide = {};
  for (let index = 0; index < 5000; index++) {
    Object.defineProperty(wide, `n${index}`, { enumerable: true, get: () => ++reads });
  }
  templateInParts(wide, context).next();
  expect(reads).toBeLessThan(1000);
});

describe('what a template takes to be evaluated is counted where it has', () => {
  const takes = (template: unknown, steps: number): (() => unknown) => {
    const evaluate = compileTemplate(template, context);
    return () => withinSteps(steps, () => evaluate(SCOPE));
  };
  const limit = expect.objectContaining({ code: 'IML_LIMIT' });

  it.each<readonly [string, (count: number) => unknown, number]>([
    ['many values', (count) => Array.from({ length: count }, () => 1), 40],
    ['many expressions in a text', (count) => '{{a}}'.repeat(count), 25],
    [
      'many names in an object',
      (count) => Object.fromEntries(Array.from({ length: count }, (_, id) => [`n${id}`, 1])),
      100,
    ],
  ])('%s', (_, make, each) => {
    expect(takes(make(2000), each * 2010)).not.toThrow();
    expect(takes(make(2000), each * 1990)).toThrow(limit);
    expect(takes(make(3), 0)).not.toThrow();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expression } from '../../src/iml/syntax/ast.js';
import { safeParseTemplate } from '../../src/iml/syntax/parser.js';
import { findCalls, listNodes } from '../../src/iml/syntax/walk-expression.js';
import { choices, shapes, write } from './expression-arbitrary.js';

/** Names the parser finds called. */
function listCalls(template: string): readonly string[] {
  const parsed = safeParseTemplate(template);
  if (!parsed.ok) return [];
  const expressions = parsed.template.parts.filter((part): part is Expression => typeof part !== 'string');
  return expressions.flatMap(listNodes).flatMap((node) => (node.kind === 'call' ? [node.name] : []));
}

describe('the names that a template calls', () => {
  it.each([
    ['{{a}}', []],
    ['{{upper(a)}}', ['upper']],
    ['a{{if(b; first(c); _d$1(e))}}f', ['if', 'first', '_d$1']],
    ['{{upper \t\n(a)}}', ['upper']],
    ['{{1 + (2)}}', []],
    ['{{azAZ09_$(a)}}', ['azAZ09_$']],
    ['{{[a(b)]}}', ['a']],
    ['{{`x`(b)}}', []],
    ['{{a@(b)/(c):(d)}}', []],
    ['{{((upper(a)))}}', ['upper']],
    ["{{'max(1)'}}", ['max']],
    ['{{a}} (', []],
    ['{{größe(a)}}', ['größe']],
    ['{{\u{1d49c}b(a)}}', ['\u{1d49c}b']],
  ])('%s', (template, names) => {
    expect(findCalls(template)).toEqual(names);
  });

  it('are those that the parser finds, and others at most', () => {
    fc.assert(
      fc.property(shapes, fc.array(fc.nat(), { maxLength: 40 }), (shape, numbers) => {
        const template = `a {{${write(shape, choices(numbers))}}} (b)`;
        // With white space in it a name is none that a function has, see below.
        const found = findCalls(template).map((name) => name.trim());
        expect(found).toEqual(expect.arrayContaining([...listCalls(template)]));
      }),
    );
  });

  it('are those that the parser finds where any white space of the language stands behind them, or stand for others', () => {
    for (const space of ['\u00a0', '\u2003', '\ufeff', '\u3000']) {
      expect(listCalls(`{{upper${space}(a)}}`)).toEqual(['upper']);
      // No function has such a name: who asks for it is given all of them.
      expect(findCalls(`{{upper${space}(a)}}`)).toEqual([`upper${space}`]);
    }
  });

  it('are found in a look at each character, or a few', () => {
    for (const part of ['a', '(', ' ', 'a(', ' (', '{{']) {
      const template = `{{${part.repeat(200_000)}`;
      expect(findCalls(template).length).toBeLessThanOrEqual(200_000);
    }
  });
});

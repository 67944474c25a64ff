import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Expression, parse, safeParse } from '../../src/language/index.js';
import { printExpression } from '../../src/language/syntax/printer.js';
import {
  findCalls,
  listNodes,
  listPaths,
  readPath,
  type WrittenPath,
} from '../../src/language/syntax/walk-expression.js';
import { choices, shapes, write } from './expression-arbitrary.js';

const read = (text: string): Expression => parse(`{{${text}}}`).parts[0] as Expression;

/** Shows a path from `a` with a member `b` and an index as `a b []`. */
const show = (path: WrittenPath | undefined): string | undefined =>
  path && [path.root.name, ...path.members.map(({ name }) => name ?? '[]')].join(' ');

describe('the nodes of an expression', () => {
  it.each([
    ["'a'", ["'a'"]],
    ['true', ['true']],
    ['a', ['a']],
    ['a.b', ['a.b', 'a']],
    ['a[]', ['a[]', 'a']],
    ['a[i]', ['a[i]', 'a', 'i']],
    ['a[] + b', ['a[] + b', 'a[]', 'a', 'b']],
    ['-a', ['-a', 'a']],
    ['a + b', ['a + b', 'a', 'b']],
    ['f()', ['f()']],
    ['f(a; ; 1)', ['f(a, , 1)', 'a', '1']],
    ['f(g(a); b)', ['f(g(a), b)', 'g(a)', 'a', 'b']],
  ])('of %s are listed in preorder', (text, nodes) => {
    expect(listNodes(read(text)).map(printExpression)).toEqual(nodes);
  });
});

describe('a path', () => {
  it.each([
    ['a', 'a'],
    ['a.b.`c d`', 'a b c d'],
    ['a[].b', 'a [] b'],
    ['a.b[i + 1]', 'a b []'],
    ['1.email', '1 email'],
    ['f(a).b', undefined],
    ["'a'", undefined],
    ['a + b', undefined],
    ['(a + b).c', undefined],
  ])('%s is read from its root name', (text, path) => expect(show(readPath(read(text)))).toBe(path));

  it('has the node of each member', () => {
    const path = readPath(read('a.b[2].c'));
    expect(path?.members.map(({ node }) => printExpression(node))).toEqual(['a.b', 'a.b[2]', 'a.b[2].c']);
  });
});

describe('the paths of an expression', () => {
  it.each([
    ['a.b.c', ['a b c']],
    ['a', ['a']],
    ['a.b + c', ['a b', 'c']],
    ['a[i.n].b', ['a [] b', 'i n']],
    ['f(a.b; a; -c[])', ['a b', 'a', 'c []']],
    ['f(a).b', ['a']],
    ['(a + b).c', ['a', 'b']],
    ['1 + true', []],
  ])('of %s are listed in full length', (text, paths) => {
    expect(listPaths(listNodes(read(text))).map(show)).toEqual(paths);
  });
});

/** Names of the calls in the parsed template. */
function listCalls(template: string): readonly string[] {
  const parsed = safeParse(template);
  if (!parsed.ok) return [];
  const expressions = parsed.template.parts.filter((part): part is Expression => typeof part !== 'string');
  return expressions.flatMap(listNodes).flatMap((node) => (node.kind === 'call' ? [node.name] : []));
}

describe('findCalls', () => {
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
  ])('lists the names in %s', (template, names) => {
    expect(findCalls(template)).toEqual(names);
  });

  it('lists at least the names that the parser finds', () => {
    fc.assert(
      fc.property(shapes, fc.array(fc.nat(), { maxLength: 40 }), (shape, numbers) => {
        const template = `a {{${write(shape, choices(numbers))}}} (b)`;
        // A name may include white space, see below.
        const found = findCalls(template).map((name) => name.trim());
        expect(found).toEqual(expect.arrayContaining([...listCalls(template)]));
      }),
    );
  });

  it('includes Unicode white space in a name, so that the name is unknown and all functions are loaded', () => {
    for (const space of ['\u00a0', '\u2003', '\ufeff', '\u3000']) {
      expect(listCalls(`{{upper${space}(a)}}`)).toEqual(['upper']);
      expect(findCalls(`{{upper${space}(a)}}`)).toEqual([`upper${space}`]);
    }
  });

  it('takes linear time', () => {
    for (const part of ['a', '(', ' ', 'a(', ' (', '{{']) {
      const template = `{{${part.repeat(200_000)}`;
      expect(findCalls(template).length).toBeLessThanOrEqual(200_000);
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { Expression } from '../../src/iml/syntax/ast.js';
import { parseTemplate } from '../../src/iml/syntax/parser.js';
import { printExpression } from '../../src/iml/syntax/printer.js';
import { listNodes, listPaths, readPath, type WrittenPath } from '../../src/iml/syntax/walk-expression.js';

const read = (text: string): Expression => parseTemplate(`{{${text}}}`).parts[0] as Expression;

/** `a b []` for a path from `a` over a member `b` to an index. */
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
  ])('of %s', (text, nodes) => {
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
  ])('%s is read from its root on', (text, path) => expect(show(readPath(read(text)))).toBe(path));

  it('knows where each of its members stands', () => {
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
  ])('%s are given in their full length', (text, paths) => {
    expect(listPaths(listNodes(read(text))).map(show)).toEqual(paths);
  });
});

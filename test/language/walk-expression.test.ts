import { describe, expect, it } from 'vitest';
import { type Expression, parse } from '../../src/language/index.js';
import { printExpression } from '../../src/language/syntax/printer.js';
import {
  listNodes,
  listPaths,
  readPath,
  type WrittenPath,
} from '../../src/language/syntax/walk-expression.js';

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

import path from 'node:path';
import ts from '@typescript/typescript6';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-imports.js';
import { describeNode, sourceTrees, walkTree } from './source-trees.js';

/** Lines of a function, its signature and what is nested in it included. */
const MOST_LINES = 110;

/** Files that lie in one folder: more of them are two subjects. */
const MOST_FILES = 25;

/** What TypeScript cannot be told otherwise: a module without a default, a handler of any operation, a row of any table. */
const MOST_DOUBLE_CASTS = 3;

function countLines(node: ts.Node): number {
  const file = node.getSourceFile();
  const lineAt = (at: number): number => file.getLineAndCharacterOfPosition(at).line;
  return lineAt(node.end) - lineAt(node.getStart()) + 1;
}

function isDoubleCast(node: ts.Node): boolean {
  return (
    ts.isAsExpression(node) &&
    ts.isAsExpression(node.expression) &&
    node.expression.type.kind === ts.SyntaxKind.UnknownKeyword
  );
}

function nameOf(node: ts.Node): string {
  return ts.isFunctionLike(node) && node.name !== undefined ? node.name.getText() : '';
}

describe('sizes', () => {
  it(`a folder holds at most ${MOST_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const file of sourceFiles) {
      const folder = path.dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
    expect(Math.max(...counts.values())).toBeGreaterThan(20);
  });

  it(`a function has at most ${MOST_LINES} lines`, () => {
    const long: string[] = [];
    for (const tree of sourceTrees) {
      walkTree(tree, (node) => {
        if (ts.isFunctionLike(node) && 'body' in node && countLines(node) > MOST_LINES) {
          long.push(describeNode(node, nameOf(node)));
        }
      });
    }
    expect(long).toEqual([]);
  });

  it(`double casts are ${MOST_DOUBLE_CASTS} at most`, () => {
    const casts: string[] = [];
    for (const tree of sourceTrees) {
      walkTree(tree, (node) => {
        if (isDoubleCast(node)) casts.push(describeNode(node, node.getText()));
      });
    }
    expect(casts.length, casts.join('\n')).toBeLessThanOrEqual(MOST_DOUBLE_CASTS);
    expect(casts.length).toBeGreaterThan(0);
  });
});

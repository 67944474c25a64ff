import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from '@typescript/typescript6';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-imports.js';
import { describeNode, sourceTrees, walkTree } from './source-trees.js';

/** `placeOf` and `offsetOf` of a document, `firstOf` of a store and the like read as English; the rest are verbs. */
const MOST_NOUNS = 40;

function listExportedNames(statement: ts.Statement): readonly string[] {
  const isExported = ts.canHaveModifiers(statement)
    ? ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    : false;
  if (isExported !== true) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.getText()];
}

/** Files by the exported name that they declare; overloads, and a type beside a value of its name, count once. */
function listDeclarations(trees: readonly ts.SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>();
  for (const tree of trees) {
    for (const name of tree.statements.flatMap(listExportedNames)) {
      files.set(name, (files.get(name) ?? new Set()).add(tree.fileName));
    }
  }
  return files;
}

/** The name of a function, wherever it got it from. */
function readFunctionName(node: ts.Node): string | undefined {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name)
    return node.name.getText();
  const isNamed = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
  if (!isNamed || node.initializer === undefined) return undefined;
  return ts.isFunctionLike(node.initializer) ? node.name.getText() : undefined;
}

/** Sets of files that stand for one name of `imports` in package.json, one of them wherever the package is used. */
function listAlternatives(): readonly ReadonlySet<string>[] {
  const { imports } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'),
  ) as {
    readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  const toSource = (built: string): string => built.replace('./dist/', '').replace(/\.js$/, '.ts');
  return Object.values(imports).map((targets) => new Set(Object.values(targets).map(toSource)));
}

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

describe('names', () => {
  it('an exported name is declared in one file', () => {
    const alternatives = listAlternatives();
    const areOne = (files: ReadonlySet<string>): boolean =>
      alternatives.some((known) => [...files].every((file) => known.has(file)));
    const twice = [...listDeclarations(sourceTrees)]
      .filter(([, files]) => files.size > 1 && !areOne(files))
      .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
    expect(twice).toEqual([]);
  });

  it('functions are verbs, not `xOf`', () => {
    const nouns: string[] = [];
    for (const tree of sourceTrees) {
      walkTree(tree, (node) => {
        const name = readFunctionName(node);
        if (name !== undefined && /[a-z]Of$/.test(name)) nouns.push(describeNode(node, name));
      });
    }
    expect(nouns.length, nouns.join('\n')).toBeLessThan(MOST_NOUNS);
    expect(nouns.length).toBeGreaterThan(0);
  });
});

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

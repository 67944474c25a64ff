import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from '@typescript/typescript6';
import { sourceFiles } from './source-imports.js';

const SOURCE = path.resolve(import.meta.dirname, '../../src');

/** Every file below src, parsed; its name is its path below src. */
export const sourceTrees: readonly ts.SourceFile[] = sourceFiles.map((file) =>
  ts.createSourceFile(
    file,
    readFileSync(path.join(SOURCE, file), 'utf8'),
    ts.ScriptTarget.ESNext,
    /* setParentNodes */ true,
  ),
);

/** Calls back for a node and all that stand in it. */
export function walkTree(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walkTree(child, visit));
}

/** `folder/file.ts:12 name` of a node. */
export function describeNode(node: ts.Node, name: string): string {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${name}`;
}

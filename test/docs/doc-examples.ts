import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from '@typescript/typescript6';
import type { CodeBlock } from './code-blocks.js';

/** Folders of the entries of the package by import name. */
const ENTRIES = {
  '': '',
  iml: 'language',
  parameters: 'engine/parameters',
  scenario: 'scenario',
  host: 'host',
  rest: 'rest',
  testing: 'tools/testing',
} as const;

/** A docstring example as a code block with its imports. */
export interface DocExample extends CodeBlock {
  /** The export that has the docstring. */
  readonly name: string;
}

/** The docstring examples of all exports. */
export function listDocExamples(root: string): readonly DocExample[] {
  const exported = listExports(root);
  return readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => readExamples(root, path.posix.join('src', file), exported))
    .filter(({ name }) => exported.has(name));
}

function readExamples(
  root: string,
  page: string,
  exported: ReadonlyMap<string, string>,
): readonly DocExample[] {
  const tree = parse(root, page);
  return tree.statements.flatMap((statement) =>
    ts
      .getJSDocTags(statement)
      .filter(({ tagName }) => tagName.text === 'example')
      .map((tag) => {
        const text = ts.getTextOfJSDocComment(tag.comment) ?? '';
        const line = tree.getLineAndCharacterOfPosition(tag.getStart(tree)).line + 1;
        return {
          page,
          line,
          language: 'ts',
          mark: undefined,
          name: nameOf(statement),
          code: complete(text, exported),
        };
      }),
  );
}

function nameOf(statement: ts.Statement): string {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations[0]?.name.getText() ?? '';
  return (statement as ts.DeclarationStatement).name?.getText() ?? '';
}

/** A docstring example is a function body, and its names of the package are imported. */
function complete(example: string, exported: ReadonlyMap<string, string>): string {
  const lines = example.split('\n');
  const written = lines.filter((line) => line.startsWith('import '));
  const body = lines.filter((line) => !line.startsWith('import ')).join('\n');
  const words = new Set(body.match(/[A-Za-z_$][\w$]*/g));
  const imports = [...words]
    .filter((word) => exported.has(word) && !written.some((line) => line.includes(word)))
    .map((word) => `import { ${word} } from '${exported.get(word)}';`);
  return [
    ...written,
    ...imports,
    'export async function example(): Promise<unknown> {',
    body,
    'return;',
    '}',
  ].join(' \n');
}

/** Exported names with their entry; the first one wins. */
function listExports(root: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [entry, folder] of Object.entries(ENTRIES)) {
    const from = entry === '' ? 'iml-runtime' : `iml-runtime/${entry}`;
    for (const statement of parse(root, path.posix.join('src', folder, 'index.ts')).statements) {
      if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) continue;
      if (!ts.isNamedExports(statement.exportClause)) continue;
      for (const { name } of statement.exportClause.elements) {
        if (!names.has(name.getText())) names.set(name.getText(), from);
      }
    }
  }
  return names;
}

function parse(root: string, file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.ESNext, true);
}

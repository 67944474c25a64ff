import path from 'node:path';
import ts from '@typescript/typescript6';

/** A page of `docs/api`: the exports of one entry of the package. */
export interface ApiPage {
  /** Name of the file: `scenario.md`. */
  readonly file: string;
  readonly text: string;
}

/** @param entries name of the entry, such as `iml-runtime/scenario`, and its declaration file, absolute */
export function writeApiPages(
  entries: readonly (readonly [name: string, file: string])[],
): readonly ApiPage[] {
  const files = entries.map(([, file]) => file);
  const program = ts.createProgram(files, {
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  });
  const checker = program.getTypeChecker();
  return entries.map(([name, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing.`);
    const symbols = checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const sections = symbols.map((symbol) => describe(symbol, checker));
    return {
      file: `${name.split('/')[1] ?? 'index'}.md`,
      text: [`# ${name}`, NOTE, ...sections].join('\n\n').concat('\n'),
    };
  });
}

const NOTE =
  'Generated from the declarations of the package by `npx vitest run -u --config .config/vitest.config.ts test/docs/api.test.ts`.';

function describe(exported: ts.Symbol, checker: ts.TypeChecker): string {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const about = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  const tags = symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === 'throws' || name === 'returns' || name === 'see')
    .map(
      ({ name, text }) => `- ${LABELS[name]}: ${ts.displayPartsToString(text).trim().replace(/\s+/g, ' ')}`,
    );
  const code = (symbol.declarations ?? []).map(printDeclaration).join('\n');
  return [
    `## ${exported.name}`,
    ...(about === '' ? [] : [about]),
    ...(tags.length === 0 ? [] : [tags.join('\n')]),
    `\`\`\`ts\n${code}\n\`\`\``,
  ].join('\n\n');
}

const LABELS: Readonly<Record<string, string>> = { throws: 'Throws', returns: 'Returns', see: 'See' };

/** The declaration without its own docstring; comments of members stay. Private members are left out. */
function printDeclaration(declaration: ts.Declaration): string {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return node
    .getText()
    .replace(/^\s*#private;\n/gm, '')
    .replace(/^\s*private .*;\n/gm, '')
    .replace(/^export (?:declare )?/, '');
}

/** The entries of a package with their declaration files. */
export function listEntries(
  root: string,
  manifest: { readonly name: string; readonly exports: object },
): readonly (readonly [string, string])[] {
  return Object.entries(manifest.exports as Readonly<Record<string, { readonly types?: string }>>)
    .filter(([, { types }]) => types !== undefined)
    .map(([entry, { types = '' }]) => [path.posix.join(manifest.name, entry), path.join(root, types)]);
}

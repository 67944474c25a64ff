import path from 'node:path';
import ts from '@typescript/typescript6';

/** A page of `docs/api`: the exports of one entry of the package. */
export interface ApiPage {
  /** Name of the file: `scenario.md`. */
  readonly file: string;
  readonly text: string;
  /** Names of exported functions, classes and constants. */
  readonly values: readonly string[];
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
  const pages = entries.map(([name, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing.`);
    const symbols = checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { name, symbols };
  });
  const exported = new Set(pages.flatMap(({ symbols }) => symbols.map((one) => resolve(one, checker))));
  return pages.map(({ name, symbols }) => {
    const sections = symbols.map((symbol) => describe(symbol, checker));
    const used = listUsedTypes(symbols, exported, checker, path.dirname(files[0] ?? ''));
    return {
      file: `${name.split('/')[1] ?? name}.md`,
      text: [`# ${name}`, NOTE, ...sections, ...used].join('\n\n').concat('\n'),
      values: symbols.filter((one) => resolve(one, checker).flags & VALUE).map((one) => one.name),
    };
  });
}

/** Declarations that the symbols use and no entry exports. */
function listUsedTypes(
  symbols: readonly ts.Symbol[],
  exported: ReadonlySet<ts.Symbol>,
  checker: ts.TypeChecker,
  folder: string,
): readonly string[] {
  const shown = new Set(exported);
  const used: ts.Symbol[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    const symbol = name && checker.getSymbolAtLocation(name);
    if (symbol !== undefined) add(resolve(symbol, checker));
    ts.forEachChild(node, visit);
  };
  const add = (symbol: ts.Symbol): void => {
    const declarations = (symbol.declarations ?? []).filter(isShown);
    if (shown.has(symbol) || declarations.length === 0) return;
    shown.add(symbol);
    used.push(symbol);
  };
  const isShown = (node: ts.Declaration): boolean =>
    node.getSourceFile().fileName.startsWith(`${folder}/`) && !ts.isTypeParameterDeclaration(node);
  for (const symbol of symbols) resolve(symbol, checker).declarations?.forEach(visit);
  if (used.length === 0) return [];
  const sections = used
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => describe(symbol, checker).replace('## ', '### '));
  return ['## Types used above', 'These types have no export of their own.', ...sections];
}

function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  if (ts.isTypeQueryNode(node)) return node.exprName;
  return undefined;
}

function resolve(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

const VALUE = ts.SymbolFlags.Function | ts.SymbolFlags.Class | ts.SymbolFlags.Variable;

const NOTE = 'Generated from the declarations of the package.';

function describe(exported: ts.Symbol, checker: ts.TypeChecker): string {
  const symbol = resolve(exported, checker);
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

/** What each entry is for, in the order of the index. */
const ENTRIES: Readonly<Record<string, string>> = {
  'iml-runtime.md': 'apps, engines, pool, runs, connections, webhooks, errors',
  'iml.md': 'the expression language',
  'parameters.md': 'forms',
  'scenario.md': 'flows and scenario states',
  'host.md': 'webhooks, events, queue',
  'rest.md': 'the REST API v2',
  'testing.md': 'test kit and contracts',
  'worker.md': 'entry of the threads of a pool',
  'host-worker.md': 'entry of the threads of a host',
};

/** The index of `docs/api`. */
export function printApiIndex(pages: readonly ApiPage[]): string {
  const unknown = pages.filter(({ file }) => !Object.hasOwn(ENTRIES, file));
  if (unknown.length > 0) throw new Error(`ENTRIES lacks ${unknown.map(({ file }) => file).join(', ')}.`);
  const rows = Object.entries(ENTRIES).map(([file, about]) => {
    const entry = file === 'iml-runtime.md' ? 'iml-runtime' : `iml-runtime/${file.slice(0, -'.md'.length)}`;
    return `| [${file}](${file}) | \`${entry}\`: ${about} |\n`;
  });
  return `# API reference\n\nOne page per entry of the package, generated from its declarations.\n\n| page | entry |\n| --- | --- |\n${rows.join('')}`;
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

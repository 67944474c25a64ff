import { type Node, parseTree } from 'jsonc-parser';
import {
  type ClientCapabilities,
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  createConnection,
  type DocumentSymbol,
  MarkupKind,
  ProposedFeatures,
  type ServerCapabilities,
  SymbolKind,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node.js';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { App, ModuleComponent } from '../../engine/document/app.js';
import { editJson } from '../../engine/document/edit-json.js';
import { findSignature, printSignature } from '../../language/functions/signatures.js';
import { printExpression } from '../../language/syntax/printer.js';
import type { Finding, TextEdit } from '../check/finding.js';
import type { Subject } from '../check/subject/subject.js';
import { findCallAt, readCursor } from './cursor.js';
import { handleHover } from './hover.js';
import { createJsonHelp, type JsonHelp } from './json-help.js';
import { chooseSchema } from './list-schemas.js';
import { handleDefinition, handleReferences, handleRename } from './navigation.js';
import { editIn, rangeIn, splitLines, toCompletion, toDiagnostic } from './protocol.js';
import { readRecordedBodies } from './recorded-bodies.js';
import { guessSchema } from './schema-files.js';
import { type EditorSession, followEditor, toFilePath } from './session.js';
import { listSuggestions } from './suggestions.js';
import { readOwnParameters } from './symbol.js';

/** `textDocument/documentSymbol`: the outline of a file. */
function handleDocumentSymbol({ connection, document: documentOf }: EditorSession): void {
  connection.onDocumentSymbol(({ textDocument }) => {
    const document = documentOf(textDocument.uri);
    return document === undefined
      ? []
      : listOutline(document.getText()).map((entry) => symbolIn(document, entry));
  });
}

function symbolIn(
  document: TextDocument,
  { name, start, end, keyEnd, children }: OutlineEntry,
): DocumentSymbol {
  return {
    name,
    kind: children.length > 0 ? SymbolKind.Object : SymbolKind.Property,
    range: rangeIn(document, { start, end }),
    selectionRange: rangeIn(document, { start, end: keyEnd }),
    children: children.map((child) => symbolIn(document, child)),
  };
}

/** An outline entry with offsets. */
interface OutlineEntry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** End of its name. */
  readonly keyEnd: number;
  readonly children: readonly OutlineEntry[];
}

const MAX_DEPTH = 4;

/** The members of a file, some levels deep, as far as it parses. */
function listOutline(text: string): readonly OutlineEntry[] {
  const root = parseTree(text, [], { allowTrailingComma: true, disallowComments: false });
  return root === undefined ? [] : listEntries(root, 0);
}

function listEntries(node: Node, depth: number): readonly OutlineEntry[] {
  if (depth >= MAX_DEPTH) return [];
  if (node.type === 'array') {
    return (node.children ?? []).flatMap((item, index) =>
      item.type === 'object' || item.type === 'array'
        ? [entry(readName(item) ?? `${index + 1}`, item, item.offset + 1, listEntries(item, depth + 1))]
        : [],
    );
  }
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || typeof key.value !== 'string' || key.value === '') return [];
    const children = value === undefined ? [] : listEntries(value, depth + 1);
    return [entry(key.value, property, key.offset + key.length, children)];
  });
}

function entry(name: string, node: Node, keyEnd: number, children: readonly OutlineEntry[]): OutlineEntry {
  return { name, start: node.offset, end: node.offset + node.length, keyEnd, children };
}

/** Fields and groups are listed by name. */
function readName(node: Node): string | undefined {
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (
      (key?.value === 'name' || key?.value === 'label') &&
      typeof value?.value === 'string' &&
      value.value !== ''
    ) {
      return value.value;
    }
  }
  return undefined;
}

const CAPABILITIES: ServerCapabilities = {
  textDocumentSync: TextDocumentSyncKind.Incremental,
  completionProvider: { triggerCharacters: ['{', '.', '(', ' ', '/', '"'] },
  signatureHelpProvider: { triggerCharacters: ['(', ',', ';'] },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  documentFormattingProvider: true,
  documentSymbolProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
};

/**
 * Serves the Language Server Protocol on standard input and output until the editor exits.
 *
 * @see https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
 */
export function serveLsp(version: string): void {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  let client: ClientCapabilities = {};
  let help: JsonHelp | undefined;
  const json = (): JsonHelp => {
    help ??= createJsonHelp(client);
    return help;
  };
  connection.onInitialize(({ capabilities }) => {
    client = capabilities;
    return { serverInfo: { name: 'iml', version }, capabilities: CAPABILITIES };
  });
  const session = followEditor(connection);
  handleCompletion(session, json, () => client);
  handleSignatureHelp(session);
  handleHover(session, json);
  handleDefinition(session);
  handleReferences(session);
  handleRename(session);
  handleFormatting(session);
  handleDocumentSymbol(session);
  handleCodeAction(session);
  connection.listen();
}

/** `textDocument/completion`: in expressions by the language, elsewhere by the schema. */
function handleCompletion(
  { connection, look, document: documentOf }: EditorSession,
  json: () => JsonHelp,
  capabilities: () => ClientCapabilities,
): void {
  connection.onCompletion(async ({ textDocument, position }): Promise<CompletionItem[]> => {
    const at = await look(textDocument.uri, position);
    const document = at?.document ?? documentOf(textDocument.uri);
    const file = at?.name ?? toFilePath(textDocument.uri);
    if (document === undefined || file === undefined) return [];
    const text = document.getText();
    const cursor = readCursor(at?.subject, file, text, document.offsetAt(position));
    const takesSnippets = capabilities().textDocument?.completion?.completionItem?.snippetSupport === true;
    const isInExpression = cursor.expression !== undefined && cursor.checked !== undefined;
    const bodies =
      at === undefined || !isInExpression || cursor.checked === undefined
        ? []
        : await readRecordedBodies(at.app.workspace.root, cursor.checked);
    const own =
      at === undefined
        ? []
        : listSuggestions(at.subject, cursor, bodies).map((suggestion) =>
            toCompletion(suggestion, at, takesSnippets),
          );
    const schema = cursor.checked === undefined ? guessSchema(file) : chooseSchema(cursor.checked);
    if (cursor.expression !== undefined || schema === undefined) return own;
    return [...own, ...(await json().complete(text, schema, position))];
  });
}

/** `textDocument/codeAction`: fixes of diagnostics. */
function handleCodeAction({ connection, look }: EditorSession): void {
  connection.onCodeAction(async ({ textDocument, range, context }) => {
    const at = await look(textDocument.uri, range.start);
    const isWanted = context.only?.includes(CodeActionKind.QuickFix) ?? true;
    // Locations in a changed text are outdated.
    if (at === undefined || !isWanted || at.app.checkedVersion !== at.app.workspace.version()) return [];
    const lines = splitLines(at.document.getText());
    const actions: CodeAction[] = [];
    for (const finding of at.app.findings) {
      if (finding.place.file !== at.name) continue;
      const diagnostic = toDiagnostic(finding, lines);
      const { start, end } = diagnostic.range;
      if (end.line < range.start.line || start.line > range.end.line) continue;
      const { fix } = finding;
      const add = (title: string, edits: readonly TextEdit[]): void => {
        const edit = { changes: { [textDocument.uri]: edits.map((one) => editIn(at.document, one)) } };
        actions.push({ title, kind: CodeActionKind.QuickFix, diagnostics: [diagnostic], edit });
      };
      if (fix !== undefined) {
        add(
          fix.title,
          fix.edits.filter(({ file }) => file === at.name),
        );
      }
      const text = at.document.getText();
      const inferred = await createInferAction(at.subject.app, at.app.workspace.root, finding, text);
      if (inferred === undefined) continue;
      add(inferred.title, [{ file: at.name, start: 0, end: text.length, text: inferred.text }]);
    }
    return actions;
  });
}

/** `textDocument/formatting`: formats expressions only. */
function handleFormatting({ connection, lookNow }: EditorSession): void {
  connection.onDocumentFormatting(async ({ textDocument }) => {
    const at = await lookNow(textDocument.uri, { line: 0, character: 0 });
    return at === undefined
      ? []
      : formatExpressions(at.subject, at.name).map((edit) => editIn(at.document, edit));
  });
}

/** Edits that format the expressions of a file. Invalid ones stay. */
function formatExpressions(subject: Subject, file: string): readonly TextEdit[] {
  const edits = new Map<number, TextEdit>();
  for (const site of subject.expressions) {
    if (site.in.document.file !== file || !site.parsed.ok) continue;
    for (const expression of site.expressions) {
      const printed = JSON.stringify(printExpression(expression)).slice(1, -1);
      const start = site.offsetAt(expression.start);
      const end = site.offsetAt(expression.end);
      if (start === undefined || end === undefined) continue;
      if (site.in.document.text?.slice(start, end) !== printed)
        edits.set(start, { file, start, end, text: printed });
    }
  }
  return [...edits.values()];
}

/** `textDocument/signatureHelp`: parameters of the called function. */
function handleSignatureHelp({ connection, look }: EditorSession): void {
  connection.onSignatureHelp(async ({ textDocument, position }) => {
    const at = await look(textDocument.uri, position);
    const { expression } =
      at === undefined ? {} : readCursor(at.subject, at.name, at.document.getText(), at.offset);
    const call = expression && findCallAt(expression.before);
    const signature = call && at && describeCall(at.subject, call.name);
    if (call === undefined || signature === undefined) return null;
    const { label, about, names } = signature;
    return {
      signatures: [
        {
          label,
          documentation: { kind: MarkupKind.Markdown, value: about },
          parameters: names.map((name) => ({ label: name })),
        },
      ],
      activeSignature: 0,
      activeParameter: Math.min(call.argument, Math.max(0, names.length - 1)),
    };
  });
}

/** Custom functions are described by their code, built-in ones by the language. */
function describeCall(
  subject: Subject,
  name: string,
): { readonly label: string; readonly about: string; readonly names: readonly string[] } | undefined {
  const own = subject.app.functions.get(name);
  if (own !== undefined) {
    const names = readOwnParameters(own);
    return {
      label: `${name}(${names.join('; ')})`,
      about: `Function of the app, in ${own.file ?? '-'}`,
      names,
    };
  }
  const signature = findSignature(name);
  if (signature === undefined) return undefined;
  const names = signature.parameters.map((parameter) => parameter.name);
  return { label: printSignature(signature), about: signature.about, names };
}

/** A quick fix that replaces the text of the file of a diagnostic. */
interface InferAction {
  readonly title: string;
  readonly text: string;
}

/**
 * The quick fix of `unfilled-interface` and `interface-missing` in the file of an interface: without the field that the
 * output cannot give, and with the fields that the cases of the module show. Undefined if nothing would change.
 *
 * @param text of the file, as in the editor
 */
async function createInferAction(
  app: App,
  root: string,
  { rule, place }: Finding,
  text: string,
): Promise<InferAction | undefined> {
  if (rule !== 'unfilled-interface' && rule !== 'interface-missing') return undefined;
  const module = [...app.modules.values()].find(({ interface: fields }) => fields?.file === place.file);
  if (module === undefined || place.file === undefined) return undefined;
  const index = /^\/(\d+)\/name$/.exec(place.pointer ?? '')?.[1];
  const kept =
    rule === 'unfilled-interface' && index !== undefined
      ? editJson(text, [{ path: [Number(index)], value: undefined }])
      : text;
  const inferred = await inferFromCases(app, root, module, { file: place.file, text: kept });
  if (inferred !== undefined && inferred !== kept) {
    return { title: `Infer the interface of "${module.name}" from its test cases`, text: inferred };
  }
  return kept === text ? undefined : { title: 'Remove the field', text: kept };
}

async function inferFromCases(
  app: App,
  root: string,
  module: ModuleComponent,
  { file, text }: { readonly file: string; readonly text: string },
): Promise<string | undefined> {
  // Loaded on use: cases run in the engine.
  const { readCaseAnswers } = await import('../life/infer/answers.js');
  const { inferFields } = await import('../life/infer/infer-fields.js');
  const { mergeFields } = await import('../life/infer/merge-fields.js');
  const { targetOfModule } = await import('../life/infer/infer-target.js');
  const { values } = await readCaseAnswers(app, targetOfModule(module), {
    root,
    paths: [],
    wanted: 'bundles',
  });
  return values.length === 0 ? undefined : mergeFields(text, file, inferFields(values)).text;
}

import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  createConnection,
  type Diagnostic,
  DiagnosticSeverity,
  InsertTextFormat,
  type Location,
  type TextEdit as LspEdit,
  MarkupKind,
  type Position,
  ProposedFeatures,
  type Range,
  SymbolKind,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Finding, Level, TextEdit } from '../check/finding.js';
import type { Subject } from '../check/subject/subject.js';
import { findSignature, printSignature } from '../iml/functions/signatures.js';
import { type AppWorkspace, openAppWorkspace } from './app-workspace.js';
import { type Suggestion, suggest } from './complete.js';
import { findCallAt, readCursor } from './cursor.js';
import { explain } from './explain.js';
import { formatExpressions } from './format.js';
import { listOutline, type OutlineEntry } from './outline.js';
import { type AppSymbol, canRename, findOccurrences, findSymbolAt, type Occurrence } from './symbol.js';

/** How long an editor may go on typing before the app is checked again. */
const CHECK_DELAY_MS = 150;

const SEVERITIES: Readonly<Record<Level, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
};

const SUGGESTION_KINDS: Readonly<Record<Suggestion['kind'], CompletionItemKind>> = {
  function: CompletionItemKind.Function,
  variable: CompletionItemKind.Variable,
  member: CompletionItemKind.Field,
  keyword: CompletionItemKind.Keyword,
  reference: CompletionItemKind.Reference,
};

/** What the server keeps of one app. */
interface OpenApp {
  readonly workspace: AppWorkspace;
  timer: NodeJS.Timeout | undefined;
  findings: readonly Finding[];
  /** Files with diagnostics on show, which have to be cleared. */
  shown: Set<string>;
}

/**
 * Speaks the Language Server Protocol on standard input and output until the editor ends it.
 *
 * @see https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
 */
export function serveLsp(version: string): void {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  const documents = new TextDocuments(TextDocument);
  const apps = new Map<string, OpenApp>();

  connection.onInitialize(() => ({
    serverInfo: { name: 'iml', version },
    capabilities: {
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
    },
  }));

  const toFile = (uri: string): string | undefined =>
    uri.startsWith('file:') ? fileURLToPath(uri) : undefined;

  const openAppAround = async (file: string): Promise<OpenApp | undefined> => {
    const known = [...apps.values()].find(({ workspace }) => file.startsWith(`${workspace.root}${path.sep}`));
    if (known !== undefined) return known;
    const workspace = await openAppWorkspace(file);
    if (workspace === undefined) return undefined;
    const opened = apps.get(workspace.root) ?? {
      workspace,
      timer: undefined,
      findings: [],
      shown: new Set(),
    };
    apps.set(workspace.root, opened);
    return opened;
  };

  /** Paths below an app of the files an editor has open: those without a finding are told of, too. */
  const listOpenFiles = (root: string): readonly string[] =>
    documents
      .all()
      .flatMap(({ uri }) => toFile(uri) ?? [])
      .filter((file) => file.startsWith(`${root}${path.sep}`))
      .map((file) => path.relative(root, file).split(path.sep).join('/'));

  const publish = async (app: OpenApp): Promise<void> => {
    const { root, readText, refresh } = app.workspace;
    const { findings } = await refresh();
    app.findings = findings;
    const byFile = new Map<string, Finding[]>();
    for (const finding of findings) {
      const file = finding.place.file ?? 'makecomapp.json';
      byFile.set(file, [...(byFile.get(file) ?? []), finding]);
    }
    for (const file of new Set([...app.shown, ...byFile.keys(), ...listOpenFiles(root)])) {
      const text = (await readText(path.join(root, file))) ?? '';
      const diagnostics = (byFile.get(file) ?? []).map((finding) => toDiagnostic(finding, text));
      await connection.sendDiagnostics({ uri: pathToFileURL(path.join(root, file)).href, diagnostics });
    }
    app.shown = new Set(byFile.keys());
  };

  const schedule = (app: OpenApp): void => {
    clearTimeout(app.timer);
    app.timer = setTimeout(() => {
      publish(app).catch((error: unknown) => connection.console.error(String(error)));
    }, CHECK_DELAY_MS);
  };

  const changed = async (uri: string, text: string | undefined): Promise<void> => {
    const file = toFile(uri);
    const app = file === undefined ? undefined : await openAppAround(file);
    if (app === undefined || file === undefined) return;
    app.workspace.setText(file, text);
    schedule(app);
  };
  documents.onDidChangeContent(({ document }) => void changed(document.uri, document.getText()));
  documents.onDidClose(({ document }) => void changed(document.uri, undefined));
  connection.onDidChangeWatchedFiles(() => {
    for (const app of apps.values()) schedule(app);
  });

  /** What a request is about: file, app and place, in the terms of the check. */
  const look = async (uri: string, position: Position): Promise<Look | undefined> => {
    const file = toFile(uri);
    const document = documents.get(uri);
    const app = file === undefined ? undefined : await openAppAround(file);
    const subject = await app?.workspace.subject();
    if (file === undefined || document === undefined || app === undefined || subject === undefined)
      return undefined;
    const name = path.relative(app.workspace.root, file).split(path.sep).join('/');
    return { app, subject, document, name, offset: document.offsetAt(position) };
  };

  connection.onCompletion(async ({ textDocument, position }) => {
    const at = await look(textDocument.uri, position);
    if (at === undefined) return [];
    const cursor = readCursor(at.subject, at.name, at.document.getText(), at.offset);
    return suggest(at.subject, cursor).map((suggestion) => toCompletion(suggestion, at));
  });

  connection.onSignatureHelp(async ({ textDocument, position }) => {
    const at = await look(textDocument.uri, position);
    const { expression } =
      at === undefined ? {} : readCursor(at.subject, at.name, at.document.getText(), at.offset);
    const call = expression && findCallAt(expression.before);
    const signature = call && findSignature(call.name);
    if (call === undefined || signature === undefined) return null;
    return {
      signatures: [
        {
          label: printSignature(signature),
          documentation: { kind: MarkupKind.Markdown, value: signature.about },
          parameters: signature.parameters.map(({ name }) => ({ label: name })),
        },
      ],
      activeSignature: 0,
      activeParameter: Math.min(call.argument, Math.max(0, signature.parameters.length - 1)),
    };
  });

  connection.onHover(async ({ textDocument, position }) => {
    const at = await look(textDocument.uri, position);
    const found = at && explain(at.subject, at.name, at.offset);
    if (at === undefined || found === undefined) return null;
    return { contents: { kind: MarkupKind.Markdown, value: found.text }, range: rangeIn(at.document, found) };
  });

  const occurrencesAt = async (
    uri: string,
    position: Position,
  ): Promise<
    { readonly symbol: AppSymbol; readonly found: readonly Occurrence[]; readonly at: Look } | undefined
  > => {
    const at = await look(uri, position);
    if (at === undefined) return undefined;
    const manifest = await at.app.workspace.manifest();
    const symbol = findSymbolAt(at.subject, manifest, at.name, at.offset);
    if (symbol === undefined) return undefined;
    return { symbol, found: findOccurrences(at.subject, manifest, symbol), at };
  };

  const locate = async (
    app: OpenApp,
    { file, start, end }: Omit<Occurrence, 'isDefinition'>,
  ): Promise<Location> => {
    const target = path.join(app.workspace.root, file);
    const text = (await app.workspace.readText(target)) ?? '';
    const document = TextDocument.create('', '', 0, text);
    return { uri: pathToFileURL(target).href, range: rangeIn(document, { start, end }) };
  };

  connection.onDefinition(async ({ textDocument, position }) => {
    const hit = await occurrencesAt(textDocument.uri, position);
    const definitions = hit?.found.filter(({ isDefinition }) => isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(definitions.map((one) => locate(hit.at.app, one)));
  });

  connection.onReferences(async ({ textDocument, position, context }) => {
    const hit = await occurrencesAt(textDocument.uri, position);
    const wanted = hit?.found.filter(({ isDefinition }) => context.includeDeclaration || !isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(wanted.map((one) => locate(hit.at.app, one)));
  });

  connection.onPrepareRename(async ({ textDocument, position }) => {
    const hit = await occurrencesAt(textDocument.uri, position);
    if (hit === undefined || !canRename(hit.symbol)) return null;
    const { name, offset, document } = hit.at;
    const own = hit.found.find(({ file, start, end }) => file === name && offset >= start && offset <= end);
    return own === undefined ? null : { range: rangeIn(document, own), placeholder: hit.symbol.name };
  });

  connection.onRenameRequest(async ({ textDocument, position, newName }) => {
    const hit = await occurrencesAt(textDocument.uri, position);
    if (hit === undefined || !canRename(hit.symbol) || !/^[A-Za-z_][\w]*$/.test(newName)) return null;
    const changes: Record<string, LspEdit[]> = {};
    for (const occurrence of hit.found) {
      const { uri, range } = await locate(hit.at.app, occurrence);
      changes[uri] = [...(changes[uri] ?? []), { range, newText: newName }];
    }
    return { changes };
  });

  connection.onDocumentFormatting(async ({ textDocument }) => {
    const at = await look(textDocument.uri, { line: 0, character: 0 });
    if (at === undefined) return [];
    // Of a file that is half written the app still has the text before.
    const known = at.subject.documents.find(({ document }) => document.file === at.name)?.document.text;
    if (known !== at.document.getText()) return [];
    return formatExpressions(at.subject, at.name).map((edit) => editIn(at.document, edit));
  });

  connection.onDocumentSymbol(({ textDocument }) => {
    const document = documents.get(textDocument.uri);
    return document === undefined
      ? []
      : listOutline(document.getText()).map((entry) => symbolIn(document, entry));
  });

  connection.onCodeAction(async ({ textDocument, range, context }) => {
    const at = await look(textDocument.uri, range.start);
    if (at === undefined || (context.only !== undefined && !context.only.includes(CodeActionKind.QuickFix)))
      return [];
    const text = at.document.getText();
    return at.app.findings.flatMap((finding) => {
      const { fix, place } = finding;
      if (fix === undefined || place.file !== at.name) return [];
      const diagnostic = toDiagnostic(finding, text);
      if (diagnostic.range.end.line < range.start.line || diagnostic.range.start.line > range.end.line)
        return [];
      const edits = fix.edits.filter(({ file }) => file === at.name).map((edit) => editIn(at.document, edit));
      return [
        {
          title: fix.title,
          kind: CodeActionKind.QuickFix,
          diagnostics: [diagnostic],
          edit: { changes: { [textDocument.uri]: edits } },
        },
      ];
    });
  });

  documents.listen(connection);
  connection.listen();
}

interface Look {
  readonly app: OpenApp;
  readonly subject: Subject;
  readonly document: TextDocument;
  /** Path of the file below the app. */
  readonly name: string;
  readonly offset: number;
}

function toDiagnostic({ rule, level, message, place, length }: Finding, text: string): Diagnostic {
  const line = (place.line ?? 1) - 1;
  const character = (place.column ?? 1) - 1;
  const rest = (text.split(/\r\n|[\n\r]/)[line] ?? '').length - character;
  const end = character + Math.max(1, Math.min(length ?? rest, rest));
  return {
    range: { start: { line, character }, end: { line, character: end } },
    severity: SEVERITIES[level],
    code: rule,
    source: 'iml',
    message,
  };
}

function toCompletion(suggestion: Suggestion, { document, offset }: Look): CompletionItem {
  const { label, kind, detail, about, snippet, replaces } = suggestion;
  return {
    label,
    kind: SUGGESTION_KINDS[kind],
    ...(detail !== undefined && { detail }),
    ...(about !== undefined && { documentation: { kind: MarkupKind.Markdown, value: about } }),
    insertTextFormat: snippet === undefined ? InsertTextFormat.PlainText : InsertTextFormat.Snippet,
    textEdit: {
      range: rangeIn(document, { start: offset - replaces, end: offset }),
      newText: snippet ?? label,
    },
  };
}

function symbolIn(
  document: TextDocument,
  { name, start, end, keyEnd, children }: OutlineEntry,
): {
  name: string;
  kind: SymbolKind;
  range: Range;
  selectionRange: Range;
  children: ReturnType<typeof symbolIn>[];
} {
  return {
    name,
    kind: children.length > 0 ? SymbolKind.Object : SymbolKind.Property,
    range: rangeIn(document, { start, end }),
    selectionRange: rangeIn(document, { start, end: keyEnd }),
    children: children.map((child) => symbolIn(document, child)),
  };
}

function rangeIn(
  document: TextDocument,
  { start, end }: { readonly start: number; readonly end: number },
): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

function editIn(document: TextDocument, { start, end, text }: TextEdit): LspEdit {
  return { range: rangeIn(document, { start, end }), newText: text };
}

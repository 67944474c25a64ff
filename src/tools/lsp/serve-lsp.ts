import {
  type ClientCapabilities,
  CodeActionKind,
  createConnection,
  ProposedFeatures,
  type ServerCapabilities,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node.js';
import { handleCompletion } from './completion.js';
import { handleDocumentSymbol } from './document-symbol.js';
import { handleCodeAction, handleFormatting } from './edits.js';
import { handleHover } from './hover.js';
import { createJsonHelp, type JsonHelp } from './json-help.js';
import { handleDefinition, handleReferences, handleRename } from './navigation.js';
import { followEditor } from './session.js';
import { handleSignatureHelp } from './signature-help.js';

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

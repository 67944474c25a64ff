import { type ClientCapabilities, type CompletionItem, MarkupKind } from 'vscode-languageserver/node.js';
import type { Subject } from '../../check/subject/subject.js';
import { findSignature, printSignature } from '../../iml/functions/signatures.js';
import { suggest } from '../complete.js';
import { findCallAt, readCursor } from '../cursor.js';
import type { JsonHelp } from '../json-help.js';
import { readOwnParameters } from '../own-functions.js';
import { toCompletion } from '../protocol.js';
import { guessSchema } from '../schemas/guess-schema.js';
import { chooseSchema } from '../schemas/list-schemas.js';
import { type EditorSession, toFilePath } from '../session.js';

/** Completion and signature help: inside of expressions by the language, outside of them by the schema of the file. */
export function provideCompletion(
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
    const own =
      at === undefined
        ? []
        : suggest(at.subject, cursor).map((suggestion) => toCompletion(suggestion, at, takesSnippets));
    const schema = cursor.checked === undefined ? guessSchema(file) : chooseSchema(cursor.checked);
    if (cursor.expression !== undefined || schema === undefined) return own;
    return [...own, ...(await json().complete(text, schema, position))];
  });

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

/** A function of the app has what its code says, a built-in one what is known of it. */
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

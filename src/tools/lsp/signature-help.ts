import { MarkupKind } from 'vscode-languageserver/node.js';
import { findSignature, printSignature } from '../../language/functions/signatures.js';
import type { Subject } from '../check/subject/subject.js';
import { findCallAt, readCursor } from './cursor.js';
import { readOwnParameters } from './function-code.js';
import type { EditorSession } from './session.js';

/** `textDocument/signatureHelp`: parameters of the called function. */
export function handleSignatureHelp({ connection, look }: EditorSession): void {
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

import { type Hover, MarkupKind } from 'vscode-languageserver/node.js';
import { type Explanation, explainExpression } from '../explain-expression.js';
import type { JsonHelp } from '../json-help.js';
import { rangeIn } from '../protocol.js';
import { readRecordedBodies } from '../recorded-bodies.js';
import { guessSchema } from '../schemas/guess-schema.js';
import { chooseSchema } from '../schemas/list-schemas.js';
import { type EditorSession, type Look, toFilePath } from '../session.js';
import { findOccurrences, findSymbolAt } from '../symbols/find-occurrences.js';

/** `textDocument/hover`: describes parts of expressions and members of files. */
export function handleHover(
  { connection, lookNow, locate, document: documentOf }: EditorSession,
  json: () => JsonHelp,
): void {
  connection.onHover(async ({ textDocument, position }): Promise<Hover | null> => {
    const at = await lookNow(textDocument.uri, position);
    const found = at && (await explain(at));
    if (at !== undefined && found !== undefined) {
      const origin = await describeOrigin(at, locate);
      return {
        contents: { kind: MarkupKind.Markdown, value: `${found.text}${origin}` },
        range: rangeIn(at.document, found),
      };
    }
    const document = documentOf(textDocument.uri);
    const file = at?.name ?? toFilePath(textDocument.uri);
    if (document === undefined || file === undefined) return null;
    const checked = at?.subject.documents.find((one) => one.document.file === file);
    const schema = checked === undefined ? guessSchema(file) : chooseSchema(checked);
    return schema === undefined ? null : json().hover(document.getText(), schema, position);
  });
}

async function explain({ app, subject, name, offset }: Look): Promise<Explanation | undefined> {
  const checked = subject.documents.find(({ document }) => document.file === name);
  const bodies = checked === undefined ? [] : await readRecordedBodies(app.workspace.root, checked);
  return explainExpression(subject, name, offset, bodies);
}

const ORIGINS_SHOWN = 3;

/** Where a value is declared or written; empty if unknown. */
async function describeOrigin(
  { app, subject, name, offset }: Look,
  locate: EditorSession['locate'],
): Promise<string> {
  const manifest = await app.workspace.manifest();
  const symbol = findSymbolAt(subject, manifest, name, offset);
  const definitions =
    symbol === undefined
      ? []
      : findOccurrences(subject, manifest, symbol).filter(({ isDefinition }) => isDefinition);
  if (definitions.length === 0) return '';
  const places = await Promise.all(
    definitions.slice(0, ORIGINS_SHOWN).map(async (one) => {
      const { range } = await locate(app, one);
      return `\`${one.file}:${range.start.line + 1}\``;
    }),
  );
  const more = definitions.length > ORIGINS_SHOWN ? ', ...' : '';
  return `\n\nFrom ${places.join(', ')}${more}`;
}

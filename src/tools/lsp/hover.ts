import { type Hover, MarkupKind } from 'vscode-languageserver/node.js';
import { findSignature, printSignature } from '../../language/functions/signatures.js';
import type { Expression } from '../../language/syntax/ast.js';
import { readPath } from '../../language/syntax/walk-expression.js';
import type { ExpressionSite } from '../check/subject/expression-site.js';
import type { Subject } from '../check/subject/subject.js';
import { NAME_MEANINGS } from '../check/subject/visible-names.js';
import type { JsonHelp } from './json-help.js';
import { listMembers, type RecordedValues } from './known-members.js';
import { chooseSchema } from './list-schemas.js';
import { findOccurrences, findSymbolAt } from './navigation.js';
import { rangeIn } from './protocol.js';
import { listRecordedItems, readRecordedBodies } from './recorded-bodies.js';
import { guessSchema } from './schema-files.js';
import { type EditorSession, type Look, toFilePath } from './session.js';
import { readOwnParameters } from './symbol.js';

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

/** Hover text of a part of an expression. */
interface Explanation {
  /** Markdown. */
  readonly text: string;
  /** Offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/** The innermost node at an offset. */
function findNodeAt(
  subject: Subject,
  file: string,
  offset: number,
): { readonly site: ExpressionSite; readonly node: Expression } | undefined {
  for (const site of subject.expressions) {
    if (site.in.document.file !== file) continue;
    const node = findInnermost(site, offset);
    if (node !== undefined) return { site, node };
  }
  return undefined;
}

function findInnermost({ nodes, offsetAt }: ExpressionSite, offset: number): Expression | undefined {
  let found: Expression | undefined;
  for (const node of nodes) {
    const start = offsetAt(node.start);
    const end = offsetAt(node.end);
    if (start === undefined || end === undefined || offset < start || offset > end) continue;
    if (found === undefined || node.end - node.start <= found.end - found.start) found = node;
  }
  return found;
}

/** Describes a function, a name or a member; undefined if unknown. */
function explainExpression(
  subject: Subject,
  file: string,
  offset: number,
  recordedBodies: readonly unknown[] = [],
): Explanation | undefined {
  const found = findNodeAt(subject, file, offset);
  if (found === undefined) return undefined;
  const { site, node } = found;
  const text = describe(subject, site, node, recordedBodies);
  if (text === undefined) return undefined;
  return { text, start: site.offsetAt(node.start) ?? offset, end: site.offsetAt(node.end) ?? offset };
}

function describe(
  subject: Subject,
  site: ExpressionSite,
  node: Expression,
  recordedBodies: readonly unknown[],
): string | undefined {
  if (node.kind === 'call') return describeFunction(subject, node.name);
  const path = readPath(node);
  if (path === undefined) return undefined;
  const names = [path.root.name, ...path.members.flatMap(({ name }) => (name === undefined ? [] : [name]))];
  if (names.length === 1)
    return Object.hasOwn(NAME_MEANINGS, names[0] ?? '') ? NAME_MEANINGS[path.root.name] : undefined;
  const recorded: RecordedValues = {
    body: recordedBodies,
    item: listRecordedItems(site.in, site.location, recordedBodies),
  };
  const members = listMembers(subject, site.in, names.slice(0, -1), recorded);
  const member = members.find(({ name }) => name === names.at(-1));
  if (member === undefined) return undefined;
  return [`**${names.join('.')}**${member.detail === '' ? '' : `: ${member.detail}`}`, member.about]
    .filter((line) => line !== undefined)
    .join('\n\n');
}

function describeFunction({ app }: Subject, name: string): string | undefined {
  const own = app.functions.get(name);
  if (own !== undefined)
    return `\`\`\`iml\n${name}(${readOwnParameters(own).join('; ')})\n\`\`\`\n\nfunction of the app${own.file === undefined ? '' : `, in ${own.file}`}`;
  const signature = findSignature(name);
  return (
    signature && `\`\`\`iml\n${printSignature(signature)}: ${signature.result}\n\`\`\`\n\n${signature.about}`
  );
}

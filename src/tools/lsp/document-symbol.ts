import { type Node, parseTree } from 'jsonc-parser';
import { type DocumentSymbol, SymbolKind } from 'vscode-languageserver/node.js';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { rangeIn } from './protocol.js';
import type { EditorSession } from './session.js';

/** `textDocument/documentSymbol`: the outline of a file. */
export function handleDocumentSymbol({ connection, document: documentOf }: EditorSession): void {
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

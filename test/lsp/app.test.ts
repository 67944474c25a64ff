import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CodeAction,
  CompletionItem,
  DocumentSymbol,
  Hover,
  Location,
  SignatureHelp,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { builtCli } from '../cli/build-cli.js';
import { type Editor, startEditor } from './editor.js';

const APP = path.resolve(import.meta.dirname, '../../spec-fixtures/corpus/warehouse');

const SEARCH = 'modules/search-items/search-items.communication.iml.json';
const FORM = 'modules/search-items/search-items.mappable-params.iml.json';
const CODE = 'functions/filter/filter.js';

describe('an app in an editor', () => {
  const start = builtCli();
  let folder: string;
  let editor: Editor;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'iml-lsp-corpus-'));
    cpSync(APP, folder, { recursive: true });
    editor = await startEditor(start(['lsp', '--stdio'], 'open'));
  });
  afterAll(async () => {
    await editor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const textOf = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
  /** Opens a file and sends requests for the position of `|` in a part of it. */
  const askAt = async <T>(method: string, file: string, piece: string, extra = {}): Promise<T> => {
    const text = textOf(file);
    const plain = piece.replace('|', '');
    expect(text).toContain(plain);
    await editor.open(path.join(folder, file), text);
    return editor.at<T>(method, text.replace(plain, piece), extra);
  };
  const filesOf = (found: readonly Location[]): readonly string[] =>
    found.map(({ uri }) => path.relative(folder, new URL(uri).pathname)).sort();
  /** Text of each file after a rename. */
  const rename = async (file: string, piece: string, newName: string): Promise<Map<string, string>> => {
    const edit = await askAt<WorkspaceEdit>('textDocument/rename', file, piece, { newName });
    return new Map(
      Object.entries(edit.changes ?? {}).map(([uri, edits]) => {
        const changed = path.relative(folder, new URL(uri).pathname);
        const document = TextDocument.create(uri, 'jsonc', 1, textOf(changed));
        return [changed, TextDocument.applyEdits(document, edits)];
      }),
    );
  };

  it('responds to every request after each character of an edit', async () => {
    const text = textOf(SEARCH);
    const from = text.indexOf('"/rest/v1/');
    const line = text.slice(from, text.indexOf('\n', from));
    await editor.open(path.join(folder, SEARCH), text);
    for (let length = 0; length <= line.length; length++) {
      const now = text.slice(0, from) + line.slice(0, length) + text.slice(from + line.length);
      await editor.change(now);
      const before = now.slice(0, from + length).split('\n');
      const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
      const range = { start: position, end: position };
      // Some requests load the edited app each time, so they are sent less often.
      const looksNow = length % 5 === 0;
      await Promise.all([
        editor.request('textDocument/completion', { position }),
        editor.request('textDocument/signatureHelp', { position }),
        editor.request('textDocument/codeAction', { range, context: { diagnostics: [] } }),
        editor.request('textDocument/documentSymbol', {}),
        ...(looksNow ? ['hover', 'definition', 'prepareRename', 'references', 'formatting'] : []).map(
          (name) =>
            editor.request(`textDocument/${name}`, {
              position,
              context: { includeDeclaration: true },
              options: { tabSize: 2, insertSpaces: true },
            }),
        ),
      ]);
      if (!line.slice(0, length).endsWith('parameters.')) continue;
      const items = await editor.request<CompletionItem[]>('textDocument/completion', { position });
      expect(items.map(({ label }) => label)).toEqual(expect.arrayContaining(['table', 'search', 'limit']));
    }
    const found = await editor.diagnostics(path.join(folder, SEARCH), (all) => all.length === 0);
    expect(found).toEqual([]);
  });

  it.each([
    ['{{parameters.ta|ble}}', 'From `modules/search-items/search-items.mappable-params.iml.json:3`'],
    ['{{fil|ter(', "filter(search; mode = 'eq')"],
    ['(pagin|ation.page', 'number of the page to come'],
    ['"limit": "{{para|meters.limit}}"', 'What the user filled in.'],
    ['"meth|od"', 'method'],
  ])('shows documentation of %s on hover', async (piece, text) => {
    const hover = await askAt<Hover>('textDocument/hover', SEARCH, piece);
    expect(JSON.stringify(hover.contents).toLowerCase()).toContain(text.toLowerCase());
  });

  it.each([
    [SEARCH, '{{parameters.ta|ble}}', [FORM]],
    [SEARCH, '{{fil|ter(', [CODE, 'makecomapp.json']],
    [FORM, '"rpc://list|Tables"', ['makecomapp.json']],
    ['general/base.iml.json', '{{connection.project|Id}}', ['connections/account/account.params.iml.json']],
  ])('goes in %s from %s to its declaration', async (file, piece, targets) => {
    expect(filesOf(await askAt<Location[]>('textDocument/definition', file, piece))).toEqual(targets);
  });

  it('finds all references of an RPC', async () => {
    const context = { includeDeclaration: true };
    const found = await askAt<Location[]>('textDocument/references', FORM, '"rpc://list|Tables"', {
      context,
    });
    const calling = ['count-items', 'delete-items', 'save-item', 'search-items'].map(
      (name) => `modules/${name}/${name}.mappable-params.iml.json`,
    );
    expect(filesOf(found)).toEqual(expect.arrayContaining(['makecomapp.json', ...calling]));
    expect(found).toHaveLength(1 + calling.length);
  });

  it('renames an RPC, a function and a parameter in all their references', async () => {
    const rpc = await rename(FORM, '"rpc://list|Tables"', 'listEveryTable');
    for (const text of rpc.values()) {
      expect(text).not.toMatch(/rpc:\/\/listTables|"listTables": \{/);
      expect(text).toContain('listEveryTable');
    }
    expect(rpc.size).toBeGreaterThan(3);

    const own = await rename(SEARCH, '{{fil|ter(', 'whereClause');
    expect([...own.keys()].sort()).toEqual([
      CODE,
      'makecomapp.json',
      'modules/delete-items/delete-items.communication.iml.json',
      SEARCH,
    ]);
    expect(own.get(CODE)).toContain("function whereClause(search, mode = 'eq') {");
    // A file and a type of a field are called the same and stay.
    expect(own.get('makecomapp.json')).toContain('functions/filter/filter.js');

    const field = await rename(FORM, '"name": "ta|ble"', 'relation');
    expect(field.get(SEARCH)).toContain('/rest/v1/{{parameters.relation}}?{{filter(parameters.search)}}');
    expect(field.has('modules/delete-items/delete-items.communication.iml.json')).toBe(false);
  });

  it('provides signature help, outlines, formatting and quick fixes', async () => {
    const help = await askAt<SignatureHelp>(
      'textDocument/signatureHelp',
      SEARCH,
      'filter(|parameters.search)',
    );
    expect(help).toMatchObject({
      activeParameter: 0,
      signatures: [{ label: "filter(search; mode = 'eq')" }],
    });
    const symbols = await editor.request<DocumentSymbol[]>('textDocument/documentSymbol', {});
    const names = ['url', 'method', 'headers', 'qs', 'response', 'pagination'];
    expect(symbols.map(({ name }) => name)).toEqual(names);
    expect(symbols.find(({ name }) => name === 'response')?.children?.map(({ name }) => name)).toEqual([
      'iterate',
      'output',
      'limit',
    ]);

    const text = textOf(SEARCH);
    await editor.change(text.replace('(pagination.page - 1) * 100', 'Floor((pagination.page-1)*100)'));
    const [wrong] = await editor.diagnostics(path.join(folder, SEARCH), (found) => found.length > 0);
    expect(wrong).toMatchObject({ code: 'unknown-function', message: expect.stringContaining('"floor"') });
    const actions = await editor.request<CodeAction[]>('textDocument/codeAction', {
      range: wrong?.range,
      context: { diagnostics: [wrong] },
    });
    const edits = Object.values(actions[0]?.edit?.changes ?? {}).flat();
    const typed = text.replace('(pagination.page - 1) * 100', 'Floor((pagination.page-1)*100)');
    const mended = TextDocument.applyEdits(TextDocument.create('', 'jsonc', 1, typed), edits);
    expect(mended).toBe(typed.replace('Floor', 'floor'));
    await editor.change(mended);
    await editor.diagnostics(path.join(folder, SEARCH), (found) => found.length === 0);
    const format = await editor.request<TextEdit[]>('textDocument/formatting', {
      options: { tabSize: 2, insertSpaces: true },
    });
    const printed = TextDocument.applyEdits(TextDocument.create('', 'jsonc', 1, mended), format);
    expect(printed).toBe(
      mended.replace('floor((pagination.page-1)*100)', 'floor((pagination.page - 1) * 100)'),
    );
  });
});

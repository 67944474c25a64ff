import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCli } from '../cli/build-cli.js';
import { type Editor, startEditor } from './editor.js';

const start = builtCli();

const COMMUNICATION = `{
  // lists the people
  "url": "https://api.example.com/people/{{parameters.id}}",
  "qs": { "{{...}}": "{{omit(parameters; 'id')}}", "since": "{{formatDate(addDays(now; -1); 'X')}}" },
  "temp": { "names": "{{map(body.people; 'name')}}" },
  "response": {
    "iterate": "{{body.people}}",
    "output": { "id": "{{item.id}}", "text": "{{if(item.a = 'é\\\\n\\"'; temp.names; null)}}" },
    "limit": "{{parameters.limit}}"
  },
  "pagination": { "qs": { "page": "{{pagination.page}}" }, "condition": "{{body.more}}" },
}`;

const FILES = {
  'makecomapp.json': JSON.stringify({
    fileVersion: 1,
    generalCodeFiles: {},
    components: {
      module: {
        list: {
          moduleType: 'search',
          codeFiles: { communication: 'list.iml.json', mappableParams: 'list.params.iml.json' },
        },
      },
    },
  }),
  'list.iml.json': COMMUNICATION,
  'list.params.iml.json': '[{ "name": "id", "type": "text" }, { "name": "limit", "type": "uinteger" }]',
};

let folder: string;
let editor: Editor;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-half-'));
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, '.git/HEAD'), 'ref');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text);
  editor = await startEditor(start(['lsp', '--stdio'], 'open'));
});
afterAll(async () => {
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
});

const METHODS: readonly (readonly [method: string, extra: Readonly<Record<string, unknown>>])[] = [
  ['textDocument/completion', {}],
  ['textDocument/hover', {}],
  ['textDocument/signatureHelp', {}],
  ['textDocument/definition', {}],
  ['textDocument/references', { context: { includeDeclaration: true } }],
  ['textDocument/prepareRename', {}],
  ['textDocument/documentSymbol', {}],
  ['textDocument/formatting', { options: { tabSize: 2, insertSpaces: true } }],
];

/** A text in which a few characters replace a part, and the position of the cursor. */
const half = fc.record({
  from: fc.nat(COMMUNICATION.length),
  length: fc.nat(COMMUNICATION.length),
  typed: fc.oneof(
    fc.constantFrom('', '{{', '}}', '"', '\\', '\\u00', '{', '[', ',', ':', '(', "'", '`', '//', '/*', '.'),
    fc.string({ maxLength: 6, unit: 'binary' }),
  ),
  cursor: fc.nat(COMMUNICATION.length + 6),
});

describe('an incomplete document', () => {
  it.each(['list.iml.json', 'makecomapp.json', 'list.params.iml.json'] as const)(
    'gets responses, wherever %s is cut',
    async (name) => {
      const whole = FILES[name];
      const file = path.join(folder, name);
      await editor.open(file, whole);
      await fc.assert(
        fc.asyncProperty(half, async ({ from, length, typed, cursor }) => {
          const text = whole.slice(0, from) + typed + whole.slice(from + length);
          const at = Math.min(cursor, text.length);
          const lines = text.slice(0, at).split(/\r\n|[\n\r]/);
          const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
          await editor.change(text);
          for (const [method, extra] of METHODS) {
            // A failed request rejects. A dead process sends no response.
            await editor.request(method, { position, ...extra });
          }
        }),
        { numRuns: 40 },
      );
      await editor.change(whole);
      await editor.diagnostics(file, (found) => found.every(({ severity }) => severity !== 1));
      expect(await editor.request('textDocument/documentSymbol', {})).not.toEqual([]);
    },
    120_000,
  );
});

import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  type Diagnostic,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';
import type { StartedProcess } from '../cli/build-cli.js';

/** An editor with one file open, speaking the protocol with the server's process. */
export interface Editor {
  readonly request: <T>(method: string, params: Readonly<Record<string, unknown>>) => Promise<T>;
  /** Opens a file with a text. */
  readonly open: (file: string, text: string) => Promise<void>;
  /** Replaces the whole text of the open file. */
  readonly change: (text: string) => Promise<void>;
  /** Resolves with the diagnostics of a file once they are as wanted. */
  readonly diagnostics: (
    file: string,
    isWanted: (found: readonly Diagnostic[]) => boolean,
  ) => Promise<readonly Diagnostic[]>;
  /** Sends a request for the position of `|` in a text, which replaces the text of the open file. */
  readonly at: <T>(method: string, marked: string, extra?: Readonly<Record<string, unknown>>) => Promise<T>;
  /** Closes all files and clears their diagnostics. */
  readonly closeFiles: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function startEditor({ child, result }: StartedProcess): Promise<Editor> {
  if (child.stdout === null || child.stdin === null) throw new Error('The server has no standard streams.');
  const connection: ProtocolConnection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const published = new Map<string, readonly Diagnostic[]>();
  const waiting = new Set<() => void>();
  const opened = new Set<string>();
  connection.onNotification(
    'textDocument/publishDiagnostics',
    ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
      published.set(uri, diagnostics);
      for (const look of waiting) look();
    },
  );
  connection.listen();
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
  });
  await connection.sendNotification('initialized', {});
  let uri = '';
  let version = 0;
  const change = (text: string): Promise<void> =>
    connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: ++version },
      contentChanges: [{ text }],
    });
  const request: Editor['request'] = (method, params) =>
    connection.sendRequest(method, { textDocument: { uri }, ...params });
  return {
    request,
    change,
    open: async (file, text) => {
      uri = pathToFileURL(file).href;
      opened.add(uri);
      version = 1;
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'jsonc', version, text },
      });
    },
    diagnostics: (file, isWanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = published.get(pathToFileURL(file).href);
          if (found === undefined || !isWanted(found)) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    at: async (method, marked, extra = {}) => {
      const offset = marked.indexOf('|');
      const text = marked.slice(0, offset) + marked.slice(offset + 1);
      await change(text);
      const lines = text.slice(0, offset).split('\n');
      return request(method, {
        position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
        ...extra,
      });
    },
    closeFiles: async () => {
      for (const each of opened) {
        await connection.sendNotification('textDocument/didClose', { textDocument: { uri: each } });
      }
      opened.clear();
      published.clear();
    },
    close: async () => {
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      await result;
      connection.dispose();
    },
  };
}

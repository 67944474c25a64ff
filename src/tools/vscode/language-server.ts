import { type Disposable, type FileSystemWatcher, type OutputChannel, workspace } from 'vscode';
import {
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
} from 'vscode-languageclient/node.js';
import { findCommand, listApps } from './workspace.js';

/** Files that the server completes and checks, whatever language the user has chosen for them. */
const FILES = [
  '**/*.{iml.json,iml.jsonc,imljson}',
  '**/{makecomapp,iml.config,scenarios}.json',
  // Other projects have files with such names elsewhere.
  '**/{general/common,modules/groups}.json',
  '**/{connections,webhooks}/**/*.common.json',
  '**/tests/**/*.test.{json,jsonc}',
];

/** The client of `iml lsp`. */
export interface LanguageServer extends Disposable {
  /** Starts the server, or stops it and starts it again. */
  readonly restart: () => Promise<void>;
}

export function createLanguageServer(log: OutputChannel): LanguageServer {
  // For files that change outside of the editor, for example by `git checkout`.
  const watcher = workspace.createFileSystemWatcher('**/*.{json,jsonc,imljson,js}');
  let client: LanguageClient | undefined;
  let last: Promise<void> = Promise.resolve();
  const restart = async (): Promise<void> => {
    await client?.dispose();
    client = undefined;
    const command = await findCommand(await listApps(), ['lsp', '--stdio']);
    if (command === undefined) return;
    const { args, shell } = command;
    const server = { command: command.command, args: [...args], options: { shell } };
    const starting = new LanguageClient('iml', 'IML', server, clientOptions(log, watcher));
    await starting.start();
    // A client that is still starting cannot be disposed of.
    client = starting;
  };
  return {
    // One after the other, because a restart may be requested during a start.
    restart: () => {
      last = last
        .then(restart)
        .catch((error: unknown) => log.appendLine(`The language server failed: ${error}`));
      return last;
    },
    dispose: () => {
      watcher.dispose();
      void client?.dispose();
    },
  };
}

function clientOptions(log: OutputChannel, watcher: FileSystemWatcher): LanguageClientOptions {
  return {
    documentSelector: [
      { scheme: 'file', language: 'imljson' },
      ...FILES.map((pattern) => ({ scheme: 'file', pattern })),
    ],
    synchronize: { fileEvents: watcher },
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
  };
}

import { commands, type ExtensionContext, type Uri, window, workspace } from 'vscode';
import { showTests } from './app-tests.js';
import { createDevServers } from './dev-servers.js';
import { createLanguageServer } from './language-server.js';

/** Called by VS Code. Runs nothing of a workspace before the user trusts it. */
export async function activate(context: ExtensionContext): Promise<void> {
  if (workspace.isTrusted) return start(context);
  context.subscriptions.push(workspace.onDidGrantWorkspaceTrust(() => start(context)));
}

async function start({ subscriptions }: ExtensionContext): Promise<void> {
  const log = window.createOutputChannel('IML');
  const server = createLanguageServer(log);
  const dev = createDevServers();
  subscriptions.push(
    log,
    server,
    dev,
    showTests(),
    commands.registerCommand('iml.restartServer', server.restart),
    commands.registerCommand('iml.openDev', (file?: Uri) =>
      dev.open(file ?? window.activeTextEditor?.document.uri),
    ),
    workspace.onDidChangeConfiguration((event) =>
      event.affectsConfiguration('iml.path') ? server.restart() : undefined,
    ),
  );
  await server.restart();
}

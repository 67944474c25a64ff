import type { ChildProcess } from 'node:child_process';
import { type Disposable, env, Uri, window } from 'vscode';
import type { CommandLine } from './find-iml.js';
import { findAppOf, findCommand, listApps, readOutput, showPath, start } from './workspace.js';

/** The processes of `iml dev`, one per app. */
export interface DevServers extends Disposable {
  /** Opens the page of the app of a file in the browser. Asks for the app if the file belongs to none. */
  readonly open: (file: Uri | undefined) => Promise<void>;
}

export function createDevServers(): DevServers {
  const pages = new Map<string, { readonly child: ChildProcess; readonly address: Promise<string> }>();
  const serve = async (app: string): Promise<string | undefined> => {
    const running = pages.get(app);
    if (running !== undefined) return running.address;
    // A free port, so that pages of several apps can be open.
    const command = await findCommand([app], ['dev', '.', '--port', '0']);
    if (command === undefined) return undefined;
    const child = start(command, { cwd: app });
    const address = readAddress(child);
    pages.set(app, { child, address });
    const forget = (): boolean => pages.delete(app);
    child.once('exit', forget).once('error', forget);
    return address.catch((error: Error) => explainFailure(app, command, error.message));
  };
  return {
    open: async (file) => {
      const app = await chooseApp(file);
      const address = app === undefined ? undefined : await serve(app);
      if (address !== undefined) await env.openExternal(Uri.parse(address, true));
    },
    dispose: () => {
      for (const { child } of pages.values()) child.kill();
    },
  };
}

async function chooseApp(file: Uri | undefined): Promise<string | undefined> {
  const apps = await listApps();
  const own = file === undefined ? undefined : findAppOf(file.fsPath, apps);
  if (own !== undefined || apps.length === 1) return own ?? apps[0];
  if (apps.length === 0) {
    void window.showErrorMessage(
      'The workspace contains no makecomapp.json. "iml init app NAME" creates an app.',
    );
    return undefined;
  }
  const items = apps.map((app) => ({ label: showPath(Uri.file(app)), app }));
  return (await window.showQuickPick(items, { placeHolder: 'App to open in iml dev' }))?.app;
}

/** The first line that `iml dev` prints. */
function readAddress(child: ChildProcess): Promise<string> {
  const ended = readOutput(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end).trim());
    });
    void ended.then(({ err }) => reject(new Error(err.trim() || 'iml dev ended without an address.')));
  });
}

/** In a terminal the user can confirm options that `iml dev` asks about. */
async function explainFailure(
  app: string,
  { command, args, shell }: CommandLine,
  message: string,
): Promise<undefined> {
  const actions = shell ? [] : ['Run in Terminal'];
  const chosen = await window.showErrorMessage(message, ...actions);
  if (chosen === undefined) return;
  const terminal = window.createTerminal({
    name: 'iml dev',
    cwd: app,
    shellPath: command,
    shellArgs: [...args],
  });
  terminal.show();
}

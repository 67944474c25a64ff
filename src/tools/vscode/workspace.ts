import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { commands, type Uri, window, workspace } from 'vscode';
import { isBelow } from '../../shared/files.js';
import { type CommandLine, findIml, toCommandLine } from './find-iml.js';

/** Folders of the apps with a manifest, in alphabetical order. */
export async function listApps(): Promise<readonly string[]> {
  const manifests = await workspace.findFiles('**/makecomapp.json', '**/node_modules/**');
  return manifests.map(({ fsPath }) => path.dirname(fsPath)).sort();
}

/** The app of a file: the nearest folder above it. */
export function findAppOf(file: string, apps: readonly string[]): string | undefined {
  const above = apps.filter((app) => isBelow(app, file));
  return above.sort((a, b) => b.length - a.length)[0];
}

/** The path as the explorer shows it. */
export function showPath(file: Uri): string {
  return workspace.asRelativePath(file);
}

/**
 * The command line of `iml` for apps of the workspace. Tells the user what to do if there is no `iml`.
 *
 * @param apps folders of the apps that it is for
 */
export async function findCommand(
  apps: readonly string[],
  args: readonly string[],
): Promise<CommandLine | undefined> {
  const setting = workspace.getConfiguration('iml').get<string>('path', '');
  const file = await findIml({
    apps,
    roots: (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    setting,
    searchPath: process.env['PATH'] ?? '',
    platform: process.platform,
  });
  if (file !== undefined) return toCommandLine(file, args, process.platform);
  void explainMissing(setting);
  return undefined;
}

async function explainMissing(setting: string): Promise<void> {
  const wrong = setting === '' ? '' : ` The setting iml.path names "${setting}", which is not a file.`;
  const chosen = await window.showErrorMessage(
    `The command iml was not found.${wrong} Install it in the project with "npm install --save-dev iml-runtime", or set iml.path. Then run "IML: Restart Language Server".`,
    'Open Settings',
  );
  if (chosen !== undefined) await commands.executeCommand('workbench.action.openSettings', 'iml.path');
}

/** Starts a process without standard input. */
export function start(
  { command, args, shell }: CommandLine,
  options: { readonly cwd: string; readonly signal?: AbortSignal },
): ChildProcess {
  return spawn(command, args, { ...options, shell, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
}

/** Output of a process that has ended. */
export interface Output {
  readonly out: string;
  readonly err: string;
}

/** Waits for the end of a process. A process that did not start or was stopped has the reason in `err`. */
export function readOutput(child: ChildProcess): Promise<Output> {
  const written = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.err += text;
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ...written, err: written.err + error.message }));
    child.once('close', () => resolve(written));
  });
}

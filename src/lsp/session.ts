import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Connection, type Location, type Position, TextDocuments } from 'vscode-languageserver/node.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Finding } from '../check/finding.js';
import type { Subject } from '../check/subject/subject.js';
import { type AppWorkspace, openAppWorkspace } from './app-workspace.js';
import { rangeIn, toDiagnostics } from './protocol.js';
import type { Occurrence } from './symbols/symbol.js';

/** How long an editor may go on typing before the app is checked again. */
const CHECK_DELAY_MS = 150;

/** What the server keeps of one app. */
export interface OpenApp {
  readonly workspace: AppWorkspace;
  timer: NodeJS.Timeout | undefined;
  findings: readonly Finding[];
  /** The version of the workspace they are about. */
  checkedVersion: number;
  /** Files with diagnostics on show, which have to be cleared. */
  shown: Set<string>;
}

/** What a request is about: file, app and place, in the terms of the check. */
export interface Look {
  readonly app: OpenApp;
  readonly subject: Subject;
  readonly document: TextDocument;
  /** Path of the file below the app. */
  readonly name: string;
  readonly offset: number;
}

/** The open files and their apps, from the first message of an editor to the last. */
export interface EditorSession {
  readonly connection: Connection;
  /** A file that is open in the editor. */
  readonly document: (uri: string) => TextDocument | undefined;
  /** The place in the app as it was when it loaded last; it may be behind what is being typed. */
  readonly look: (uri: string, position: Position) => Promise<Look | undefined>;
  /** The place in the app as it is edited now; undefined while the file is no part of an app that loads. */
  readonly lookNow: (uri: string, position: Position) => Promise<Look | undefined>;
  /** Where something is written, in the terms of the protocol. */
  readonly locate: (app: OpenApp, at: Omit<Occurrence, 'isDefinition'>) => Promise<Location>;
}

/** Follows the files an editor has open, and tells what is wrong with their apps. */
export function followEditor(connection: Connection): EditorSession {
  const documents = new TextDocuments(TextDocument);
  const apps = new Map<string, OpenApp>();

  const appOf = async (file: string): Promise<OpenApp | undefined> => {
    const known = [...apps.values()].find(({ workspace }) => file.startsWith(`${workspace.root}${path.sep}`));
    if (known !== undefined) return known;
    const workspace = await openAppWorkspace(file);
    if (workspace === undefined) return undefined;
    const opened = apps.get(workspace.root) ?? {
      workspace,
      timer: undefined,
      findings: [],
      checkedVersion: 0,
      shown: new Set(),
    };
    apps.set(workspace.root, opened);
    return opened;
  };

  const logError = (error: unknown): void => connection.console.error(String(error));

  const schedule = (app: OpenApp): void => {
    clearTimeout(app.timer);
    app.timer = setTimeout(() => {
      publish(connection, documents, app).catch(logError);
    }, CHECK_DELAY_MS);
  };

  const changed = async (uri: string): Promise<void> => {
    const file = toFilePath(uri);
    const app = file === undefined ? undefined : await appOf(file);
    if (app === undefined || file === undefined) return;
    // Of the time it took to find the app the last text counts.
    app.workspace.setText(file, documents.get(uri)?.getText());
    schedule(app);
  };
  documents.onDidChangeContent(({ document }) => void changed(document.uri).catch(logError));
  documents.onDidClose(({ document }) => void changed(document.uri).catch(logError));
  connection.onDidChangeWatchedFiles(() => {
    for (const app of apps.values()) {
      app.workspace.forget();
      schedule(app);
    }
  });
  documents.listen(connection);

  const lookIn = async (
    uri: string,
    position: Position,
    subjectOf: (workspace: AppWorkspace) => Promise<Subject | undefined>,
  ): Promise<Look | undefined> => {
    const file = toFilePath(uri);
    const document = documents.get(uri);
    const app = file === undefined ? undefined : await appOf(file);
    if (file === undefined || document === undefined || app === undefined) return undefined;
    app.workspace.setText(file, document.getText());
    const subject = await subjectOf(app.workspace);
    if (subject === undefined) return undefined;
    return { app, subject, document, name: toAppPath(app, file), offset: document.offsetAt(position) };
  };
  return {
    connection,
    document: (uri) => documents.get(uri),
    look: (uri, position) => lookIn(uri, position, ({ subject }) => subject()),
    lookNow: (uri, position) => lookIn(uri, position, ({ subjectNow }) => subjectNow()),
    locate: async (app, { file, start, end }) => {
      const target = path.join(app.workspace.root, file);
      const text = (await app.workspace.textOf(target)) ?? '';
      const document = TextDocument.create('', '', 0, text);
      return { uri: pathToFileURL(target).href, range: rangeIn(document, { start, end }) };
    },
  };
}

/** The path of a file URI; undefined for other schemes and for URIs without a local path, such as `file://host/a`. */
export function toFilePath(uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    const file = fileURLToPath(uri);
    return file.includes('\0') ? undefined : file;
  } catch {
    return undefined;
  }
}

function toAppPath({ workspace }: OpenApp, file: string): string {
  return path.relative(workspace.root, file).split(path.sep).join('/');
}

/** Checks an app and shows what was found; files without a finding are told of, too. */
async function publish(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  app: OpenApp,
): Promise<void> {
  const { root, textOf, check, version } = app.workspace;
  const checked = version();
  const findings = await check();
  // Of a text that has changed meanwhile another check follows.
  if (checked !== version()) return;
  app.findings = findings;
  app.checkedVersion = checked;
  const byFile = new Map<string, Finding[]>();
  for (const finding of findings) {
    const file = finding.place.file ?? 'makecomapp.json';
    const known = byFile.get(file);
    if (known === undefined) byFile.set(file, [finding]);
    else known.push(finding);
  }
  const open = documents
    .all()
    .flatMap(({ uri }) => toFilePath(uri) ?? [])
    .filter((file) => file.startsWith(`${root}${path.sep}`))
    .map((file) => toAppPath(app, file));
  for (const file of new Set([...app.shown, ...byFile.keys(), ...open])) {
    const target = path.join(root, file);
    const text = (await textOf(target)) ?? '';
    const diagnostics = toDiagnostics(byFile.get(file) ?? [], text);
    await connection.sendDiagnostics({ uri: pathToFileURL(target).href, diagnostics });
  }
  app.shown = new Set(byFile.keys());
}

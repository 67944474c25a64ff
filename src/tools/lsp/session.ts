import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Connection, type Location, type Position, TextDocuments } from 'vscode-languageserver/node.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Finding } from '../check/finding.js';
import type { Subject } from '../check/subject/subject.js';
import { type AppWorkspace, openAppWorkspace } from './app-workspace.js';
import { rangeIn, toDiagnostics } from './protocol.js';
import type { Occurrence } from './symbol.js';

/** Delay between typing and the next check. */
const CHECK_DELAY_MS = 150;

/** State of one app. */
export interface OpenApp {
  readonly workspace: AppWorkspace;
  timer: NodeJS.Timeout | undefined;
  findings: readonly Finding[];
  /** Version of the workspace at the last check. */
  checkedVersion: number;
  /** Files with published diagnostics, to be cleared. */
  shown: Set<string>;
}

/** File, app and location of a request. */
export interface Look {
  readonly app: OpenApp;
  readonly subject: Subject;
  readonly document: TextDocument;
  /** Path relative to the app. */
  readonly name: string;
  readonly offset: number;
}

/** Open files and their apps. */
export interface EditorSession {
  readonly connection: Connection;
  /** A file that is open in the editor. */
  readonly document: (uri: string) => TextDocument | undefined;
  /** The location in the last loaded version of the app, which may be older than the text. */
  readonly look: (uri: string, position: Position) => Promise<Look | undefined>;
  /** The location in the unsaved app; undefined if the file is not part of an app that loads. */
  readonly lookNow: (uri: string, position: Position) => Promise<Look | undefined>;
  /** Converts a location to the protocol. */
  readonly locate: (app: OpenApp, at: Omit<Occurrence, 'isDefinition'>) => Promise<Location>;
}

/** Follows open files and publishes diagnostics of their apps. */
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
    // The text may have changed while the app was searched.
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

/** Checks an app and publishes diagnostics, also empty ones. */
async function publish(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  app: OpenApp,
): Promise<void> {
  const { root, textOf, check, version } = app.workspace;
  const checked = version();
  const findings = await check();
  // A changed text is checked again.
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

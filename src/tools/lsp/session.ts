import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Connection, type Location, type Position, TextDocuments } from 'vscode-languageserver/node.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { App } from '../../engine/document/app.js';
import type { Document } from '../../engine/document/document.js';
import { readDocument } from '../../engine/document/jsonc.js';
import { openAppFolder } from '../../engine/loading/app-folder.js';
import { findApp } from '../../engine/loading/find-app.js';
import { loadApp } from '../../engine/loading/load-app.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isBelow, relativePath } from '../../shared/files.js';
import { checkLoadedApp } from '../check/check-app.js';
import type { Finding } from '../check/finding.js';
import {
  compileFunctions,
  createSubject,
  type FunctionWarning,
  type Subject,
} from '../check/subject/subject.js';
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
    const known = [...apps.values()].find(({ workspace }) => isBelow(workspace.root, file));
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
  return relativePath(workspace.root, file);
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
    .filter((file) => isBelow(root, file))
    .map((file) => toAppPath(app, file));
  for (const file of new Set([...app.shown, ...byFile.keys(), ...open])) {
    const target = path.join(root, file);
    const text = (await textOf(target)) ?? '';
    const diagnostics = toDiagnostics(byFile.get(file) ?? [], text);
    await connection.sendDiagnostics({ uri: pathToFileURL(target).href, diagnostics });
  }
  app.shown = new Set(byFile.keys());
}

/** An app with unsaved files of an editor. */
interface AppWorkspace {
  /** Absolute. */
  readonly root: string;
  /** Sets the text of an open file by absolute path; undefined closes it. */
  readonly setText: (file: string, text: string | undefined) => void;
  /** Incremented with each change of a text. */
  readonly version: () => number;
  /** Forgets cached state after a change on disk. */
  readonly forget: () => void;
  /** The unsaved text of a file, else its text on disk; undefined if it does not exist. */
  readonly textOf: (file: string) => Promise<string | undefined>;
  /** Diagnostics of the unsaved app. */
  readonly check: () => Promise<readonly Finding[]>;
  /** The last version that loaded, without waiting; undefined before the first. */
  readonly subject: () => Promise<Subject | undefined>;
  /** The unsaved app; undefined while it does not load. */
  readonly subjectNow: () => Promise<Subject | undefined>;
  /** The unsaved manifest; undefined if it is missing or invalid. */
  readonly manifest: () => Promise<Document | undefined>;
}

/** Opens the app of a file: the nearest parent folder that contains one; undefined without one. */
async function openAppWorkspace(file: string): Promise<AppWorkspace | undefined> {
  const root = await findRoot(path.dirname(file));
  return root === undefined ? undefined : createAppWorkspace(root);
}

async function findRoot(from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = await findApp(folder).catch(() => undefined);
    // An app in another subfolder is not the one of this file.
    if (found !== undefined && isBelow(found.folder, from)) return found.folder;
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** An app in a known folder, loaded once per version of its texts. */
function createAppWorkspace(root: string): AppWorkspace {
  const overlay = new Map<string, string>();
  let version = 0;
  let subject: Subject | undefined;
  let loading: { readonly version: number; readonly done: Promise<Subject | EngineError> } | undefined;
  const compile = compileOnce();
  const loadFrom = async (texts: ReadonlyMap<string, string>): Promise<Subject | EngineError> => {
    try {
      subject = createSubject(await loadApp(root, { overlay: texts }));
      return subject;
    } catch (error) {
      if (error instanceof EngineError) return error;
      throw error;
    }
  };
  const load = (): Promise<Subject | EngineError> => {
    if (loading?.version !== version) loading = { version, done: loadFrom(new Map(overlay)) };
    return loading.done;
  };
  const loadedApp = async (): Promise<App> => {
    const loaded = await load();
    if (loaded instanceof EngineError) throw loaded;
    return loaded.app;
  };
  const textOf = async (file: string): Promise<string | undefined> =>
    overlay.get(file) ?? readSaved(root, file);
  return {
    root,
    version: () => version,
    setText: (file, text) => {
      if (overlay.get(file) === text) return;
      version++;
      if (text === undefined) overlay.delete(file);
      else overlay.set(file, text);
    },
    forget: () => {
      version++;
    },
    textOf,
    check: async () =>
      (await checkLoadedApp(root, loadedApp, { overlay: new Map(overlay), compile })).findings,
    subject: async () => {
      if (subject !== undefined) return subject;
      await load();
      // If the unsaved app never loaded, the files on disk are better than nothing.
      if (subject === undefined) await loadFrom(new Map());
      return subject;
    },
    subjectNow: async () => {
      const loaded = await load();
      return loaded instanceof EngineError ? undefined : loaded;
    },
    manifest: async () => {
      const text = await textOf(path.join(root, MANIFEST));
      try {
        return text === undefined ? undefined : readDocument(text, MANIFEST);
      } catch {
        return undefined;
      }
    },
  };
}

/** As in loading and the check: no pipes, no links out of the folder. */
async function readSaved(root: string, file: string): Promise<string | undefined> {
  const folder = isBelow(root, file) ? root : path.dirname(file);
  try {
    return await openAppFolder(folder).read(path.relative(folder, file), () => ({ file }));
  } catch {
    return undefined;
  }
}

/** Custom functions are compiled only when their code changes. */
function compileOnce(): (app: App) => Promise<readonly FunctionWarning[]> {
  let known: { readonly key: string; readonly warnings: Promise<readonly FunctionWarning[]> } | undefined;
  return (app) => {
    const key = JSON.stringify([...app.functions.values()].map(({ name, code, file }) => [name, code, file]));
    if (known?.key !== key) known = { key, warnings: compileFunctions(app) };
    return known.warnings;
  };
}

import path from 'node:path';
import type { App } from '../../engine/document/app.js';
import type { Document } from '../../engine/document/document.js';
import { readDocument } from '../../engine/document/jsonc.js';
import { openAppFolder } from '../../engine/loading/app-folder.js';
import { findApp } from '../../engine/loading/find-app.js';
import { loadApp } from '../../engine/loading/load-app.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isBelow } from '../../shared/file-name.js';
import { checkLoadedApp } from '../check/check-app.js';
import type { Finding } from '../check/finding.js';
import {
  compileFunctions,
  createSubject,
  type FunctionWarning,
  type Subject,
} from '../check/subject/subject.js';

/** An app with unsaved files of an editor. */
export interface AppWorkspace {
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
export async function openAppWorkspace(file: string): Promise<AppWorkspace | undefined> {
  const root = await findRoot(path.dirname(file));
  return root === undefined ? undefined : createAppWorkspace(root);
}

async function findRoot(from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = await findApp(folder).catch(() => undefined);
    // An app in another subfolder is not the one of this file.
    if (found !== undefined && (from === found.folder || from.startsWith(`${found.folder}${path.sep}`))) {
      return found.folder;
    }
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

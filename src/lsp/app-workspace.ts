import path from 'node:path';
import { openAppFolder } from '../app/loading/app-folder.js';
import { findApp } from '../app/loading/find-app.js';
import { loadApp } from '../app/loading/load-app.js';
import { MANIFEST } from '../app/loading/read-manifest.js';
import { checkLoadedApp } from '../check/check-folder.js';
import type { Finding } from '../check/finding.js';
import { compileFunctions } from '../check/subject/compile-functions.js';
import { createSubject, type FunctionWarning, type Subject } from '../check/subject/subject.js';
import type { App } from '../document/app.js';
import type { Document } from '../document/reading/document.js';
import { readDocument } from '../document/reading/jsonc.js';
import { EngineError } from '../errors/engine-error.js';
import { isBelow } from '../util/files/file-name.js';

/** An app that is being edited: what lies on disk, with what editors hold laid over it. */
export interface AppWorkspace {
  /** Absolute. */
  readonly root: string;
  /** Text of an open file by absolute path; undefined once it is closed. */
  readonly setText: (file: string, text: string | undefined) => void;
  /** Grows with each change of a text. */
  readonly version: () => number;
  /** Something has changed on disk. */
  readonly forget: () => void;
  /** The text of a file as it is edited, else as it lies on disk; undefined where there is none. */
  readonly textOf: (file: string) => Promise<string | undefined>;
  /** What is wrong with the app as it is edited. */
  readonly check: () => Promise<readonly Finding[]>;
  /** The app as it was when it loaded last, without waiting for what is being typed; undefined before that. */
  readonly subject: () => Promise<Subject | undefined>;
  /** The app as it is edited now; undefined while it does not load. */
  readonly subjectNow: () => Promise<Subject | undefined>;
  /** The manifest as it is edited; undefined where there is none, or it is no JSON. */
  readonly manifest: () => Promise<Document | undefined>;
}

/** Opens the app a file belongs to: the nearest folder above it that holds one; undefined where there is none. */
export async function openAppWorkspace(file: string): Promise<AppWorkspace | undefined> {
  const root = await findRoot(path.dirname(file));
  return root === undefined ? undefined : createAppWorkspace(root);
}

async function findRoot(from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = await findApp(folder).catch(() => undefined);
    // An app far below, found from a folder above it, is not the one this file belongs to.
    if (found !== undefined && (from === found.folder || from.startsWith(`${found.folder}${path.sep}`))) {
      return found.folder;
    }
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** An app in a known folder. It is loaded once for each state of its texts. */
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
      // Of a file that was half written from the start, what lies on disk tells more than nothing.
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

/** As loading and the check read it: a pipe is not waited for, and a link leads nowhere else. */
async function readSaved(root: string, file: string): Promise<string | undefined> {
  const folder = isBelow(root, file) ? root : path.dirname(file);
  try {
    return await openAppFolder(folder).read(path.relative(folder, file), () => ({ file }));
  } catch {
    return undefined;
  }
}

/** Custom functions are compiled when their code has changed, not with every key. */
function compileOnce(): (app: App) => Promise<readonly FunctionWarning[]> {
  let known: { readonly key: string; readonly warnings: Promise<readonly FunctionWarning[]> } | undefined;
  return (app) => {
    const key = JSON.stringify([...app.functions.values()].map(({ name, code, file }) => [name, code, file]));
    if (known?.key !== key) known = { key, warnings: compileFunctions(app) };
    return known.warnings;
  };
}

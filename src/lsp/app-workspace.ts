import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findApp } from '../app/loading/find-app.js';
import { loadApp } from '../app/loading/load-app.js';
import { type CheckReport, checkLoadedApp } from '../check/check-folder.js';
import { createSubject, type Subject } from '../check/subject/subject.js';
import type { App } from '../document/app.js';
import type { Document } from '../document/reading/document.js';
import { readDocument } from '../document/reading/jsonc.js';

const MANIFEST = 'makecomapp.json';

/** An app that is being edited: what lies on disk, with what editors hold laid over it. */
export interface AppWorkspace {
  /** Absolute. */
  readonly root: string;
  /** Text of an open file by absolute path; undefined once it is closed. */
  readonly setText: (file: string, text: string | undefined) => void;
  /** The text of a file as it is edited, else as it lies on disk; undefined where there is none. */
  readonly readText: (file: string) => Promise<string | undefined>;
  /** Loads and checks the app as it is edited. The subject stays that of the last app that loaded. */
  readonly refresh: () => Promise<CheckReport>;
  /** The app as it was when it loaded last; undefined before that. */
  readonly subject: () => Promise<Subject | undefined>;
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

/** An app in a known folder. */
function createAppWorkspace(root: string): AppWorkspace {
  const overlay = new Map<string, string>();
  let subject: Subject | undefined;
  let loaded: Promise<unknown> | undefined;
  const keep = (app: App): void => {
    subject = createSubject(app);
  };
  const load = async (): Promise<CheckReport> => {
    const report = await checkLoadedApp(root, () => loadApp(root, { overlay }), keep);
    // Of a file that was half written from the start, what lies on disk tells more than nothing.
    if (subject === undefined) await loadApp(root).then(keep, () => {});
    return report;
  };
  const readText = async (file: string): Promise<string | undefined> =>
    overlay.get(file) ?? readFile(file, 'utf8').catch(() => undefined);
  return {
    root,
    setText: (file, text) => {
      if (text === undefined) overlay.delete(file);
      else overlay.set(file, text);
    },
    readText,
    refresh: () => {
      const refreshed = load();
      loaded = refreshed.catch(() => undefined);
      return refreshed;
    },
    subject: async () => {
      loaded ??= load().catch(() => undefined);
      await loaded;
      return subject;
    },
    manifest: async () => {
      const text = await readText(path.join(root, MANIFEST));
      try {
        return text === undefined ? undefined : readDocument(text, MANIFEST);
      } catch {
        return undefined;
      }
    },
  };
}

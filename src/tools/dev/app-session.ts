import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { App } from '../../engine/document/app.js';
import { listFiles } from '../../engine/loading/app-folder.js';
import { loadApp } from '../../engine/loading/load-app.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isBelow } from '../../shared/files.js';
import { checkLoadedApp } from '../check/check-app.js';
import type { Finding } from '../check/finding.js';

/** The last loaded version of the app. */
export interface AppReading {
  /** Starts at 1. */
  readonly revision: number;
  /** The last version that loaded. */
  readonly app: App;
  readonly findings: readonly Finding[];
  /** Why the current files do not load. */
  readonly problem: EngineError | undefined;
}

/** Follows the files of an app. */
export interface AppSession {
  readonly root: string;
  readonly current: () => AppReading;
  /** Checks the files now and reloads the app if one has changed. */
  readonly look: () => Promise<AppReading>;
  readonly close: () => void;
}

/** Listeners for saved files. Paths are absolute. */
export interface SessionWatcher {
  /** Folders of cases, in or beside the app. */
  readonly testFolders: readonly string[];
  /** Called after the app was reloaded. */
  readonly onChange: (now: AppReading, changed: readonly string[]) => void;
  /** Called after `onChange` if files of the app or its tests were saved. */
  readonly onTests: (changed: readonly string[]) => void;
}

/** Minimum interval between two checks of the folder. */
const LOOK_EVERY_MS = 400;
const SHARE_OF_TIME = 10;

/**
 * Loads the app of a folder and reloads it when a file changes. Polls, which works on every file system and reports
 * each change once.
 *
 * @param watcher listeners for saved files
 * @throws SpecError if no app loads
 */
export async function openSession(
  root: string,
  { testFolders, onChange, onTests }: SessionWatcher,
): Promise<AppSession> {
  let reading = await readApp(root, undefined);
  const places = [root, ...testFolders.filter((folder) => !isBelow(root, folder))];
  let signature = await readSignature(places);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const reload = async (changed: readonly string[]): Promise<void> => {
    reading = await readApp(root, reading);
    onChange(reading, changed);
  };
  let looking: Promise<void> = Promise.resolve();
  const lookOnce = async (): Promise<void> => {
    const now = await readSignature(places);
    const changed = listChanges(signature, now);
    if (changed.length === 0 || isClosed) return;
    signature = now;
    const isTest = (file: string): boolean => testFolders.some((folder) => isBelow(folder, file));
    // Cases are not part of the app.
    if (!changed.every(isTest)) await reload(changed);
    if (!isClosed) onTests(changed);
  };
  /** One after the other, so that no change is read twice. */
  const look = (): Promise<void> => {
    looking = looking.catch(() => {}).then(lookOnce);
    return looking;
  };
  const keepLooking = async (): Promise<void> => {
    const startedAt = performance.now();
    await look().catch(() => {});
    const tookMs = performance.now() - startedAt;
    if (isClosed) return;
    timer = setTimeout(() => void keepLooking(), Math.max(LOOK_EVERY_MS, SHARE_OF_TIME * tookMs));
    timer.unref();
  };
  timer = setTimeout(() => void keepLooking(), LOOK_EVERY_MS);
  timer.unref();
  return {
    root,
    current: () => reading,
    look: async () => {
      await look();
      return reading;
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

async function readApp(root: string, before: AppReading | undefined): Promise<AppReading> {
  const revision = (before?.revision ?? 0) + 1;
  let problem: EngineError | undefined;
  let app: App | undefined;
  const load = async (): Promise<App> => {
    try {
      app = await loadApp(root);
      return app;
    } catch (error) {
      if (error instanceof EngineError) problem = error;
      throw error;
    }
  };
  // Invalid settings of the check are a diagnostic and do not prevent runs.
  const { findings } = await checkLoadedApp(root, load);
  app ??= before?.app ?? (await loadApp(root));
  return { revision, app, findings, problem };
}

type Signature = ReadonlyMap<string, string>;

/** Sizes and times of all files by absolute path. */
async function readSignature(places: readonly string[]): Promise<Signature> {
  const signature = new Map<string, string>();
  for (const place of places) {
    const files = listFiles(place).filter(({ isFolder }) => !isFolder);
    await Promise.all(
      files.map(async ({ path: name }) => {
        const file = path.join(place, name);
        // Editors replace files: a listed file can be gone.
        const found = await stat(file).catch(() => undefined);
        if (found !== undefined) signature.set(file, `${found.mtimeMs} ${found.size}`);
      }),
    );
  }
  return signature;
}

/** New, removed and changed files. */
function listChanges(before: Signature, now: Signature): readonly string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name));
}

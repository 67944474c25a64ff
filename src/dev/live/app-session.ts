import { stat } from 'node:fs/promises';
import path from 'node:path';
import { listFiles } from '../../app/loading/list-files.js';
import { loadApp } from '../../app/loading/load-app.js';
import { checkLoadedApp } from '../../check/check-folder.js';
import type { Finding } from '../../check/finding.js';
import type { App } from '../../document/app.js';
import { EngineError } from '../../errors/engine-error.js';

/** The app of a folder as it was read last. */
export interface AppReading {
  /** Counts from 1. */
  readonly revision: number;
  /** As it was when it loaded last. */
  readonly app: App;
  readonly findings: readonly Finding[];
  /** Why it does not load now. */
  readonly problem: EngineError | undefined;
}

/** Keeps up with the files of an app. */
export interface AppSession {
  readonly root: string;
  readonly current: () => AppReading;
  /** Looks at the files now, and reads the folder again where one has changed. */
  readonly look: () => Promise<AppReading>;
  readonly close: () => void;
}

/** Between two looks at the folder, or longer where a look takes long. */
const LOOK_EVERY_MS = 400;
const SHARE_OF_TIME = 10;

/**
 * Loads the app in a folder, and again whenever a file of it changes. Files are looked at, not watched: that works on
 * every file system, and sees each change once.
 *
 * @param onChange is called after the app was read anew
 * @throws SpecError where there is no app that loads
 */
export async function openSession(
  root: string,
  onChange: (now: AppReading, before: AppReading) => void,
): Promise<AppSession> {
  let reading = await readApp(root, undefined);
  let signature = await readSignature(root);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const reload = async (): Promise<void> => {
    const before = reading;
    reading = await readApp(root, before);
    onChange(reading, before);
  };
  let looking: Promise<void> = Promise.resolve();
  const lookOnce = async (): Promise<void> => {
    const now = await readSignature(root);
    if (now === undefined || now === signature || isClosed) return;
    signature = now;
    await reload();
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
  // Settings of the check that cannot be read are a finding, and keep nobody from running the app.
  const { findings } = await checkLoadedApp(root, load);
  app ??= before?.app ?? (await loadApp(root));
  return { revision, app, findings, problem };
}

/** Names, sizes and times of all files; undefined while the folder cannot be read. */
async function readSignature(root: string): Promise<string | undefined> {
  try {
    const files = await listFiles(root);
    const lines = await Promise.all(
      files.map(async ({ path: name }) => {
        const { mtimeMs, size } = await stat(path.join(root, name));
        return `${name} ${mtimeMs} ${size}`;
      }),
    );
    return lines.sort().join('\n');
  } catch {
    return undefined;
  }
}

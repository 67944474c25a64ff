import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findApp } from '../app/loading/find-app.js';
import { loadApp } from '../app/loading/load-app.js';
import type { App } from '../document/app.js';
import { EngineError } from '../errors/engine-error.js';
import type { Place } from '../errors/place.js';
import { didYouMean } from '../util/suggest.js';
import { checkApp, compareFindings } from './check-app.js';
import type { Finding } from './finding.js';
import { LOAD_ERROR, RULES } from './rules.js';
import { DEFAULT_CHECK_SETTINGS } from './settings/check-settings.js';
import { isIgnored, readIgnoreComments } from './settings/ignore-comments.js';
import { type CheckConfig, CONFIG_FILE, readCheckConfig } from './settings/read-config.js';
import { listDocuments } from './subject/checked-document.js';

/** What the check of a folder gave. */
export interface CheckReport {
  /** Absolute; the files of findings are relative to it. */
  readonly root: string;
  /** Name of the app; undefined where it does not load. */
  readonly app: string | undefined;
  /** By file and place. */
  readonly findings: readonly Finding[];
  /** How many findings comments and settings hid. */
  readonly ignored: number;
}

/**
 * Checks the app in a folder, with the settings of its `iml.config.json` and the comments in its files. An app that
 * does not load is one finding (`cannot-load`), by the error that loading it raised.
 *
 * @throws SpecError SPEC_MISSING where no app is there, SPEC_JSON and SPEC_INVALID for settings that cannot be used
 * @example
 * const { findings } = await checkFolder('./my-app');
 */
export async function checkFolder(folder: string): Promise<CheckReport> {
  const { folder: root } = await findApp(folder);
  return checkLoadedApp(root, () => loadApp(root));
}

/**
 * The same for whoever loads the app himself, as an editor does with files that are not saved.
 *
 * @param onLoad is handed the app before it is checked, if it loads
 */
export async function checkLoadedApp(
  root: string,
  load: () => Promise<App>,
  onLoad: (app: App) => void = () => {},
): Promise<CheckReport> {
  const config = await findConfig(root);
  const app = await load().catch((error: unknown) => {
    if (error instanceof EngineError) return error;
    throw error;
  });
  if (app instanceof EngineError) {
    return { root, app: undefined, findings: [toFinding(app)], ignored: 0 };
  }
  onLoad(app);
  const findings = await checkApp(app, config ?? DEFAULT_CHECK_SETTINGS);
  return { root, app: app.name, ...hideIgnored(app, findings, config?.ignore ?? []) };
}

function toFinding(error: EngineError): Finding {
  return { rule: LOAD_ERROR, level: 'error', message: error.message, place: placeOfError(error) };
}

function placeOfError(error: EngineError): Place {
  return 'place' in error && typeof error.place === 'object' && error.place !== null
    ? (error.place as Place)
    : {};
}

/** The settings beside the manifest, else those of the nearest folder above up to the repository's root. */
async function findConfig(root: string): Promise<CheckConfig | undefined> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const file = path.join(folder, CONFIG_FILE);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return readCheckConfig(text, path.relative(root, file) || CONFIG_FILE);
    const isTop = await readFile(path.join(folder, '.git', 'HEAD')).then(
      () => true,
      () => path.dirname(folder) === folder,
    );
    if (isTop) return undefined;
  }
}

function hideIgnored(
  app: App,
  findings: readonly Finding[],
  folders: readonly string[],
): Pick<CheckReport, 'findings' | 'ignored'> {
  const comments = new Map<string, ReturnType<typeof readIgnoreComments>>();
  for (const { document } of listDocuments(app)) {
    if (document.file !== undefined && document.text !== undefined) {
      comments.set(document.file, readIgnoreComments(document.text));
    }
  }
  const isBelow = (file: string): boolean =>
    folders.some((folder) => file === folder || file.startsWith(`${folder.replace(/\/$/, '')}/`));
  const shown = findings.filter((finding) => {
    const file = finding.place.file ?? '';
    return !isBelow(file) && !isIgnored(finding, comments.get(file)?.lines);
  });
  const unknown = [...comments].flatMap(([file, found]) =>
    found.unknown.map(({ id, line, column }) => unknownIgnore(id, { file, line, column })),
  );
  return {
    findings: [...shown, ...unknown].sort(compareFindings),
    ignored: findings.length - shown.length,
  };
}

/** Id of the finding on a comment that switches off what does not exist. */
const UNKNOWN_IGNORE = 'unknown-rule';

function unknownIgnore(id: string, place: Place): Finding {
  const ids = RULES.map((rule) => rule.id);
  return {
    rule: UNKNOWN_IGNORE,
    level: 'error',
    message: `There is no rule "${id}".${didYouMean(id, ids)}`,
    place,
  };
}

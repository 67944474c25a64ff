import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findApp } from '../app/loading/find-app.js';
import { loadApp } from '../app/loading/load-app.js';
import type { App } from '../document/app.js';
import { EngineError } from '../errors/engine-error.js';
import type { Place } from '../errors/place.js';
import { didYouMean } from '../util/suggest.js';
import { checkSubject, compareFindings } from './check-app.js';
import type { Finding } from './finding.js';
import { LOAD_ERROR, RULES, SETTINGS_ERROR } from './rules.js';
import { DEFAULT_CHECK_SETTINGS } from './settings/check-settings.js';
import { isIgnored, readIgnoreComments } from './settings/ignore-comments.js';
import { type CheckConfig, CONFIG_FILE, readCheckConfig } from './settings/read-config.js';
import { listDocuments } from './subject/checked-document.js';
import { compileFunctions } from './subject/compile-functions.js';
import { findScenarioFiles } from './subject/scenario-files.js';
import { createSubject, type FunctionWarning } from './subject/subject.js';

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
 * does not load is one finding (`cannot-load`), by the error that loading it raised, and nothing is looked at by settings
 * that cannot be used (`unusable-settings`).
 *
 * @throws SpecError SPEC_MISSING where no app is there
 * @example
 * const { findings } = await checkFolder('./my-app');
 */
export async function checkFolder(folder: string): Promise<CheckReport> {
  const { folder: root } = await findApp(folder);
  return checkLoadedApp(root, () => loadApp(root));
}

/** What an editor brings along to a check. */
export interface CheckSources {
  /** The text of a file by its absolute path; undefined where there is none. Default: as it lies on disk. */
  readonly textOf?: (file: string) => Promise<string | undefined>;
  /** Compiles the custom functions. Default: anew with each check. */
  readonly compile?: (app: App) => Promise<readonly FunctionWarning[]>;
}

/** The same for whoever loads the app himself, as an editor does with files that are not saved. */
export async function checkLoadedApp(
  root: string,
  load: () => Promise<App>,
  { textOf = readText, compile = compileFunctions }: CheckSources = {},
): Promise<CheckReport> {
  const app = await orError(load());
  const config = await orError(findConfig(root, textOf));
  const scenarios =
    config instanceof EngineError ? [] : await orError(findScenarioFiles(root, config?.scenarios, textOf));
  if (app instanceof EngineError || config instanceof EngineError || scenarios instanceof EngineError) {
    const refused = [
      ...(app instanceof EngineError ? [toFinding(LOAD_ERROR, app)] : []),
      ...[config, scenarios].flatMap((one) =>
        one instanceof EngineError ? [toFinding(SETTINGS_ERROR, one)] : [],
      ),
    ];
    return { root, app: app instanceof EngineError ? undefined : app.name, findings: refused, ignored: 0 };
  }
  const found = checkSubject(
    createSubject(app, await compile(app), scenarios),
    config ?? DEFAULT_CHECK_SETTINGS,
  );
  return { root, app: app.name, ...hideIgnored(app, found, config?.ignore ?? []) };
}

/** What a promise gives, or the error of ours it rejects with. */
async function orError<T>(work: Promise<T>): Promise<T | EngineError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function toFinding(rule: string, error: EngineError): Finding {
  return { rule, level: 'error', message: error.message, place: placeOfError(error) };
}

function placeOfError(error: EngineError): Place {
  return 'place' in error && typeof error.place === 'object' && error.place !== null
    ? (error.place as Place)
    : {};
}

/** The settings beside the manifest, else those of the nearest folder above up to the repository's root. */
async function findConfig(
  root: string,
  textOf: NonNullable<CheckSources['textOf']>,
): Promise<CheckConfig | undefined> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const file = path.join(folder, CONFIG_FILE);
    const text = await textOf(file);
    if (text !== undefined) {
      const config = readCheckConfig(text, path.relative(root, file) || CONFIG_FILE);
      return { ...config, scenarios: config.scenarios?.map((one) => path.resolve(folder, one)) };
    }
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

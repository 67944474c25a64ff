import type { App } from '../../engine/document/app.js';
import { readDocument } from '../../engine/document/jsonc.js';
import { openAppFolder } from '../../engine/loading/app-folder.js';
import { findApp } from '../../engine/loading/find-app.js';
import { loadApp } from '../../engine/loading/load-app.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { didYouMean } from '../../shared/suggest.js';
import { compareFindings, createRefusal, type Finding, orError } from './finding.js';
import { withSuggestedFix } from './fixes.js';
import type { Rule } from './rule.js';
import { LOAD_ERROR, RULES, SETTINGS_ERROR } from './rules.js';
import {
  type CheckProfile,
  type CheckSettings,
  CONFIG_FILE,
  DEFAULT_CHECK_SETTINGS,
  findConfig,
  type Overlay,
  optionsOfApp,
  resolveLevel,
} from './settings.js';
import { type CheckedDocument, listDocuments } from './subject/checked-document.js';
import { findScenarioFiles } from './subject/scenario-files.js';
import { compileFunctions, createSubject, type FunctionWarning, type Subject } from './subject/subject.js';
import { listWantedByFiles } from './subject/wanted-by-files.js';

/**
 * Looks an app over: every rule, in the levels of the settings. Nothing is sent and nothing is run; custom functions
 * are compiled in their sandbox.
 *
 * @returns what was found, by file and place; the same thing at the same place once
 * @example
 * const findings = await checkApp(await loadApp('./my-app'));
 * for (const { rule, message, place } of findings) console.log(place.file, place.line, rule, message);
 */
export async function checkApp(
  app: App,
  settings: CheckSettings = DEFAULT_CHECK_SETTINGS,
): Promise<readonly Finding[]> {
  return checkSubject(createSubject(app, { functionWarnings: await compileFunctions(app) }), settings);
}

/** `checkApp` for an existing subject. */
export function checkSubject(subject: Subject, settings: CheckSettings): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const rule of RULES) {
    const level = resolveLevel(settings, rule);
    if (level === 'off') continue;
    rule.check(subject, (found) => {
      const { file = '', line = 0, column = 0, pointer = '' } = found.place;
      // A file of two components is checked twice.
      const key = JSON.stringify([rule.id, file, line, column, line === 0 ? pointer : '', found.message]);
      if (!findings.has(key)) findings.set(key, { ...found, rule: rule.id, level });
    });
  }
  return [...findings.values()].sort(compareFindings);
}

/** Result of checking a folder. */
export interface CheckReport {
  /** Absolute; files of diagnostics are relative to it. */
  readonly root: string;
  /** Name of the app; undefined if it does not load. */
  readonly app: string | undefined;
  /** By file and location. */
  readonly findings: readonly Finding[];
  /** Number of diagnostics that comments and settings suppress. */
  readonly ignored: number;
  /** The checked app and its components; absent if the app does not load. */
  readonly checked?: {
    readonly app: App;
    /** The rules that were applied. */
    readonly rules: readonly Rule[];
    readonly profile: CheckProfile;
  };
}

/**
 * Checks the app in a folder, with the settings of its `iml.config.json` and the comments in its files. An app that
 * does not load is one finding (`cannot-load`), by the error that loading it raised, and nothing is looked at by settings
 * that cannot be used (`unusable-settings`).
 *
 * @param profile rules to apply. Default: those of `iml.config.json`
 * @throws SpecError SPEC_MISSING where no app is there
 * @example
 * const { findings } = await checkFolder('./my-app');
 */
export async function checkFolder(folder: string, profile?: CheckProfile): Promise<CheckReport> {
  const { folder: root } = await findApp(folder);
  return checkLoadedApp(root, () => loadApp(root), { profile });
}

/** Input of an editor. */
export interface CheckSources {
  /** Unsaved files; others are read from disk. */
  readonly overlay?: Overlay;
  /** Compiles the custom functions. Default: on each check. */
  readonly compile?: (app: App) => Promise<readonly FunctionWarning[]>;
  /** Rules to apply. Default: those of `iml.config.json`. */
  readonly profile?: CheckProfile | undefined;
}

/** `checkFolder` for a caller that loads the app itself, such as an editor with unsaved files. */
export async function checkLoadedApp(
  root: string,
  load: () => Promise<App>,
  { overlay, compile = compileFunctions, profile }: CheckSources = {},
): Promise<CheckReport> {
  const app = await orError(load());
  const config = await orError(findConfig(root, overlay));
  const scenarios =
    config instanceof EngineError ? [] : await orError(findScenarioFiles(root, config, overlay));
  if (app instanceof EngineError || config instanceof EngineError || scenarios instanceof EngineError) {
    const refused = [
      ...(app instanceof EngineError ? refuseLoading(app, config instanceof EngineError) : []),
      ...[config, scenarios].flatMap((one) =>
        one instanceof EngineError ? [createRefusal(SETTINGS_ERROR, one)] : [],
      ),
    ];
    return { root, app: app instanceof EngineError ? undefined : app.name, findings: refused, ignored: 0 };
  }
  const manifest = await openAppFolder(root, { overlay })
    .read(MANIFEST, () => ({ file: MANIFEST }))
    .catch(() => undefined);
  const wanted = listWantedByFiles(manifest === undefined ? undefined : readDocument(manifest, MANIFEST), {
    values: config === undefined ? new Map() : optionsOfApp(config, root),
    place: config?.options?.place ?? config?.apps[0]?.place ?? { file: CONFIG_FILE },
  });
  const settings = { ...(config ?? DEFAULT_CHECK_SETTINGS), ...(profile !== undefined && { profile }) };
  const found = checkSubject(
    createSubject(app, { functionWarnings: await compile(app), scenarios, wanted }),
    settings,
  );
  const documents = listDocuments(app);
  const { findings, ignored } = hideIgnored(documents, found, config?.ignore ?? []);
  const texts = new Map(documents.map(({ document }) => [document.file, document.text]));
  texts.set(MANIFEST, manifest?.replace(/^\uFEFF/, ''));
  return {
    root,
    app: app.name,
    findings: findings.map((finding) => withSuggestedFix(finding, texts.get(finding.place.file) ?? '')),
    ignored,
    checked: {
      app,
      rules: RULES.filter((rule) => resolveLevel(settings, rule) !== 'off'),
      profile: settings.profile ?? 'default',
    },
  };
}

/** Loading also reads `iml.config.json`; its errors are reported once. */
function refuseLoading(error: EngineError, hasSettingsError: boolean): readonly Finding[] {
  const isOfSettings = createRefusal(LOAD_ERROR, error).place.file === CONFIG_FILE;
  if (isOfSettings && hasSettingsError) return [];
  return [createRefusal(isOfSettings ? SETTINGS_ERROR : LOAD_ERROR, error)];
}

/** Diagnostics that are not suppressed, and the number of suppressed ones. */
export interface ShownFindings {
  /** By file and location. */
  readonly findings: readonly Finding[];
  readonly ignored: number;
}

/**
 * Removes diagnostics that comments and settings suppress, and reports comments with unknown rules.
 *
 * @param folders ignored folders, with `/`
 */
export function hideIgnored(
  documents: readonly CheckedDocument[],
  findings: readonly Finding[],
  folders: readonly string[],
): ShownFindings {
  const comments = new Map<string, ReturnType<typeof readIgnoreComments>>();
  for (const { document } of documents) {
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

/** ID of the diagnostic for a comment with an unknown rule. */
const UNKNOWN_IGNORE = 'unknown-rule';

function unknownIgnore(id: string, place: SourceLocation): Finding {
  const ids = RULES.map((rule) => rule.id);
  return {
    rule: UNKNOWN_IGNORE,
    level: 'error',
    message: `There is no rule "${id}".${didYouMean(id, ids)}`,
    place,
  };
}

/** Suppressed rule IDs by line. */
type IgnoredLines = ReadonlyMap<number, ReadonlySet<string>>;

/** A comment with an unknown rule. */
interface UnknownIgnore {
  readonly line: number;
  readonly column: number;
  readonly id: string;
}

const COMMENT = /\/\/\s*iml-ignore\s+([^\r\n]*)/g;

/**
 * Parses `// iml-ignore rule-id, other-id: why` comments. A trailing comment applies to its line, another one to the
 * next line.
 */
function readIgnoreComments(text: string): {
  readonly lines: IgnoredLines;
  readonly unknown: readonly UnknownIgnore[];
} {
  const lines = new Map<number, Set<string>>();
  const unknown: UnknownIgnore[] = [];
  if (!text.includes('iml-ignore')) return { lines, unknown };
  text.split(/\r\n|[\n\r]/).forEach((content, index) => {
    for (const match of content.matchAll(COMMENT)) {
      const isAlone = content.slice(0, match.index).trim() === '';
      const line = index + (isAlone ? 2 : 1);
      const [ids = ''] = (match[1] ?? '').split(':');
      for (const id of ids.split(/[\s,]+/).filter((word) => word !== '')) {
        if (RULES.some((rule) => rule.id === id)) lines.set(line, (lines.get(line) ?? new Set()).add(id));
        else unknown.push({ line: index + 1, column: match.index + 1, id });
      }
    }
  });
  return { lines, unknown };
}

/** Whether a comment suppresses a diagnostic. */
function isIgnored({ rule, place }: Finding, lines: IgnoredLines | undefined): boolean {
  return place.line !== undefined && lines?.get(place.line)?.has(rule) === true;
}

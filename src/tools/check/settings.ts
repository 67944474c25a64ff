import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Document } from '../../engine/document/document.js';
import { described, type KeyShape, type Shape } from '../../engine/document/shape.js';
import { openAppFolder } from '../../engine/loading/app-folder.js';
import { SEMANTICS } from '../../language/environment.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isBelow, relativePath } from '../../shared/files.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import { LEVELS, type Level } from './finding.js';
import { OPTIONS_SHAPE, type ProjectOptions, readProjectOptions } from './project-options.js';
import { readUnquoted } from './read-unquoted.js';
import type { Rule } from './rule.js';
import { RULES } from './rules.js';
import type { ScenarioPath } from './subject/scenario-files.js';

/** Settings of the check. */
export interface CheckSettings {
  /** Level by rule ID; `off` disables the rule. */
  readonly levels: Readonly<Record<string, Level | 'off'>>;
  /** Rules to apply. Default: `default`. */
  readonly profile?: CheckProfile | undefined;
}

/** `default`: errors. `review`: also requirements of the app review. */
export const CHECK_PROFILES = ['default', 'review'] as const;

/** A set of rules. */
export type CheckProfile = (typeof CHECK_PROFILES)[number];

export const DEFAULT_CHECK_SETTINGS: CheckSettings = { levels: {} };

/** The level of a rule. */
export function resolveLevel(
  { levels, profile }: CheckSettings,
  rule: Pick<Rule, 'id' | 'level' | 'review'>,
): Level | 'off' {
  if (rule.review !== undefined && profile !== 'review') return 'off';
  return (Object.hasOwn(levels, rule.id) ? levels[rule.id] : undefined) ?? rule.level;
}

/** Valid levels. */
const LEVEL_WORDS: readonly string[] = [...LEVELS, 'off'];

const RULE_LEVELS: Shape = {
  title: 'levels of rules',
  keys: Object.fromEntries(
    RULES.map(({ id, level, summary }): [string, KeyShape] => [
      id,
      described(`${summary} Default: ${level}.`, { types: ['string'] }, LEVEL_WORDS),
    ]),
  ),
};

const CHECK_SHAPE: Shape = {
  title: 'check',
  keys: {
    rules: described('Levels of rules; `off` switches one off.', { types: ['object'], shape: RULE_LEVELS }),
    profile: described(
      'Rules to apply. `review`: also what the review of an app asks for. Default: default.',
      { types: ['string'] },
      CHECK_PROFILES,
    ),
    ignore: described('Folders of the app whose files are not checked.', { types: ['array'] }),
  },
};

/** Structure of `iml.config.json`. */
export const CONFIG_SHAPE: Shape = {
  title: 'iml.config.json',
  keys: {
    $schema: described('Address of the schema of this file.', { types: ['string'] }),
    check: described('Settings of `iml check`.', { types: ['object'], shape: CHECK_SHAPE }),
    scenarios: described(
      'Files of scenarios that `iml check` looks at, in the folder of this file or below it. Default: `scenarios.json` beside the manifest, if it is there.',
      { types: ['string', 'array'] },
    ),
    semantics: described(
      "Which counts where Make's runtime and its documentation differ. Default: runtime. Read beside the manifest.",
      { types: ['string'] },
      SEMANTICS,
    ),
    test: described('Settings of `iml test`.', { types: ['object'] }),
    options: described('Options of the command, by their long names. docs/command.md lists them.', {
      types: ['object'],
      shape: OPTIONS_SHAPE,
    }),
    apps: described('Options by folder of an app. They have precedence over `options`.', {
      types: ['object'],
    }),
  },
};

/** Valid members of the root, of `check`, and of `check.rules`. */
const CONFIG_KEYS: Readonly<Record<'root' | 'check' | 'rules', readonly string[]>> = {
  root: Object.keys(CONFIG_SHAPE.keys),
  check: Object.keys(CHECK_SHAPE.keys),
  rules: Object.keys(RULE_LEVELS.keys),
};

/** Contents of unsaved files by absolute path. */
export type Overlay = ReadonlyMap<string, string>;

/** Settings with their absolute folder; files they name must be in it. */
export interface FoundConfig extends CheckConfig {
  readonly folder: string;
}

/**
 * Finds `iml.config.json` beside the manifest, else in the nearest parent folder up to the root of the repository.
 *
 * @throws SpecError SPEC_JSON, SPEC_INVALID; SPEC_READ for a link out of the folder, for a path that is not a file,
 * and for a large file
 */
export async function findConfig(root: string, overlay?: Overlay): Promise<FoundConfig | undefined> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const file = relativePath(root, path.join(folder, CONFIG_FILE));
    const text = await readBeside(folder, file, overlay);
    if (text !== undefined) {
      const config = readCheckConfig(text, file, folder);
      await assertOptionsCount(config, root, folder);
      return { ...config, folder };
    }
    if (await isTop(folder)) return undefined;
  }
}

/**
 * Options decide where credentials are sent. A file above the app therefore counts only in the repository of the app: in a
 * shared folder, anyone may have written it.
 *
 * @throws SpecError SPEC_INVALID, also for options of a folder that does not exist
 */
async function assertOptionsCount(
  { options, apps }: CheckConfig,
  root: string,
  folder: string,
): Promise<void> {
  for (const { folder: target, place } of apps) {
    const isFolder = await stat(target).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw new SpecError('SPEC_INVALID', 'There is no such folder.', { place });
  }
  const place = options?.place ?? apps[0]?.place;
  if (place === undefined || folder === root) return;
  for (let above = folder; ; above = path.dirname(above)) {
    if (existsSync(path.join(above, '.git'))) return;
    if (above === path.dirname(above)) break;
  }
  const message =
    'Outside of a repository, options count only in the folder of the manifest. Move them there.';
  throw new SpecError('SPEC_INVALID', message, { place });
}

async function readBeside(
  folder: string,
  file: string,
  overlay: Overlay | undefined,
): Promise<string | undefined> {
  const outside = 'leads out of its folder by a link: expected the settings themselves';
  return openAppFolder(folder, { overlay, outside }).read(CONFIG_FILE, () => ({ file }));
}

async function isTop(folder: string): Promise<boolean> {
  const isRepository = await stat(path.join(folder, '.git', 'HEAD')).then(
    () => true,
    () => false,
  );
  return isRepository || path.dirname(folder) === folder;
}

/** Name of the settings file, beside the manifest or in a parent folder. */
export const CONFIG_FILE = 'iml.config.json';

/** Settings of the check in `iml.config.json`. */
interface CheckConfig extends CheckSettings {
  /** Ignored folders of the app, with `/`. */
  readonly ignore: readonly string[];
  /** Files of scenarios; undefined without the setting. */
  readonly scenarios: readonly ScenarioPath[] | undefined;
  /** Options of the command for all apps below the file. */
  readonly options: FileOptions | undefined;
  /** Options by absolute folder. */
  readonly apps: readonly (FileOptions & { readonly folder: string })[];
}

interface FileOptions {
  readonly options: ProjectOptions;
  readonly place: SourceLocation;
}

/** The options of an app. Those of the nearest folder in `apps` have precedence, lists as a whole. */
export function optionsOfApp(
  { options, apps }: Pick<CheckConfig, 'options' | 'apps'>,
  root: string,
): ProjectOptions {
  const own = apps
    .filter(({ folder }) => isBelow(folder, root))
    .sort((a, b) => a.folder.length - b.folder.length);
  return new Map([...(options?.options ?? []), ...own.flatMap((one) => [...one.options])]);
}

/**
 * Parses the settings: `{ "check": { "rules": { "dead-branch": "off" }, "ignore": ["modules/old"] } }`, JSON with
 * comments.
 *
 * @param file name of the file in messages
 * @throws SpecError SPEC_JSON, or SPEC_INVALID for unknown rule IDs, levels and members
 */
function readCheckConfig(text: string, file: string, folder: string): CheckConfig {
  const document = readUnquoted(text, file);
  const root = readObject(document, document.value, '');
  refuseOthers(document, root, '', CONFIG_KEYS.root);
  const check = readObject(document, root['check'] ?? {}, '/check');
  refuseOthers(document, check, '/check', CONFIG_KEYS.check);
  return {
    levels: readLevels(document, check['rules'] ?? {}),
    profile: readProfile(document, check['profile'] ?? 'default'),
    ignore: readIgnore(document, check['ignore'] ?? []),
    scenarios: readScenarios(document, root['scenarios']),
    options: readFileOptions(document, '/options', root['options'], folder),
    apps: readApps(document, root['apps'], folder),
  };
}

function readFileOptions(
  document: Document,
  pointer: string,
  value: unknown,
  folder: string,
): FileOptions | undefined {
  if (value === undefined) return undefined;
  const options = readProjectOptions(document, { pointer, value, folder });
  return { options, place: document.locationOf(pointer, undefined, 'key') };
}

function readApps(document: Document, value: unknown, folder: string): CheckConfig['apps'] {
  return Object.entries(readObject(document, value ?? {}, '/apps')).flatMap(([name, given]) => {
    const pointer = childPointer('/apps', name);
    const target = path.resolve(folder, name);
    if (path.isAbsolute(name) || !isBelow(folder, target)) {
      throw invalid(
        document,
        pointer,
        'A folder in the folder of this file is expected, such as "apps/crm".',
        'key',
      );
    }
    const read = readFileOptions(document, pointer, given, folder);
    return read === undefined ? [] : [{ ...read, folder: target }];
  });
}

function readLevels(document: Document, value: unknown): CheckSettings['levels'] {
  const rules = readObject(document, value, '/check/rules');
  refuseOthers(document, rules, '/check/rules', CONFIG_KEYS.rules, 'rule');
  const levels: Record<string, Level | 'off'> = {};
  for (const [id, level] of Object.entries(rules)) {
    if (!isLevel(level)) {
      throw invalid(
        document,
        childPointer('/check/rules', id),
        `The level of a rule is one of ${LEVEL_WORDS.join(', ')}.`,
      );
    }
    levels[id] = level;
  }
  return levels;
}

function readProfile(document: Document, value: unknown): CheckProfile {
  const profile = CHECK_PROFILES.find((name) => name === value);
  if (profile !== undefined) return profile;
  throw invalid(document, '/check/profile', `check.profile is one of ${CHECK_PROFILES.join(', ')}.`);
}

function isLevel(value: unknown): value is Level | 'off' {
  return LEVEL_WORDS.some((level) => level === value);
}

function readIgnore(document: Document, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalid(document, '/check/ignore', 'check.ignore is a list of folders.');
}

function readScenarios(document: Document, value: unknown): readonly ScenarioPath[] | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [{ file: value, locate: () => document.locationOf('/scenarios') }];
  if (Array.isArray(value) && value.every((file) => typeof file === 'string')) {
    return value.map((file, index) => ({ file, locate: () => document.locationOf(`/scenarios/${index}`) }));
  }
  throw invalid(document, '/scenarios', 'scenarios is a file, or a list of files.');
}

function readObject(document: Document, value: unknown, pointer: string): Readonly<Record<string, unknown>> {
  if (isPlainObject(value)) return value;
  throw invalid(
    document,
    pointer,
    `${pointer === '' ? 'The file' : pointer.slice(1).replaceAll('/', '.')} is not an object.`,
  );
}

function refuseOthers(
  document: Document,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  known: readonly string[],
  what = 'setting',
): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other === undefined) return;
  const message = `There is no ${what} "${other}".${didYouMean(other, known)}`;
  throw invalid(document, childPointer(pointer, other), message, 'key');
}

function invalid(document: Document, pointer: string, message: string, part?: 'key'): SpecError {
  const place = document.locationOf(pointer, undefined, part);
  return new SpecError('SPEC_INVALID', message, { place });
}

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { findApp } from '../../../engine/loading/find-app.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { SpecError } from '../../../shared/errors/engine-error.js';
import { relativePath } from '../../../shared/files.js';
import type { Finding, Level } from '../../check/finding.js';
import { createSarif, DOCS } from '../../check/reports.js';
import type { Change, ChangedComponent } from '../../life/diff/change.js';
import { compareApps, sortChanges } from '../../life/diff/compare-apps.js';
import { CHANGE_LEVELS, type ChangeLevel, DIFF_RULES } from '../../life/diff/diff-rules.js';
import { withVersionFolder } from '../../life/open-revision.js';
import { withRemoteApp } from '../../life/remote/with-remote-app.js';
import { type Arguments, type Command, EXIT, readVersion, usageError } from '../command.js';
import { ORIGIN_OPTIONS, openOrigin, refusalOf, TOKEN_NOTE } from '../input/make-origin.js';
import { readFormat, readOneOf } from '../input/option-values.js';
import type { Io } from '../io.js';
import { findAppFolder } from '../open-app.js';
import { printPrettyJson } from '../output/json-output.js';
import { printable, printableLine } from '../output/terminal-text.js';
import { openManifest } from './add.js';

const FORMATS = ['human', 'json', 'sarif', 'markdown'] as const;
type Format = (typeof FORMATS)[number];

const HEADINGS: Readonly<Record<ChangeLevel, string>> = {
  breaking: 'Breaking changes',
  risky: 'Changes that can break scenarios',
  safe: 'Other changes',
};

const LEVELS: Readonly<Record<ChangeLevel, Level>> = { breaking: 'error', risky: 'warning', safe: 'info' };

export const DIFF_COMMAND: Command = {
  name: 'diff',
  about: 'Compares two versions of an app and reports changes that break existing scenarios.',
  positionals: [
    {
      name: 'old',
      help: 'Folder of an app, a git revision (main:./my-app, v1.2:src, HEAD~3), or remote: the app in Make.',
    },
    {
      name: 'new',
      help: 'Folder of the other version, its git revision, or remote. Default: the nearest app.',
      isOptional: true,
    },
  ],
  options: {
    format: { group: 'Output', value: FORMATS.join('|'), help: 'Output format. Default: human.' },
    json: { group: 'Output', help: 'Short for --format json.' },
    'fail-on': {
      group: 'Output',
      value: 'breaking|risky|never',
      help: 'Lowest level that sets exit code 1. Default: never.',
    },
    ...ORIGIN_OPTIONS,
  },
  examples: [
    'iml diff main:./my-app ./my-app --fail-on breaking',
    'iml diff v1.0 --format markdown > CHANGES.md',
    'iml diff remote ./my-app --origin production',
  ],
  notes: [
    'breaking: in the list of breaking changes that Make publishes. risky: not in the list, but a scenario can depend on it. safe: neither.\nComments, white space and the order of members are no changes. Files cannot tell whether an app has scenarios, so every module counts as used.',
    `remote is the app of an origin in the manifest of the other version, or of the nearest app. A folder of this name is ./remote. ${TOKEN_NOTE}`,
  ],
  exitCodes: { 1: 'a change has the level of --fail-on, or a version cannot be loaded' },
  run: diffApps,
};

async function diffApps(args: Arguments, io: Io): Promise<number> {
  const format = readFormat(args, FORMATS);
  const failOn = readOneOf(args, 'fail-on', ['breaking', 'risky', 'never']) ?? 'never';
  const [old = '', given] = args.positionals;
  const now = given === REMOTE ? REMOTE : await findAppFolder(given, io);
  if (old === REMOTE && now === REMOTE) throw usageError('Only one of the versions can be remote.');
  for (const option of Object.keys(ORIGIN_OPTIONS)) {
    if (args.isSet(option) && old !== REMOTE && now !== REMOTE)
      throw usageError(`--${option} requires the version "remote".`);
  }
  return withVersion(old, { args, io, other: now }, (before) =>
    withVersion(now, { args, io, other: old }, async (after) => {
      const changes = compareApps(before.app, after.app);
      await io.stdout.write(print(format, changes, { old, now, after }));
      const limit = failOn === 'never' ? -1 : CHANGE_LEVELS.indexOf(failOn);
      return changes.some(({ level }) => CHANGE_LEVELS.indexOf(level) <= limit) ? EXIT.failed : EXIT.ok;
    }),
  );
}

/** A loaded version of an app. */
interface Version {
  readonly app: App;
  readonly root: string;
  /** The path of a file as the user would type it. */
  readonly showPath: (file: string) => string;
}

/** Stands for the app in Make. */
const REMOTE = 'remote';

interface VersionSource {
  readonly args: Arguments;
  readonly io: Io;
  /** The other version. */
  readonly other: string;
}

async function withVersion<T>(
  given: string,
  { args, io, other }: VersionSource,
  use: (version: Version) => Promise<T>,
): Promise<T> {
  const showTemporary = (temporary: string) => (root: string, file: string) =>
    `${given}/${relativePath(temporary, path.join(root, file))}`;
  if (given === REMOTE) {
    const isFolder = existsSync(path.resolve(io.cwd, other));
    const opened = await openManifest(isFolder ? other : await findAppFolder(undefined, io), io);
    const { manifest, origin, api } = await openOrigin(opened, { args, io, mayAdd: true });
    return withRemoteApp({ manifest, index: origin.index, api }, async (temporary) =>
      use(await load(temporary, given, showTemporary(temporary))),
    ).catch((error: unknown) => {
      throw refusalOf(error, origin);
    });
  }
  return withVersionFolder(given, io.cwd, async (folder, isRevision) => {
    const showPath = isRevision
      ? showTemporary(folder)
      : (root: string, file: string) => relativePath(io.cwd, path.join(root, file)) || file;
    return use(await load(folder, given, showPath));
  });
}

async function load(
  folder: string,
  given: string,
  showPath: (root: string, file: string) => string,
): Promise<Version> {
  const { folder: root } = await findApp(folder).catch((error: unknown) => {
    if (!(error instanceof SpecError) || error.code !== 'SPEC_MISSING') throw error;
    throw usageError(error.message.replaceAll(folder, given));
  });
  return { app: await loadApp(root), root, showPath: (file) => showPath(root, file) };
}

interface Versions {
  readonly old: string;
  readonly now: string;
  readonly after: Version;
}

function print(format: Format, changes: readonly Change[], { old, now, after }: Versions): string {
  switch (format) {
    case 'json':
      return `${printPrettyJson({ old, new: now, changes, counts: countLevels(changes) })}\n`;
    case 'sarif':
      return `${printPrettyJson(createDiffSarif(after.root, changes, readVersion()))}\n`;
    case 'markdown':
      return printable(printChangelog(changes));
    default: {
      const lines = sortChanges(changes).map((change) => changeLine(change, after.showPath));
      return `${lines.join('')}${showCounts(changes)}\n`;
    }
  }
}

function changeLine(
  { rule, level, component, message, place }: Change,
  showPath: Version['showPath'],
): string {
  const { file, line, column } = place;
  const at =
    file === undefined ? '' : ` ${showPath(file)}${line === undefined ? '' : `:${line}:${column ?? 1}`}`;
  return `${printableLine(`${level.padEnd(8)}  ${nameComponent(component)}: ${message} [${rule}]${at}`)}\n`;
}

function countLevels(changes: readonly Change[]): Readonly<Record<ChangeLevel, number>> {
  const count = (level: ChangeLevel): number => changes.filter((change) => change.level === level).length;
  return { breaking: count('breaking'), risky: count('risky'), safe: count('safe') };
}

function showCounts(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no changes';
  const counts = countLevels(changes);
  return CHANGE_LEVELS.map((level) => `${counts[level]} ${level}`).join(', ');
}

/** `module listUsers`; `app` for the base, common data and groups. */
function nameComponent({ kind, name }: ChangedComponent): string {
  return kind === 'app' ? 'app' : `${kind} ${name}`;
}

/** Changes as SARIF 2.1.0. Locations are relative to the new version. */
function createDiffSarif(root: string, changes: readonly Change[], version: string): unknown {
  const findings = changes.map(
    ({ rule, level, component, message, place }): Finding => ({
      rule,
      level: LEVELS[level],
      message: `${nameComponent(component)}: ${message}`,
      place,
    }),
  );
  const rules = Object.entries(DIFF_RULES).map(([id, { level, summary }]) => ({
    id,
    summary,
    level: LEVELS[level],
    page: `${DOCS}/app-life.html#iml-diff`,
  }));
  return createSarif({ root, findings }, { name: 'iml diff', version, rules });
}

/** Changes as a section of a changelog: a heading per level, a list item per component. */
function printChangelog(changes: readonly Change[]): string {
  const sections = CHANGE_LEVELS.flatMap((level) => {
    const ofLevel = changes.filter((change) => change.level === level);
    if (ofLevel.length === 0) return [];
    const names = [...new Set(ofLevel.map(({ component }) => nameComponent(component)))];
    const items = names.map((name) => {
      const messages = ofLevel.filter(({ component }) => nameComponent(component) === name);
      return `- **${escapeMarkdown(name)}**\n${messages.map(({ message }) => `  - ${escapeMarkdown(message)}\n`).join('')}`;
    });
    return [`## ${HEADINGS[level]}\n\n${items.join('')}`];
  });
  return sections.length === 0 ? 'No changes.\n' : sections.join('\n');
}

/** Names come from apps and can contain anything. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replace(/\s+/g, ' ');
}

import type { App } from '../../../engine/document/app.js';
import { nameFile } from '../../../engine/sandbox/check-functions.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { type Finding, LEVELS, type Level } from '../../check/finding.js';
import type { ComponentName } from '../../check/subject/used-part.js';
import type { LoadedApp } from '../open-app.js';
import { indentLines, printableLine } from './terminal-text.js';

/**
 * Formats diagnostics: location, level, message, rule, and the line with a caret.
 *
 * @param readFrame the line of a diagnostic; undefined if absent
 */
export async function printFindings(
  findings: readonly Finding[],
  showPath: (file: string) => string,
  readFrame: (finding: Finding) => Promise<string | undefined>,
): Promise<string> {
  let text = '';
  for (const finding of findings) {
    const { fix } = finding;
    text += findingLine(finding, showPath);
    const frame = await readFrame(finding);
    if (frame !== undefined) text += `${indentLines(frame, 2)}\n`;
    if (fix !== undefined && fix.isGuess !== true) text += `  --fix: ${printableLine(fix.title)}\n`;
  }
  return text;
}

/**
 * `modules/x.iml.json:3:5: error: "itm" is not defined here. [unknown-name]`. Further lines of a message are prefixed
 * with a bar, because some log readers treat `::` at the start of a line as a command.
 */
export function findingLine(
  { rule, level, message, place }: Finding,
  showPath: (file: string) => string,
): string {
  const [first = '', ...more] = message.split('\n');
  const below = more.map((line) => `  | ${printableLine(line)}\n`).join('');
  return `${placeText(place, showPath)}: ${level}: ${printableLine(first)} [${rule}]\n${below}`;
}

/** `2 errors, 1 warning`; `no findings`. */
export function countFindings(findings: readonly Finding[]): string {
  const count = (level: Level): number => findings.filter((finding) => finding.level === level).length;
  const parts = (['error', 'warning', 'info'] as const)
    .map((level) => [level, count(level)] as const)
    .filter(([, number]) => number > 0)
    .map(([level, number]) => `${number} ${level}${number === 1 || level === 'info' ? '' : 's'}`);
  return parts.join(', ') || 'no findings';
}

interface ToldWarning {
  readonly code: string;
  readonly message: string;
  readonly place: SourceLocation | undefined;
}

/**
 * Warnings of a run, without those of loading the app: a run compiles all custom functions.
 *
 * @param holds whether a source location belongs to the run. Default: all.
 */
export function runWarnings(
  warnings: readonly ToldWarning[],
  { app, showPath }: LoadedApp,
  holds: (place: SourceLocation) => boolean = () => true,
): string {
  return warnings
    .filter((warning) => !isToldOfApp(warning, app))
    .filter(({ code, place }) => code !== 'function' || place === undefined || holds(place))
    .map(({ message, place }) => warningLine(message, place, showPath))
    .join('');
}

/** Custom functions are checked when the app is loaded and again when they are compiled. */
function isToldOfApp({ code, place }: ToldWarning, { warnings, functions }: App): boolean {
  if (code !== 'function' || place?.file === undefined) return false;
  const isAbsent = [...functions.values()].some(
    (custom) => custom.code === undefined && nameFile(custom) === place.file,
  );
  return isAbsent || warnings.some((told) => told.place.file === place.file);
}

function warningLine(
  message: string,
  place: SourceLocation | undefined,
  showPath: LoadedApp['showPath'],
): string {
  const where = place === undefined ? '' : placeText(place, showPath);
  return `warning: ${where === '' ? '' : `${where}: `}${printableLine(message)}\n`;
}

/** `modules/x.iml.json:3:5`, or the pointer without a file. In one line, because names can contain anything. */
function placeText({ file, line, column, pointer }: SourceLocation, showPath: LoadedApp['showPath']): string {
  if (file === undefined) return printableLine(pointer ?? '');
  return `${printableLine(showPath(file))}${line === undefined ? '' : `:${line}:${column ?? 1}`}`;
}

const SHOWN = 5;

/** Diagnostics of the components that run, as text. */
export interface RunFindings {
  readonly text: string;
  /** Whether a source location belongs to the run. */
  readonly holds: (place: SourceLocation) => boolean;
}

/**
 * Prints the most severe diagnostics of the components that run, one line each, then how to see the others.
 *
 * @param told location of an error that is printed separately
 */
export async function printRunFindings(
  { app, root, showPath }: LoadedApp,
  started: readonly ComponentName[],
  told?: SourceLocation,
): Promise<RunFindings> {
  // Loaded after the run, because most of the check is not needed before.
  const { checkRun } = await import('../../check/check-run.js');
  const { findings, elsewhere, holds } = await checkRun(app, root, started);
  const own = findings
    .filter(({ place }) => !isSamePlace(place, told))
    .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  const lines = own.slice(0, SHOWN).map((finding: Finding) => findingLine(finding, showPath));
  const more = own.length - lines.length;
  const rest = [
    ...(more > 0 ? [`${more} more in this component`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} in other parts of the app`] : []),
  ];
  if (rest.length > 0)
    lines.push(`iml check ${printableLine(showPath('')) || '.'} reports ${rest.join(', ')}.\n`);
  return { text: lines.join(''), holds };
}

function isSamePlace({ file, line, column }: SourceLocation, told: SourceLocation | undefined): boolean {
  return line !== undefined && told?.file === file && told?.line === line && told?.column === column;
}

import type { App } from '../../document/app.js';
import type { SourceLocation } from '../../errors/source-location.js';
import { nameFile } from '../../sandbox/guest-error.js';
import type { LoadedApp } from '../open-app.js';
import { printableLine } from './terminal-text.js';

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
export function placeText(
  { file, line, column, pointer }: SourceLocation,
  showPath: LoadedApp['showPath'],
): string {
  if (file === undefined) return printableLine(pointer ?? '');
  return `${printableLine(showPath(file))}${line === undefined ? '' : `:${line}:${column ?? 1}`}`;
}

import type { App } from '../../document/app.js';
import type { Place } from '../../errors/place.js';
import { nameFile } from '../../sandbox/guest-error.js';
import type { LoadedApp } from '../open-app.js';
import { printableLine } from './terminal-text.js';

const SHOWN_WARNINGS = 5;

/** What is wrong with the app, the first few. */
export function appWarnings({ app, showPath }: LoadedApp): string {
  const { warnings } = app;
  const more = warnings.length - SHOWN_WARNINGS;
  const lines = warnings
    .slice(0, SHOWN_WARNINGS)
    .map(({ message, place }) => warningLine(message, place, showPath));
  if (more > 0) lines.push(`warning: ${more} more; iml info lists all of them.\n`);
  return lines.join('');
}

interface ToldWarning {
  readonly code: string;
  readonly message: string;
  readonly place: Place | undefined;
}

/** What a run warned of, without what was told of the app before. */
export function runWarnings(warnings: readonly ToldWarning[], { app, showPath }: LoadedApp): string {
  return warnings
    .filter((warning) => !isToldOfApp(warning, app))
    .map(({ message, place }) => warningLine(message, place, showPath))
    .join('');
}

/** A file of a custom function is looked at when the app is loaded, and again where it is compiled for a run. */
function isToldOfApp({ code, place }: ToldWarning, { warnings, functions }: App): boolean {
  if (code !== 'function' || place?.file === undefined) return false;
  const isAbsent = [...functions.values()].some(
    (custom) => custom.code === undefined && nameFile(custom) === place.file,
  );
  return isAbsent || warnings.some((told) => told.place.file === place.file);
}

function warningLine(message: string, place: Place | undefined, showPath: LoadedApp['showPath']): string {
  const where = place === undefined ? '' : placeText(place, showPath);
  return `warning: ${where === '' ? '' : `${where}: `}${printableLine(message)}\n`;
}

/** `modules/x.iml.json:3:5`; the pointer where no file is known. */
export function placeText({ file, line, column, pointer }: Place, showPath: LoadedApp['showPath']): string {
  if (file === undefined) return pointer ?? '';
  return `${showPath(file)}${line === undefined ? '' : `:${line}:${column ?? 1}`}`;
}

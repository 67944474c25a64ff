import type { Place } from '../../errors/place.js';
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

/** What a run warned of. */
export function runWarnings(
  warnings: readonly { readonly message: string; readonly place: Place | undefined }[],
  { showPath }: LoadedApp,
): string {
  return warnings.map(({ message, place }) => warningLine(message, place, showPath)).join('');
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

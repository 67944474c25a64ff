import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { type Finding, LEVELS } from '../../check/finding.js';
import type { ComponentName } from '../../check/subject/used-part.js';
import type { LoadedApp } from '../open-app.js';
import { findingLine } from './print-findings.js';
import { printableLine } from './terminal-text.js';

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
    ...(more > 0 ? [`${more} more of what runs here`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} in other parts of the app`] : []),
  ];
  if (rest.length > 0)
    lines.push(`iml check ${printableLine(showPath('')) || '.'} tells of ${rest.join(', ')}.\n`);
  return { text: lines.join(''), holds };
}

function isSamePlace({ file, line, column }: SourceLocation, told: SourceLocation | undefined): boolean {
  return line !== undefined && told?.file === file && told?.line === line && told?.column === column;
}

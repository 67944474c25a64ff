import { EngineError, messageWithoutPlace } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';

/** Severity: an `error` stops a run or makes it wrong, a `warning` probably does, `info` is worth a look. */
export type Level = 'error' | 'warning' | 'info';

/** The levels, most severe first. */
export const LEVELS: readonly Level[] = ['error', 'warning', 'info'];

/** A diagnostic of a rule. */
export interface Finding {
  /** ID of the rule: `unknown-function`. */
  readonly rule: string;
  readonly level: Level;
  /** The error and the expectation, in one or two sentences. */
  readonly message: string;
  /** Location; columns start at 1 and count UTF-16 code units. */
  readonly place: SourceLocation;
  /** Length in UTF-16 code units, if known and on one line. */
  readonly length?: number | undefined;
  /** A change that fixes it and nothing else. */
  readonly fix?: Fix | undefined;
}

/** A change of files that fixes a diagnostic. */
export interface Fix {
  /** Title for the user: `Replace "formatdate" by "formatDate"`. */
  readonly title: string;
  /** Whether the fix can be wrong. Editors offer it, `--fix` skips it. Default: false. */
  readonly isGuess?: boolean;
  readonly edits: readonly TextEdit[];
}

/** A replaced range of a file. */
export interface TextEdit {
  /** Relative to the app, with `/`. */
  readonly file: string;
  /** UTF-16 offset from 0, without the byte order mark. */
  readonly start: number;
  /** End offset, exclusive. */
  readonly end: number;
  readonly text: string;
}

/** Sorts by file, line and column, then by severity. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    compareTexts(a.place.file ?? '', b.place.file ?? '') ||
    (a.place.line ?? 0) - (b.place.line ?? 0) ||
    (a.place.column ?? 0) - (b.place.column ?? 0) ||
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The result of a promise, or the EngineError it rejects with. */
export async function orError<T>(work: Promise<T>): Promise<T | EngineError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

/** The diagnostic for an error. */
export function createRefusal(rule: string, error: EngineError): Finding {
  return { rule, level: 'error', message: messageWithoutPlace(error), place: readPlace(error) };
}

function readPlace(error: EngineError): SourceLocation {
  return 'place' in error && typeof error.place === 'object' && error.place !== null
    ? (error.place as SourceLocation)
    : {};
}

import type { SourceLocation } from '../errors/source-location.js';

/** Severity: an `error` stops a run or makes it wrong, a `warning` probably does, `info` is worth a look. */
export type Level = 'error' | 'warning' | 'info';

/** The levels, most severe first. */
export const LEVELS: readonly Level[] = ['error', 'warning', 'info'];

/** A diagnostic of a rule. */
export interface Finding {
  /** ID of the rule: `unknown-function`. */
  readonly rule: string;
  readonly level: Level;
  /** What is wrong and what was expected, in one or two sentences. */
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

import type { SourceLocation } from '../errors/source-location.js';

/** How grave a finding is: `error` stops a run or makes it wrong, `warning` most likely does, `info` is worth a look. */
export type Level = 'error' | 'warning' | 'info';

/** The levels, gravest first. */
export const LEVELS: readonly Level[] = ['error', 'warning', 'info'];

/** Something a rule found in an app. */
export interface Finding {
  /** Id of the rule: `unknown-function`. */
  readonly rule: string;
  readonly level: Level;
  /** What is wrong and what was expected, in one or two sentences. */
  readonly message: string;
  /** Where it is written; columns are 1-based and count UTF-16 units. */
  readonly place: SourceLocation;
  /** How many UTF-16 units are meant from the place on, where that is known and on one line. */
  readonly length?: number | undefined;
  /** A change that mends it and changes nothing else. */
  readonly fix?: Fix | undefined;
}

/** A change of files that mends a finding. */
export interface Fix {
  /** What the change does, as a person would be asked: `Replace "formatdate" by "formatDate"`. */
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** A piece of a file that is replaced. */
export interface TextEdit {
  /** Relative to the app's folder, with `/`. */
  readonly file: string;
  /** 0-based UTF-16 offset in the file's text, its byte order mark not counted. */
  readonly start: number;
  /** Offset behind what is replaced. */
  readonly end: number;
  readonly text: string;
}

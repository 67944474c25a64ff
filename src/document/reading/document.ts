import type { Place } from '../../errors/source-location.js';

/** Objects and arrays inside each other. Apps stay below 40; what reads them later may recurse. [choice] */
export const MAX_JSON_DEPTH = 256;

/** One JSON value of an app together with where it is written. */
export interface Document {
  /** Plain JSON data. */
  readonly value: unknown;
  /** Path relative to the app's folder, with `/`; undefined for an app given as an object. */
  readonly file: string | undefined;
  /**
   * Where the value at a JSON pointer stands, or the name of the member there if `part` is `key`;
   * the nearest known parent if the pointer leads nowhere. With `offset`, a 0-based UTF-16 offset
   * into that text or name: where the character is written in the file.
   */
  readonly placeOf: (pointer: string, offset?: number, part?: 'value' | 'key') => Place;
  /** The same as a 0-based UTF-16 offset in `text`. Absent where there is no file. */
  readonly offsetOf?: (pointer: string, offset?: number, part?: 'value' | 'key') => number;
  /** The file's text without its byte order mark; absent where there is no file. */
  readonly text?: string;
}

/** Something about an app that does not stop it from loading but that its author should know. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly place: Place;
}

/** What kind of defect a warning tells of; stable, for callers to match. */
export type WarningCode =
  | 'null-component'
  | 'component-is-array'
  | 'unknown-key'
  | 'duplicate-key'
  | 'missing-file'
  | 'missing-communication'
  | 'unread-file'
  | 'undeclared-file'
  | 'undeclared-component'
  | 'wrong-type'
  | 'unknown-reference'
  | 'missing-uid'
  | 'missing-url'
  | 'unusable-url'
  | 'builtin-name'
  | 'long-function'
  | 'syntax'
  | 'upgraded';

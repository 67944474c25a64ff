import { childPointer, type SourceLocation } from '../../errors/source-location.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';

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
  readonly locationOf: (pointer: string, offset?: number, part?: 'value' | 'key') => SourceLocation;
  /** The same as a 0-based UTF-16 offset in `text`. Absent where there is no file. */
  readonly offsetOf?: (pointer: string, offset?: number, part?: 'value' | 'key') => number;
  /** The file's text without its byte order mark; absent where there is no file. */
  readonly text?: string;
}

/** Something about an app that does not stop it from loading but that its author should know. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly place: SourceLocation;
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

/** The value of a member or item as a document of its own; its places are still those of the file. */
export function subDocument(document: Document, key: string | number): Document {
  const { value, file } = document;
  const prefix = childPointer('', key);
  return {
    value: Array.isArray(value)
      ? value[Number(key)]
      : isPlainObject(value)
        ? ownMember(value, String(key))
        : undefined,
    file,
    ...(document.text !== undefined && { text: document.text }),
    ...(document.offsetOf && {
      offsetOf: (pointer, offset, part) => document.offsetOf?.(prefix + pointer, offset, part) ?? 0,
    }),
    locationOf: (pointer, offset, part) => document.locationOf(prefix + pointer, offset, part),
  };
}

/** Tells of a defect. The place is asked for only if the warning is kept, as finding it may mean reading a file again. */
export type Warn = (code: WarningCode, message: string, place: () => SourceLocation) => void;

/** Warnings one reader or check keeps of one file, before it stops telling. [choice] */
export const MAX_WARNINGS = 100;

/** A `Warn` that adds to a list. */
export function collectWarnings(list: Warning[]): Warn {
  return (code, message, place) => void list.push({ code, message, place: place() });
}

/** The same as `warn` until `MAX_WARNINGS` are told; then one that says so, then nothing. */
export function limitWarnings(warn: Warn): Warn {
  let count = 0;
  return (code, message, place) => {
    count++;
    if (count <= MAX_WARNINGS) warn(code, message, place);
    else if (count === MAX_WARNINGS + 1) warn(code, `${message} Further warnings are left out.`, place);
  };
}

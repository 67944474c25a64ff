import type { Place } from '../../errors/source-location.js';
import type { Warning, WarningCode } from './document.js';

/** Tells of a defect. The place is asked for only if the warning is kept, as finding it may mean reading a file again. */
export type Warn = (code: WarningCode, message: string, place: () => Place) => void;

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

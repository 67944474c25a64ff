import { createScanner, getLocation } from 'jsonc-parser';
import type { CheckedDocument } from '../check/subject/checked-document.js';
import { locateInSpec, type SpecLocation } from '../check/subject/spec-location.js';
import type { Subject } from '../check/subject/subject.js';

/** Where a cursor stands in a file that may be half written. */
export interface Cursor {
  readonly offset: number;
  /** What the file is in the app as it loaded last; undefined for a file no component names. */
  readonly checked: CheckedDocument | undefined;
  /** Steps to the value or member the cursor is in. */
  readonly path: readonly string[];
  readonly location: SpecLocation | undefined;
  /** The text of the JSON string the cursor is in; undefined outside of one. */
  readonly string: { readonly start: number; readonly end: number; readonly isKey: boolean } | undefined;
  /** The expression the cursor is in; undefined outside of one. */
  readonly expression: CursorExpression | undefined;
}

/** An expression around a cursor; offsets are those of the file. */
export interface CursorExpression {
  /** Behind `{{`. */
  readonly start: number;
  /** From there to the cursor, as it is written. */
  readonly before: string;
}

/** Reads what is around an offset of a file. Never throws: a file is half written most of the time. */
export function readCursor(subject: Subject | undefined, file: string, text: string, offset: number): Cursor {
  const checked = subject?.documents.find(({ document }) => document.file === file);
  const { path: steps } = getLocation(text, offset);
  const path = steps.map(String);
  const string = findString(text, offset);
  const location = checked && locateInSpec(checked.kind, checked.document.value, path);
  const expression = string && findExpression(text, string.start, offset, isContainer(path));
  return { offset, checked, path, location, string, expression };
}

/** Kinds of tokens, whose names the library only has as types. */
const STRING = 10;
const END_OF_FILE = 17;

/** The string token an offset is in, also one without its closing quote. */
function findString(text: string, offset: number): Cursor['string'] {
  const scanner = createScanner(text, true);
  for (let kind = scanner.scan(); kind !== END_OF_FILE; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (start >= offset) return undefined;
    if (kind !== STRING || offset > end) continue;
    const isClosed = end - start > 1 && text[end - 1] === '"';
    if (offset === end && isClosed) continue;
    const isKey = /^\s*:/.test(text.slice(end, end + 200));
    return { start: start + 1, end: isClosed ? end - 1 : end, isKey };
  }
  return undefined;
}

/** `iterate` takes a path without braces. */
function isContainer(path: readonly string[]): boolean {
  return path.at(-1) === 'iterate' || (path.at(-1) === 'container' && path.at(-2) === 'iterate');
}

function findExpression(
  text: string,
  start: number,
  offset: number,
  isPath: boolean,
): CursorExpression | undefined {
  const written = text.slice(start, offset);
  const open = written.lastIndexOf('{{');
  if (open >= 0 && written.indexOf('}}', open) < 0) {
    return { start: start + open + 2, before: written.slice(open + 2) };
  }
  return isPath && !written.includes('{{') ? { start, before: written } : undefined;
}

/** The path that is being written at the end of an expression: `parameters.us` as `parameters` and `us`. */
export interface WrittenPrefix {
  readonly parents: readonly string[];
  /** What is there of the last name. */
  readonly partial: string;
}

/** Of what stands before a cursor: more than any path or name has. */
const MAX_LOOKED_AT = 2000;

const PATH_END = /(?:`[^`]*`?|[\p{L}\p{Nd}_$])(?:`[^`]*`?|[\p{L}\p{Nd}_$.]|\[\d*\])*$|\.$/u;

/** Undefined inside of a quoted text, where there is nothing to complete. */
export function readPrefix(before: string): WrittenPrefix | undefined {
  if (isInQuotes(before)) return undefined;
  const written = PATH_END.exec(before.slice(-MAX_LOOKED_AT))?.[0] ?? '';
  const steps = written
    .replace(/\[\d*\]/g, '.')
    .split('.')
    .map((step) => step.replaceAll('`', ''));
  const partial = steps.pop() ?? '';
  return { parents: steps.filter((step) => step !== ''), partial };
}

function isInQuotes(before: string): boolean {
  let quote = '';
  for (let index = 0; index < before.length; index++) {
    const character = before[index] ?? '';
    if (character === '\\' && before[index + 1] !== '"') index++;
    else if (quote !== '' && character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
  }
  return quote !== '';
}

/** Characters of a name and of what may stand between it and its bracket. */
const MAX_NAME = 200;

/** The call the cursor is in, and which argument of it; undefined outside of all brackets. */
export function findCallAt(before: string): { readonly name: string; readonly argument: number } | undefined {
  const open: { name: string; argument: number }[] = [];
  let quote = '';
  for (let index = 0; index < before.length; index++) {
    const character = before[index] ?? '';
    if (quote !== '') {
      if (character === '\\') index++;
      else if (character === quote) quote = '';
      continue;
    }
    const frame = open.at(-1);
    if (character === "'" || character === '"' || character === '`') quote = character;
    else if (character === '(') {
      open.push({
        name:
          /([\p{L}_$][\p{L}\p{Nd}_$]*)\s*$/u.exec(before.slice(Math.max(0, index - MAX_NAME), index))?.[1] ??
          '',
        argument: 0,
      });
    } else if (character === ')') open.pop();
    else if ((character === ',' || character === ';') && frame !== undefined) frame.argument++;
  }
  const call = open.at(-1);
  return call === undefined || call.name === '' ? undefined : call;
}

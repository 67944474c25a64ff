import { createScanner, getLocation } from 'jsonc-parser';
import type { CheckedDocument } from '../check/subject/checked-document.js';
import { locateInSpec, type SpecLocation } from '../check/subject/expression-site.js';
import type { Subject } from '../check/subject/subject.js';

/** The context of a cursor in a possibly incomplete file. */
export interface Cursor {
  readonly offset: number;
  /** The document of the last loaded app; undefined for an unreferenced file. */
  readonly checked: CheckedDocument | undefined;
  /** Path of the value or member at the cursor. */
  readonly path: readonly string[];
  readonly location: SpecLocation | undefined;
  /** The JSON string at the cursor; undefined outside of one. */
  readonly string: { readonly start: number; readonly end: number; readonly isKey: boolean } | undefined;
  /** The expression at the cursor; undefined outside of one. */
  readonly expression: CursorExpression | undefined;
}

/** The expression at a cursor, with offsets in the file. */
export interface CursorExpression {
  /** After `{{`. */
  readonly start: number;
  /** The text up to the cursor. */
  readonly before: string;
}

/** Finds the context of an offset. Never throws. */
export function readCursor(subject: Subject | undefined, file: string, text: string, offset: number): Cursor {
  const checked = subject?.documents.find(({ document }) => document.file === file);
  const { path: steps } = getLocation(text, offset);
  const path = steps.map(String);
  const string = findString(text, offset);
  const location = checked && locateInSpec(checked.kind, checked.document.value, path);
  const expression = string && findExpression(text, string.start, offset, isContainer(path));
  return { offset, checked, path, location, string, expression };
}

/** Token kinds; the library exports their names as types only. */
const STRING = 10;
const END_OF_FILE = 17;

/** The string token at an offset, closed or not. */
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

/** The path at the end of an expression: `parameters.us` as `parameters` and `us`. */
export interface WrittenPrefix {
  readonly parents: readonly string[];
  /** The incomplete last name. */
  readonly partial: string;
}

/** Maximum length of a path before the cursor. */
const MAX_LOOKED_AT = 2000;

const PATH_END = /(?:`[^`]*`?|[\p{L}\p{Nd}_$])(?:`[^`]*`?|[\p{L}\p{Nd}_$.]|\[\d*\])*$|\.$/u;

/** Undefined inside a string literal. */
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

/** Maximum length of a name and the space before its bracket. */
const MAX_NAME = 200;

/** The call at the cursor with the argument index; undefined outside of calls. */
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

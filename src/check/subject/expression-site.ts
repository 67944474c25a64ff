import type { Document } from '../../document/reading/document.js';
import type { ImlError } from '../../errors/iml-error.js';
import { childPointer, type Place } from '../../errors/place.js';
import type { Expression, Template } from '../../iml/syntax/ast.js';
import { safeParseTemplate } from '../../iml/syntax/parser.js';
import { isPlainObject } from '../../util/plain-object.js';
import type { CheckedDocument } from './checked-document.js';
import { locateInSpec, type SpecLocation } from './spec-location.js';

/** A text of a document that is evaluated. */
export interface ExpressionSite {
  readonly in: CheckedDocument;
  readonly location: SpecLocation;
  readonly pointer: string;
  /** Whether the text is the value at the pointer, or the name of the member there. */
  readonly part: 'value' | 'key';
  /** The text as the document holds it. */
  readonly text: string;
  /** What it parses to, or why it does not. */
  readonly parsed:
    | { readonly ok: true; readonly template: Template }
    | { readonly ok: false; readonly error: ImlError };
  /** Where a 0-based offset of the template stands in the file. */
  readonly placeAt: (offset: number) => Place;
  /** The same as a 0-based offset in the file's text; undefined where there is no file. */
  readonly offsetAt: (offset: number) => number | undefined;
}

/** A member of this name spreads an object; the name itself is no template. */
const SPREAD_KEY = '{{...}}';

/** Texts that are a path even without braces. Source: the pages on iterate of the custom app documentation. [doc] */
function isBarePath({ phase, directive }: SpecLocation, text: string): boolean {
  const isContainer =
    directive.at(-1) === 'iterate' || (directive.at(-1) === 'container' && directive.at(-2) === 'iterate');
  return phase !== 'form' && isContainer && !text.includes('{{') && text.trim() !== '';
}

/** All texts of a document that hold expressions, names of members included, in the order they are written. */
export function listExpressions(checked: CheckedDocument): readonly ExpressionSite[] {
  const { document, kind } = checked;
  const sites: ExpressionSite[] = [];
  const add = (text: string, path: readonly string[], pointer: string, part: 'value' | 'key'): void => {
    if (!text.includes('{{') && !mayBePath(path)) return;
    const location = locateInSpec(kind, document.value, path);
    const isPath = part === 'value' && isBarePath(location, text);
    if (!text.includes('{{') && !isPath) return;
    const shift = isPath ? 2 : 0;
    const parsed = safeParseTemplate(isPath ? `{{${text}}}` : text);
    const placeAt = (offset: number): Place => document.placeOf(pointer, Math.max(0, offset - shift), part);
    const offsetAt = (offset: number): number | undefined =>
      offsetIn(document, pointer, Math.max(0, offset - shift), part);
    sites.push({ in: checked, location, pointer, part, text, parsed, placeAt, offsetAt });
  };
  const visit = (value: unknown, path: readonly string[], pointer: string): void => {
    if (typeof value === 'string') add(value, path, pointer, 'value');
    else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, [...path, String(index)], childPointer(pointer, index));
      });
    } else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const inner = [...path, key];
        const at = childPointer(pointer, key);
        if (key !== SPREAD_KEY) add(key, inner, at, 'key');
        visit(member, inner, at);
      }
    }
  };
  visit(document.value, [], '');
  return sites;
}

function mayBePath(path: readonly string[]): boolean {
  const last = path.at(-1);
  return last === 'iterate' || last === 'container';
}

function offsetIn(
  document: Document,
  pointer: string,
  offset: number,
  part: 'value' | 'key',
): number | undefined {
  return document.offsetOf?.(pointer, offset, part);
}

/** The expressions of a template that parses, texts between them left out. */
export function pickExpressions({ parsed }: ExpressionSite): readonly Expression[] {
  return parsed.ok ? parsed.template.parts.filter((part) => typeof part !== 'string') : [];
}

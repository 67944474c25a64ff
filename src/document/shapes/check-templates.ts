import { ImlError } from '../../errors/iml-error.js';
import { childPointer, type Place } from '../../errors/source-location.js';
import { parseTemplate } from '../../iml/syntax/parser.js';
import { isSpreadKey } from '../../iml/syntax/spread-key.js';
import { isPlainObject } from '../../util/plain-object.js';
import type { Document } from '../reading/document.js';
import type { Warn } from '../reading/warn.js';

/**
 * Parses every template of a file, names of members included, and tells of those that do not parse (`syntax`),
 * with the line and column of the mistake in the file. The app loads all the same: only evaluating such a template is an error.
 */
export function checkTemplates(document: Document, warn: Warn): void {
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') {
      checkTemplate(value, (offset) => document.placeOf(pointer, offset), warn);
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, childPointer(pointer, index));
      });
    } else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const at = childPointer(pointer, key);
        if (!isSpreadKey(key)) checkTemplate(key, (offset) => document.placeOf(at, offset, 'key'), warn);
        visit(member, at);
      }
    }
  };
  visit(document.value, '');
}

function checkTemplate(source: string, placeAt: (offset: number) => Place, warn: Warn): void {
  if (!source.includes('{{')) return;
  try {
    parseTemplate(source);
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    warn('syntax', error.message, () => placeAt(error.offset ?? 0));
  }
}

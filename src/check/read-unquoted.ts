import type { Document } from '../document/reading/document.js';
import { readDocument } from '../document/reading/jsonc.js';
import { SpecError } from '../errors/engine-error.js';
import { formatLocation } from '../errors/source-location.js';

/**
 * Reads a file that stands beside apps. Of one outside of the app's folder that is no JSON nothing is quoted: what lies there
 * is not the app's, and may be anything.
 *
 * @param file from the app's folder on
 * @throws SpecError (SPEC_JSON)
 */
export function readUnquoted(text: string, file: string): Document {
  try {
    return readDocument(text, file);
  } catch (error) {
    if (!file.startsWith('../') || !(error instanceof SpecError)) throw error;
    const { place = { file } } = error;
    throw new SpecError(
      'SPEC_JSON',
      `${formatLocation(place)}: Expected JSON with comments, found something else.`,
      { place },
    );
  }
}

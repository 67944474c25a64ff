import type { Document } from '../../engine/document/document.js';
import { readDocument } from '../../engine/document/jsonc.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { formatLocation } from '../../shared/errors/source-location.js';

/**
 * Parses a file beside the app. Errors of a file outside the app do not quote it, because it may be anything.
 *
 * @param file relative to the app
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

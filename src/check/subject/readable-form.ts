import type { Document } from '../../document/reading/document.js';
import { SpecError } from '../../errors/engine-error.js';
import { readForm } from '../../parameters/form/form.js';
import type { ParameterList } from '../../parameters/form/parameter-spec.js';

const NO_FIELDS: ParameterList = { elements: [], warnings: [] };

/** A form as far as it can be read: one that is refused, which the dry run tells of, has no fields. */
export function readableForm(document: Document | undefined): ParameterList {
  try {
    return readForm(document);
  } catch (error) {
    if (error instanceof SpecError) return NO_FIELDS;
    throw error;
  }
}

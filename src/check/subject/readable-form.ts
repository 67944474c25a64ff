import type { Document } from '../../document/reading/document.js';
import { SpecError } from '../../errors/engine-error.js';
import { readForm } from '../../parameters/form/form.js';
import type { ParameterList } from '../../parameters/form/parameter-spec.js';

const NO_FIELDS: ParameterList = { elements: [], warnings: [] };

/** A form; empty if it is invalid, which the dry run reports. */
export function readableForm(document: Document | undefined): ParameterList {
  try {
    return readForm(document);
  } catch (error) {
    if (error instanceof SpecError) return NO_FIELDS;
    throw error;
  }
}

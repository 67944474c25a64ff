import type { ModuleComponent } from '../../document/app.js';
import type { Document } from '../../document/reading/document.js';
import type { ParameterList } from './parameter-spec.js';
import { joinParameters, readParameters } from './read-parameters.js';

const NO_FIELDS: ParameterList = { elements: [], warnings: [] };

/** Forms by the documents they are written in, or the module whose two lists they join: read once, answered often. */
const FORMS = new WeakMap<Document | ModuleComponent, ParameterList>();

/**
 * A form specification as it is written in a document; no document is an empty form.
 *
 * @throws SpecError (SPEC_INVALID) for fields nested too deep
 */
export function readForm(document: Document | undefined): ParameterList {
  if (document === undefined) return NO_FIELDS;
  return remembered(document, () => readParameters(document.value, document.placeOf));
}

/** The fields of a module's form, static before mappable. @throws SpecError (SPEC_INVALID) */
export function moduleForm(module: ModuleComponent): ParameterList {
  const { staticParams, mappableParams } = module;
  if (staticParams === undefined && mappableParams === undefined) return NO_FIELDS;
  return remembered(module, () => joinParameters(readForm(staticParams), readForm(mappableParams)));
}

function remembered(source: Document | ModuleComponent, read: () => ParameterList): ParameterList {
  const form = FORMS.get(source) ?? read();
  FORMS.set(source, form);
  return form;
}

import type { ModuleComponent } from '../../document/app.js';
import type { Document } from '../../document/reading/document.js';
import type { ParameterElement, ParameterList } from './parameter-spec.js';
import { joinParameters, readParameters } from './read-parameters.js';

const NO_FIELDS: ParameterList = { elements: [], warnings: [] };

/** Cache by the document of a form, or by the module whose two lists are joined. */
const FORMS = new WeakMap<Document | ModuleComponent, ParameterList>();

/**
 * A form specification as it is written in a document; no document is an empty form.
 *
 * @throws SpecError (SPEC_INVALID) for fields nested too deep
 */
export function readForm(document: Document | undefined): ParameterList {
  if (document === undefined) return NO_FIELDS;
  const known = FORMS.get(document);
  if (known !== undefined) return known;
  const form = readParameters(document.value, document.locationOf);
  FORMS.set(document, form);
  return form;
}

/** The fields of a module's form, static before mappable. @throws SpecError (SPEC_INVALID) */
export function moduleForm(module: ModuleComponent): ParameterList {
  const known = FORMS.get(module);
  if (known !== undefined) return known;
  const { staticParams, mappableParams } = module;
  if (staticParams === undefined && mappableParams === undefined) return NO_FIELDS;
  const form = joinParameters(readForm(staticParams), readForm(mappableParams));
  FORMS.set(module, form);
  return form;
}

const WRITTEN = new WeakMap<readonly ParameterElement[], readonly unknown[]>();

/** The elements of a form as the app writes them; for one form always the same list. */
export function listWritten(elements: readonly ParameterElement[]): readonly unknown[] {
  const written = WRITTEN.get(elements) ?? elements.map(readWritten);
  WRITTEN.set(elements, written);
  return written;
}

/** A field, or the address of an RPC, as the app or its RPC writes it. */
export function readWritten(element: ParameterElement): unknown {
  return element.kind === 'reference' ? element.text : element.source;
}

import type { ModuleComponent } from '../document/app.js';
import type { Document } from '../document/document.js';
import type { ParameterElement, ParameterList } from './parameter-spec.js';
import { joinParameters, readParameters } from './read-parameters.js';

const NO_FIELDS: ParameterList = { elements: [], warnings: [] };

/** Cache by form document, or by module for its joined lists. */
const FORMS = new WeakMap<Document | ModuleComponent, ParameterList>();

/**
 * Reads the form of a document. No document means an empty form.
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

/**
 * Returns the fields of a module, static before mappable.
 *
 * @throws SpecError (SPEC_INVALID) for fields nested too deep
 */
export function moduleForm(module: ModuleComponent): ParameterList {
  const known = FORMS.get(module);
  if (known !== undefined) return known;
  const { staticParams, mappableParams } = module;
  if (staticParams === undefined && mappableParams === undefined) return NO_FIELDS;
  const form = joinParameters(readForm(staticParams), readForm(mappableParams));
  FORMS.set(module, form);
  return form;
}

const SOURCES = new WeakMap<readonly ParameterElement[], readonly unknown[]>();

/** Returns the elements of a form as the app defines them; always the same list for a form. */
export function listSources(elements: readonly ParameterElement[]): readonly unknown[] {
  const written = SOURCES.get(elements) ?? elements.map(readSource);
  SOURCES.set(elements, written);
  return written;
}

/** Returns a field, or the address of an RPC, as the app or its RPC defines it. */
export function readSource(element: ParameterElement): unknown {
  return element.kind === 'reference' ? element.text : element.source;
}

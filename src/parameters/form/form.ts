import type { ModuleComponent } from '../../document/app.js';
import type { Document } from '../../document/reading/document.js';
import { finishAtOnce, type Parts } from '../../iml/values/work.js';
import { Turns } from '../../util/turns.js';
import type { ParameterElement, ParameterList } from './parameter-spec.js';
import { joinParameters, readParametersInParts } from './read-parameters.js';

const NO_FIELDS: ParameterList = { elements: [], warnings: [] };

/** Forms by the documents they are written in, or the module whose two lists they join: read once, answered often. */
const FORMS = new WeakMap<Document | ModuleComponent, ParameterList>();

/**
 * A form specification as it is written in a document; no document is an empty form.
 *
 * @throws SpecError (SPEC_INVALID) for fields nested too deep
 */
export function readForm(document: Document | undefined): ParameterList {
  return finishAtOnce(formInParts(document));
}

/** `readForm` where others run, too. */
export function readFormInTurns(document: Document | undefined): Promise<ParameterList> {
  return new Turns().finish(formInParts(document));
}

/** The fields of a module's form, static before mappable. @throws SpecError (SPEC_INVALID) */
export function moduleForm(module: ModuleComponent): ParameterList {
  return finishAtOnce(moduleFormInParts(module));
}

/** `moduleForm` where others run, too. */
export function moduleFormInTurns(module: ModuleComponent): Promise<ParameterList> {
  return new Turns().finish(moduleFormInParts(module));
}

function* formInParts(document: Document | undefined): Parts<ParameterList> {
  if (document === undefined) return NO_FIELDS;
  const known = FORMS.get(document);
  if (known !== undefined) return known;
  return remember(document, yield* readParametersInParts(document.value, document.placeOf));
}

function* moduleFormInParts(module: ModuleComponent): Parts<ParameterList> {
  const known = FORMS.get(module);
  if (known !== undefined) return known;
  const { staticParams, mappableParams } = module;
  if (staticParams === undefined && mappableParams === undefined) return NO_FIELDS;
  return remember(
    module,
    joinParameters(yield* formInParts(staticParams), yield* formInParts(mappableParams)),
  );
}

/** Whoever reads a form at the same time is given the same one. */
function remember(source: Document | ModuleComponent, form: ParameterList): ParameterList {
  const first = FORMS.get(source) ?? form;
  FORMS.set(source, first);
  return first;
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

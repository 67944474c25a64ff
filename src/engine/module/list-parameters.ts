import { createRpcResolver } from '../component/check-parameters.js';
import { moduleSubject } from '../component/run-subject.js';
import type { FormInput, Runtime } from '../component/runtime.js';
import type { ModuleComponent } from '../document/app.js';
import type { Document, Warning } from '../document/document.js';
import { readForm, readSource } from '../parameters/form.js';
import type { ParameterElement, ParameterList } from '../parameters/parameter-spec.js';
import { type ReferenceFailure, resolveParameters } from '../parameters/resolve-parameters.js';

/** Input for the list of a form. */
export interface ParametersInput extends Omit<FormInput, 'payload' | 'start'> {
  /** Whether to call the RPCs of `rpc://` references. Default: false; no request is sent. */
  readonly resolve?: boolean | undefined;
}

/** The form of a module. */
export interface ModuleParameters {
  /** Set once for all bundles. */
  readonly static: readonly ParameterElement[];
  /** Mapped for every bundle. */
  readonly mappable: readonly ParameterElement[];
  /** `metadata` of a run over this form: the specifications as data, as far as they are resolved. */
  readonly metadata: {
    readonly parameters: readonly unknown[];
    readonly expect: readonly unknown[];
    readonly interface: readonly unknown[];
  };
  /** References that could not be followed; they stay in the lists. */
  readonly failures: readonly ReferenceFailure[];
  readonly warnings: readonly Warning[];
}

/**
 * Lists the fields of a module's form. With `resolve`, calls RPCs as the form in the editor does: with the current
 * values, `input.parameters`, which also select the nested fields.
 *
 * @throws SpecError (SPEC_INVALID) for fields nested too deep; AppError of type BundleValidationError for values that
 *   are too large to search
 */
export async function listParameters(
  module: ModuleComponent,
  input: ParametersInput,
  runtime: Runtime,
): Promise<ModuleParameters> {
  const { resolve = false, ...given } = input;
  const ask = createRpcResolver(runtime, given, moduleSubject(module));
  const failures: ReferenceFailure[] = [];
  const list = async (document: Document | undefined): Promise<ParameterList> => {
    const form = readForm(document);
    if (!resolve) return form;
    const resolved = await resolveParameters(form, given.parameters, ask);
    for (const failure of resolved.failures) failures.push(failure);
    return resolved;
  };
  const fixed = await list(module.staticParams);
  const mappable = await list(module.mappableParams);
  const output = await list(module.interface);
  return {
    static: fixed.elements,
    mappable: mappable.elements,
    metadata: {
      parameters: fixed.elements.map(readSource),
      expect: mappable.elements.map(readSource),
      interface: output.elements.map(readSource),
    },
    failures,
    warnings: [...fixed.warnings, ...mappable.warnings, ...output.warnings],
  };
}

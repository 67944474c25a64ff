import type { Engine } from '../../app/engine/create-engine.js';
import { findModule } from '../../app/engine/find-component.js';
import type { Document } from '../../document/reading/document.js';
import type { ParameterList } from '../../parameters/form/parameter-spec.js';
import { joinParameters, readParameters } from '../../parameters/form/read-parameters.js';
import type { FlowModule } from './flow.js';

/**
 * A module of an engine as a step of a flow, with the form its inputs are checked by.
 *
 * @throws SpecError (SPEC_MISSING) for a name the app does not have, SPEC_INVALID for a form nested too deep
 */
export function engineModule(engine: Engine, name: string): FlowModule {
  const { staticParams, mappableParams } = findModule(engine.app, name);
  const { type, run, respond } = engine.module(name);
  return {
    name,
    type,
    // The flow has checked the values, and knows which of them are mapped.
    run: (input) => run({ ...input, checkParameters: false }),
    respond: (input) => respond({ ...input, checkParameters: false }),
    parameters: readForms([staticParams, mappableParams]),
  };
}

function readForms(documents: readonly (Document | undefined)[]): ParameterList | undefined {
  const forms = documents.filter((document) => document !== undefined);
  if (forms.length === 0) return undefined;
  return joinParameters(...forms.map(({ value, placeOf }) => readParameters(value, placeOf)));
}

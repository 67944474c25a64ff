import type { Evaluate } from '../language/compile/compile-expression.js';
import { type CompileOptions, compile } from '../language/compile.js';
import {
  ANY_BOOLEAN,
  ANY_LIST,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkMembers,
  checkOptions,
  checkValue,
  either,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  oneOfChoices,
  wholeNumber,
} from '../shared/errors/check-options.js';
import { EngineError } from '../shared/errors/engine-error.js';
import type { ErrorHandler, Flow, FlowStep } from './flow.js';
import { compileInputs, type InputMapping } from './map-inputs.js';

/** A step with compiled templates. */
export interface CompiledStep {
  readonly step: FlowStep;
  readonly inputs: InputMapping;
  readonly filter: Evaluate | undefined;
  /** Output of a resume handler. */
  readonly resume: Evaluate | undefined;
}

/** A flow with parsed templates, created by `compileFlow`. Can run any number of times, also concurrently. */
export interface CompiledFlow {
  readonly flow: Flow;
  readonly steps: readonly CompiledStep[];
  readonly options: CompileOptions;
}

const FLOW_SHAPES: OptionShapes<Flow> = { name: ANY_TEXT, steps: ANY_LIST };

const STEP_SHAPES: OptionShapes<FlowStep> = {
  id: ANY_VALUE, // checked below
  module: objectWithFunctions(['run'], ['respond']),
  parameters: ANY_OBJECT,
  connection: either(ANY_TEXT, ANY_OBJECT),
  filter: either(ANY_TEXT, ANY_BOOLEAN),
  onError: ANY_OBJECT,
};

const NO_SETTINGS = {};
/** Settings of each kind of error handler. */
const HANDLER_SETTINGS: Readonly<Record<ErrorHandler['kind'], Readonly<Record<string, OptionShape>>>> = {
  ignore: NO_SETTINGS,
  resume: { output: ANY_VALUE },
  commit: NO_SETTINGS,
  rollback: NO_SETTINGS,
  break: { automatic: ANY_BOOLEAN, attempts: wholeNumber(0), intervalMs: wholeNumber(0) },
};
const HANDLER_KIND = oneOfChoices(...Object.keys(HANDLER_SETTINGS));

function checkHandler(handler: ErrorHandler): void {
  const what = 'The error handler of a step';
  checkValue(handler.kind, HANDLER_KIND, `${what}: "kind"`);
  checkMembers(handler, { kind: ANY_VALUE, ...HANDLER_SETTINGS[handler.kind] }, what);
}

/** Limit of steps, as each bundle passes through all of them with the outputs of the previous ones. [choice] */
export const MAX_FLOW_STEPS = 1000;

/**
 * Compiles a flow. Templates that do not parse are errors of the runs that evaluate them.
 *
 * @param options clock, timezone and random source of expressions
 * @throws EngineError (USAGE) for a flow without steps or with more than 1000, and for ids that are not unique
 * positive integers
 */
export function compileFlow(flow: Flow, options: CompileOptions = {}): CompiledFlow {
  checkOptions(flow, FLOW_SHAPES, 'The flow', ['name', 'steps']);
  for (const step of flow.steps) {
    checkOptions(step, STEP_SHAPES, 'A step of the flow', ['id', 'module']);
    if (step.onError !== undefined) checkHandler(step.onError);
  }
  if (flow.steps.length === 0) throw new EngineError('USAGE', `The flow "${flow.name}" has no steps.`);
  if (flow.steps.length > MAX_FLOW_STEPS) {
    const message = `The flow "${flow.name}" has ${flow.steps.length} steps: expected at most ${MAX_FLOW_STEPS}.`;
    throw new EngineError('USAGE', message);
  }
  const ids = new Set<number>();
  for (const { id } of flow.steps) {
    if (!Number.isInteger(id) || id < 1) {
      throw new EngineError('USAGE', `The id of a step has to be a whole number of at least 1, not ${id}.`);
    }
    if (ids.has(id))
      throw new EngineError('USAGE', `Two steps of the flow "${flow.name}" have the id ${id}.`);
    ids.add(id);
  }
  return { flow, steps: flow.steps.map((step) => compileStep(step, options)), options };
}

function compileStep(step: FlowStep, options: CompileOptions): CompiledStep {
  const { parameters, filter, onError } = step;
  return {
    step,
    inputs: compileInputs(parameters, options),
    filter: filter === undefined ? undefined : compile(filter, options),
    resume: onError?.kind === 'resume' ? compile(onError.output, options) : undefined,
  };
}

import { validateParameters } from '../engine/parameters/validate-parameters.js';
import type { Evaluate } from '../language/compile/compile-expression.js';
import { type CompileOptions, compile } from '../language/compile.js';
import type { Scope } from '../language/environment.js';
import type { AppError } from '../shared/errors/app-error.js';
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
import { isPlainObject, type PlainObject, setMember } from '../shared/plain-object.js';
import type { ErrorHandler, Flow, FlowModule, FlowStep } from './flow.js';

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
  continueWhenNoRes: ANY_BOOLEAN,
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

/** The compiled parameter mapping of a step. */
export interface InputMapping {
  readonly evaluate: Evaluate;
  /** Paths of templates that may produce empty text intentionally. */
  readonly forced: ReadonlySet<string>;
}

export type MappedInputs =
  | { readonly ok: true; readonly parameters: PlainObject }
  | { readonly ok: false; readonly error: AppError };

/** Compiles the parameter mapping of a step. */
export function compileInputs(templates: unknown, options: CompileOptions): InputMapping {
  const forced = new Set<string>();
  collectForced(templates, '', forced);
  return { evaluate: compile(templates ?? {}, options), forced };
}

/**
 * Evaluates the parameters of a module with the outputs of previous modules and applies the rules for empty values:
 * empty text counts as unset, unless `emptystring` produced it; `erase` is null, which clears a field; `ignore` omits
 * it. Converts and checks values by the module's form, if any.
 *
 * @returns a BundleValidationError for invalid values
 * @throws ImlError for a failed expression
 * @see https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values
 */
export async function mapInputs(
  mapping: InputMapping,
  module: FlowModule,
  scope: Scope,
  options: CompileOptions,
): Promise<MappedInputs> {
  const platformVersion = options.platformVersion ?? 2;
  const value = mapping.evaluate(scope);
  const evaluated = isPlainObject(value) ? value : {};
  const isForced = (path: string): boolean => mapping.forced.has(path);
  const dropEmpty = (values: PlainObject): PlainObject =>
    withoutEmpty(values, '', { isForced, platformVersion });
  if (module.parameters === undefined) return { ok: true, parameters: dropEmpty(evaluated) };
  const checked = await validateParameters(module.parameters, evaluated, {
    platformVersion,
    mapped: true,
    isForcedEmpty: isForced,
    timezone: options.timezone ?? 'UTC',
  });
  if (!checked.ok) return checked;
  return { ok: true, parameters: dropEmpty(checked.values) };
}

/** Largest depth of fields; deeper values are data. */
const MAX_DEPTH = 64;

/** Paths of the language, starting at 1: `items[2].email`. */
function collectForced(template: unknown, path: string, forced: Set<string>, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (typeof template === 'string') {
    if (isEmptyOnPurpose(template)) forced.add(path);
  } else if (Array.isArray(template)) {
    for (const [index, item] of template.entries()) {
      collectForced(item, `${path}[${index + 1}]`, forced, depth + 1);
    }
  } else if (isPlainObject(template)) {
    for (const [name, member] of Object.entries(template)) {
      collectForced(member, memberPath(path, name), forced, depth + 1);
    }
  }
}

/** Whether an expression uses `emptystring`, in one piece up to a closing brace. */
function isEmptyOnPurpose(template: string): boolean {
  if (!template.includes('emptystring')) return false;
  return template.split('}').some((piece) => {
    const start = piece.indexOf('{{');
    return start !== -1 && /\bemptystring\b/.test(piece.slice(start));
  });
}

function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

interface EmptyRules {
  readonly isForced: (path: string) => boolean;
  readonly platformVersion: 1 | 2;
}

/** Applies the rules of text to values without a form. Items of lists keep their positions. */
function withoutEmpty(values: PlainObject, path: string, rules: EmptyRules, depth = 0): PlainObject {
  const result: PlainObject = {};
  for (const [name, value] of Object.entries(values)) {
    const at = memberPath(path, name);
    const kept =
      value === '' && !rules.isForced(at)
        ? rules.platformVersion === 1
          ? null
          : undefined
        : isPlainObject(value) && depth < MAX_DEPTH
          ? withoutEmpty(value, at, rules, depth + 1)
          : value;
    if (kept !== undefined) setMember(result, name, kept);
  }
  return result;
}

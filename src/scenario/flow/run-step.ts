import { AppError } from '../../errors/app-error.js';
import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import type { Evaluate } from '../../iml/compile/compile-primary.js';
import type { CompileOptions } from '../../iml/compile.js';
import type { BuiltResponse } from '../../run/response/build-answer.js';
import type { CompiledStep } from './compile-flow.js';
import type { ModuleInput, TriggerData } from './flow.js';
import { mapInputs } from './map-inputs.js';

/** Outputs of the modules so far, by their ids: what expressions of a flow see. */
export type Outputs = Readonly<Record<string, unknown>>;

export type StepOutcome =
  | {
      readonly error?: undefined;
      /** Undefined for a module that lets its bundle pass and puts out nothing of its own: a responder. */
      readonly bundles: readonly unknown[] | undefined;
      readonly state?: TriggerData | undefined;
      readonly states?: readonly (TriggerData | undefined)[] | undefined;
      readonly answer?: BuiltResponse | undefined;
    }
  | { readonly error: AppError };

/**
 * Runs one module for one bundle: maps its inputs, and runs it.
 *
 * @returns every failure that is a matter of the app or the flow as `error`, which may quote what the module was given
 * @throws what is neither: the reason of an aborted signal, or a defect
 */
export async function runStep(
  { step, inputs }: CompiledStep,
  outputs: Outputs,
  extra: Pick<ModuleInput, 'data' | 'payload' | 'signal'>,
  options: CompileOptions,
): Promise<StepOutcome> {
  const { module, connection } = step;
  try {
    const mapped = await mapInputs(inputs, module, outputs, options);
    if (!mapped.ok) return { error: mapped.error };
    const input = { ...extra, parameters: mapped.parameters, connection };
    if (module.type !== 'responder' || module.respond === undefined) return await module.run(input);
    const { result, error } = await module.respond(input);
    return error === undefined ? { bundles: undefined, answer: result } : { error };
  } catch (error) {
    extra.signal?.throwIfAborted();
    return { error: asStepError(error) };
  }
}

/** A template of the flow itself (a filter, the output of a resume handler) for one bundle. */
export function evaluateTemplate(
  evaluate: Evaluate,
  outputs: Outputs,
): { readonly value: unknown } | { readonly error: AppError } {
  try {
    return { value: evaluate(outputs) };
  } catch (error) {
    return { error: asStepError(error) };
  }
}

/**
 * An expression of the mapping fails as wrong data, with the path of its field in front [app]; a module that cannot be run at all is wrongly set up. [inf]
 */
function asStepError(error: unknown): AppError {
  if (isOurs(error, AppError)) return error;
  if (isOurs(error, ImlError)) {
    const path = error.place?.pointer?.slice(1).replaceAll('/', '.') ?? '';
    const field = path === '' ? '' : `Failed to map '${path}': `;
    return new AppError('DataError', field + error.message, { cause: error });
  }
  if (isOurs(error)) {
    return new AppError('InvalidConfigurationError', error.message, { cause: error, place: error.place });
  }
  throw error;
}

import { AppError } from '../errors/app-error.js';
import { isOurs } from '../errors/engine-error.js';
import { ImlError } from '../errors/iml-error.js';
import { SpecError } from '../errors/spec-error.js';
import { compileTemplate } from '../iml/compile/compile-template.js';
import type { CheckParameters, ParameterCheck } from '../parameters/check/parameter-check.js';
import { secretValuesInParts } from '../parameters/check/secret-values.js';
import { validateParameters } from '../parameters/check/validate-parameters.js';
import type { ResolveRpc, ValidateParametersOptions } from '../parameters/check/validation.js';
import { listWritten } from '../parameters/form/form.js';
import type { ParameterElement, ParameterList } from '../parameters/form/parameter-spec.js';
import { AnswerReader } from '../parameters/form/read-answer.js';
import { collectSecrets } from '../redaction/collect-secrets.js';
import { createRedactor } from '../redaction/redact.js';
import { redactAppError } from '../redaction/redact-app-error.js';
import type { PlainObject } from '../util/plain-object.js';
import { Turns } from '../util/turns.js';
import type { RunSubject } from './run-subject.js';
import type { FormInput, Runtime } from './runtime.js';
import { startRun } from './start-run.js';

export interface ReadyParameters {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Texts among them that nothing may show. */
  readonly secrets: readonly string[];
}

/**
 * The parameters of a run as its expressions are to see them: checked and in the types of the form, unless the run or
 * its engine says otherwise.
 *
 * @throws AppError of type BundleValidationError, one suberror a problem, before anything of the run is sent; what an
 *   RPC fails with that is asked for fields
 */
export async function readyParameters(
  runtime: Runtime,
  input: FormInput & { readonly checkParameters?: CheckParameters | undefined },
  subject: RunSubject,
  turns: Turns,
): Promise<ReadyParameters> {
  const { form } = subject;
  const given = input.parameters ?? {};
  const secrets = await findSecrets(form.elements, given, turns);
  const check = subject.isChecked ? mergeChecks(runtime.checkParameters, input.checkParameters) : undefined;
  if (check === undefined || form.elements.length === 0) return { parameters: given, secrets };
  const { defaults, resolve = 'none', mapped = false, forcedEmpty = false } = check;
  const ask = rpcAsker(runtime, input, subject, secrets);
  const options: ValidateParametersOptions = {
    applyDefaults: defaults === true,
    mapped,
    forcedEmpty,
    ...(resolve !== 'none' && { resolveRpc: ask, resolveOptions: resolve === 'options' }),
  };
  const { waitFor, finish } = waitInTime(runtime, input);
  try {
    if (turns.isOver) await turns.next();
    const { environment, settings } = runtime;
    const directives: Runtime['directives'] = (...values) => waitFor(runtime.directives(...values));
    const parameters = await checkForm(
      form,
      given,
      { ...options, waitFor },
      { environment, settings, directives },
    );
    if (turns.isOver) await turns.next();
    // A default may be a secret that nobody has given.
    return { parameters, secrets: [...secrets, ...(await findSecrets(form.elements, parameters, turns))] };
  } catch (error) {
    throw isOurs(error, AppError) ? cleaned(error, runtime, input, secrets) : error;
  } finally {
    finish();
  }
}

/** Rejects with AppError of type BundleValidationError for too many values. */
async function findSecrets(
  elements: readonly ParameterElement[],
  given: unknown,
  turns: Turns,
): Promise<string[]> {
  try {
    return await turns.finish(secretValuesInParts(elements, given));
  } catch (error) {
    throw refusedAsTooLarge(error);
  }
}

/** What a run ends with where its parameters take more work than others may wait for; other errors as they are. */
export function refusedAsTooLarge(error: unknown): unknown {
  if (!isOurs(error, ImlError) || error.code !== 'IML_LIMIT') return error;
  const message = `Invalid parameters: they are too large. ${error.message}`;
  return new AppError('BundleValidationError', message, { cause: error });
}

/**
 * Checks values by a form, with the expressions of the app at hand for conditions and defaults.
 *
 * @throws AppError of type BundleValidationError
 */
export async function checkForm(
  form: ParameterList,
  values: unknown,
  options: ValidateParametersOptions,
  { environment, settings, directives: open }: Pick<Runtime, 'environment' | 'settings' | 'directives'>,
): Promise<PlainObject> {
  const directives = await open(listWritten(form.elements));
  const { timezone, platformVersion } = directives.environment;
  const result = await validateParameters(form, values, {
    timezone,
    platformVersion,
    ...options,
    maxSteps: settings.limits.maxSteps,
    evaluate: (template, known) =>
      compileTemplate(template, { ...directives, pointer: '' })({ environment, ...known, parameters: known }),
  });
  if (!result.ok) throw result.error;
  return result.values;
}

/** Waits for custom functions, to be opened or done. */
interface Waiter {
  readonly waitFor: <T>(work: Promise<T>) => Promise<T>;
  readonly finish: () => void;
}

/** Waits no longer than the run may that is yet to start, from the first function on. */
function waitInTime(runtime: Runtime, { common, signal }: FormInput): Waiter {
  if (runtime.app.functions.size === 0) return { waitFor: (work) => work, finish: () => {} };
  let started: ReturnType<typeof startRun> | undefined;
  return {
    waitFor: (work) => {
      started ??= startRun(runtime, { common, signal }, []);
      return started.context.unlessOver(work);
    },
    finish: () => started?.finish(),
  };
}

/**
 * Asks the app's RPCs as a form does: with its values so far, and everything else of the run it is filled in for.
 *
 * @param secrets grows by the values of secret fields that RPCs describe
 * @returns a function that rejects with AppError: what the RPC fails with, InvalidConfigurationError where there is none
 */
export function rpcAsker(
  runtime: Runtime,
  input: FormInput,
  { metadata }: RunSubject,
  secrets: string[] = [],
): ResolveRpc {
  return async (reference, values) => {
    const call = { ...input, parameters: values, metadata: { ...metadata, ...input.metadata } };
    const answer = await runtime.askRpc(reference, call).catch((error: unknown) => {
      if (!isOurs(error) || error instanceof AppError) throw error;
      const { message, place } = error;
      throw new AppError('InvalidConfigurationError', message, { cause: error, place });
    });
    for (const secret of await describedSecrets(answer, values)) secrets.push(secret);
    return answer;
  };
}

/** Of fields that are too many or nested too deep the check tells by itself. */
async function describedSecrets(answer: unknown, values: PlainObject): Promise<readonly string[]> {
  try {
    const { elements } = await new AnswerReader().fields(answer, {});
    return await findSecrets(elements, values, new Turns());
  } catch (error) {
    if (!isOurs(error, SpecError)) throw error;
    return [];
  }
}

function mergeChecks(
  ofEngine: CheckParameters | undefined,
  ofRun: CheckParameters | undefined,
): ParameterCheck | undefined {
  const isChecked = ofRun ?? ofEngine ?? true;
  if (isChecked === false) return undefined;
  return { ...toObject(ofEngine), ...toObject(ofRun) };
}

function toObject(check: CheckParameters | undefined): ParameterCheck {
  return typeof check === 'object' ? check : {};
}

/** A problem may quote what stands in the wrong field. */
function cleaned(
  error: AppError,
  runtime: Runtime,
  { connection, common }: FormInput,
  secrets: readonly string[],
): AppError {
  const known = collectSecrets(
    typeof connection === 'string' ? undefined : connection,
    common ?? runtime.common,
  );
  const { text } = createRedactor({ secrets: [...known, ...secrets] });
  return redactAppError(error, text);
}

import { compileTemplate } from '../../language/compile/compile-template.js';
import { LONGEST_TIMER_MS } from '../../shared/clock.js';
import { waitFor } from '../../shared/concurrency.js';
import { AppError } from '../../shared/errors/app-error.js';
import { isEngineError, SpecError } from '../../shared/errors/engine-error.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { Document } from '../document/document.js';
import { contentKey } from '../parameters/check-choice.js';
import { listSources, readForm, readSource } from '../parameters/form.js';
import type {
  CheckParameters,
  ParameterCheck,
  ResolveRpc,
  ValidateParametersOptions,
} from '../parameters/form-check.js';
import type { ParameterElement, ParameterList } from '../parameters/parameter-spec.js';
import { resolveParameters } from '../parameters/resolve-parameters.js';
import type { RpcReference } from '../parameters/rpc-reference.js';
import { RpcResultReader } from '../parameters/rpc-results.js';
import { secretValues } from '../parameters/secret-values.js';
import { validateParameters } from '../parameters/validate-parameters.js';
import { createRedactor, redactAppError } from '../redaction/redact.js';
import { collectSecrets } from '../redaction/secrets.js';
import { moduleTimeout } from '../run/run-context.js';
import type { RunSubject } from './run-subject.js';
import type { FormInput, Runtime } from './runtime.js';
import { readTimeout } from './start-run.js';

export interface PreparedParameters {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Secret texts in the parameters. */
  readonly secrets: readonly string[];
  /** Members of `metadata` whose references were resolved. */
  readonly metadata?: PlainObject | undefined;
}

/**
 * Returns the parameters as expressions read them: checked and converted by the form, unless the run or its engine
 * disables the check.
 *
 * @throws AppError of type BundleValidationError with one suberror per problem, before the run sends anything; errors
 * of RPCs called for fields
 */
export async function prepareParameters(
  runtime: Runtime,
  input: FormInput & { readonly checkParameters?: CheckParameters | undefined },
  subject: RunSubject,
): Promise<PreparedParameters> {
  const { form } = subject;
  const given = input.parameters ?? {};
  const secrets = findSecrets(form.elements, given);
  const check = subject.isChecked ? mergeChecks(runtime.checkParameters, input.checkParameters) : undefined;
  if (check === undefined || form.elements.length === 0) return { parameters: given, secrets };
  const { defaults, resolve = 'none' } = check;
  const calls = new RpcCalls(createRpcResolver(runtime, input, subject, secrets));
  const options: ValidateParametersOptions = {
    applyDefaults: defaults === true,
    ...(resolve !== 'none' && {
      resolveRpc: calls.resolve,
      resolveOptions: resolve === 'options',
    }),
  };
  try {
    const parameters = await checkForm(form, given, options, runtime, input);
    // A default may be a secret that is not part of the input.
    return {
      parameters,
      secrets: [...secrets, ...findSecrets(form.elements, parameters)],
      metadata: resolve === 'none' ? undefined : await resolveMetadata(subject, given, calls),
    };
  } catch (error) {
    throw isEngineError(error, AppError) ? redactError(error, runtime, input, secrets) : error;
  }
}

/** Resolves the specifications of a module with the results that the check of its parameters received. */
async function resolveMetadata(
  { specifications = {} }: RunSubject,
  values: unknown,
  calls: RpcCalls,
): Promise<PlainObject> {
  const metadata: PlainObject = {};
  for (const [name, document] of Object.entries(specifications)) {
    if (document === undefined) continue;
    const { elements } = await resolveParameters(readForm(document), values, calls.recall);
    metadata[name] = elements.map(readSource);
  }
  return metadata;
}

/** Calls RPCs of a form and keeps their results. */
class RpcCalls {
  readonly #call: ResolveRpc;
  readonly #results = new Map<string, unknown>();

  constructor(call: ResolveRpc) {
    this.#call = call;
  }

  readonly resolve: ResolveRpc = async (reference, values) => {
    const result = await this.#call(reference, values);
    const key = callKey(reference, values);
    if (key !== undefined) this.#results.set(key, result);
    return result;
  };

  /** Returns the result of an earlier call; rejects for others, so that their references stay text. */
  readonly recall: ResolveRpc = async (reference, values) => {
    const key = callKey(reference, values);
    if (key !== undefined && this.#results.has(key)) return this.#results.get(key);
    throw new SpecError('SPEC_INVALID', `The RPC "${reference.name}" was not called for this form.`);
  };
}

/** Longer values are not compared: a value may contain one object very often. */
const MAX_KEY_LENGTH = 100_000;

function callKey(reference: RpcReference, values: PlainObject): string | undefined {
  return contentKey([reference, values], MAX_KEY_LENGTH);
}

/** Collects the values of secret fields. Values without a field are not secret by this rule. */
export function findFormSecrets(
  document: Document,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { elements } = readForm(document);
  const declared = elements.flatMap((element) =>
    element.kind === 'parameter' && element.name !== undefined ? [element.name] : [],
  );
  const own = declared.filter((name) => Object.hasOwn(values, name));
  return secretValues(elements, Object.fromEntries(own.map((name) => [name, values[name]])));
}

/** @throws AppError of type BundleValidationError for too many values */
function findSecrets(elements: readonly ParameterElement[], given: unknown): string[] {
  try {
    return secretValues(elements, given);
  } catch (error) {
    throw refusedAsTooLarge(error);
  }
}

/** Converts `IML_LIMIT` to the error of a run whose parameters are too large; returns other errors unchanged. */
function refusedAsTooLarge(error: unknown): unknown {
  if (!isEngineError(error, ImlError) || error.code !== 'IML_LIMIT') return error;
  const message = `Invalid parameters: they are too large. ${error.message}`;
  return new AppError('BundleValidationError', message, { cause: error });
}

/**
 * Checks values by a form and evaluates conditions and defaults with the app's expressions. Custom functions may use
 * the time limit of a run.
 *
 * @throws AppError: BundleValidationError, or ModuleTimeoutError; the signal's reason
 */
export async function checkForm(
  form: ParameterList,
  values: unknown,
  options: ValidateParametersOptions,
  runtime: Runtime,
  { common, signal }: Pick<FormInput, 'common' | 'signal'> = {},
): Promise<PlainObject> {
  const { environment, settings } = runtime;
  const deadline = runtime.app.functions.size === 0 ? undefined : startDeadline(runtime, common, signal);
  try {
    const opening = runtime.directives(listSources(form.elements));
    const directives = await waitFor(opening, deadline?.signal);
    const { timezone, platformVersion } = directives.environment;
    const result = await validateParameters(form, values, {
      timezone,
      platformVersion,
      nowMs: settings.clock.now(),
      ...options,
      evaluate: (template, known) => {
        deadline?.throwIfOver();
        const evaluate = compileTemplate(template, { ...directives, pointer: '' });
        return evaluate({ environment, ...known, parameters: known });
      },
    });
    // Errors of conditions and defaults leave a field unchecked; a timeout does not.
    deadline?.throwIfOver();
    if (!result.ok) throw result.error;
    return result.values;
  } finally {
    deadline?.cancel();
  }
}

/** The time limit of a run for the custom functions of a form. */
interface Deadline {
  /** Aborts at the limit, and with the caller's signal. */
  readonly signal: AbortSignal;
  /** Reads the clock, because no timer fires during an evaluation. */
  readonly throwIfOver: () => void;
  readonly cancel: () => void;
}

function startDeadline(runtime: Runtime, common: unknown, callerSignal: AbortSignal | undefined): Deadline {
  const { clock, limits } = runtime.settings;
  const timeoutMs = readTimeout(runtime.app, limits, common ?? runtime.common);
  const endsAt = clock.now() + timeoutMs;
  const controller = new AbortController();
  const end = (): void => controller.abort(moduleTimeout(timeoutMs));
  const signals = callerSignal === undefined ? [] : [callerSignal];
  const signal = AbortSignal.any([controller.signal, ...signals]);
  return {
    signal,
    throwIfOver: () => {
      if (clock.now() > endsAt) end();
      signal.throwIfAborted();
    },
    cancel: timeoutMs < LONGEST_TIMER_MS ? clock.after(timeoutMs + 1, end) : () => {},
  };
}

/**
 * Creates a function that calls the app's RPCs like a form does, with the values so far and the rest of the input.
 *
 * @param secrets receives the values of secret fields that RPCs describe
 * @returns a function that rejects with AppError: the RPC's error, or InvalidConfigurationError for an unknown RPC
 */
export function createRpcResolver(
  runtime: Runtime,
  input: FormInput,
  { metadata }: RunSubject,
  secrets: string[] = [],
): ResolveRpc {
  return async (reference, values) => {
    const call = { ...input, parameters: values, metadata: { ...metadata, ...input.metadata } };
    const answer = await runtime.callRpc(reference, call).catch((error: unknown) => {
      if (!isEngineError(error) || error instanceof AppError) throw error;
      const { message, place } = error;
      throw new AppError('InvalidConfigurationError', message, { cause: error, place });
    });
    for (const secret of describedSecrets(answer, values)) secrets.push(secret);
    return answer;
  };
}

/**
 * Returns the values of the fields that an RPC describes as secret. None if the fields are too many or nested too deep,
 * which the check reports.
 */
function describedSecrets(answer: unknown, values: PlainObject): readonly string[] {
  try {
    const { elements } = new RpcResultReader().fields(answer, {});
    return findSecrets(elements, values);
  } catch (error) {
    if (!isEngineError(error, SpecError)) throw error;
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

/** A message may quote a secret that was entered in the wrong field. */
function redactError(
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

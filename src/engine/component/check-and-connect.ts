import { listSources } from '../parameters/form.js';
import type { CheckParameters } from '../parameters/form-check.js';
import { type RunContext, raceWithAbort, warn } from '../run/run-context.js';
import { findFormSecrets, type PreparedParameters, prepareParameters } from './check-parameters.js';
import type { RunSubject } from './run-subject.js';
import type { FormInput, Runtime } from './runtime.js';
import {
  applyCommonTimeout,
  findRunSecrets,
  type RunTraits,
  type StartedRun,
  startRun,
} from './start-run.js';

/** Input of a run whose connection may be stored. */
export interface RunInput<Parameters extends object = Readonly<Record<string, unknown>>>
  extends Omit<FormInput, 'parameters'> {
  /** Values of static and mappable parameters. */
  readonly parameters?: Parameters | undefined;
  /**
   * Whether and how to check and convert `parameters` by the form. Default: `checkParameters` of the engine. Without
   * the check, expressions read the values unchanged.
   */
  readonly checkParameters?: CheckParameters | undefined;
}

/**
 * Starts a run: checks its parameters, then opens a connection given by name, and refreshes and saves it if due.
 *
 * @throws AppError of type BundleValidationError before any request; InvalidAccessTokenError or
 * InvalidConfigurationError if the connection cannot be opened
 */
export async function beginRun(
  runtime: Runtime,
  input: RunInput,
  subject: RunSubject,
  traits: RunTraits = {},
): Promise<StartedRun> {
  input.signal?.throwIfAborted();
  const prepared: PreparedParameters = hasNoParameters(input, subject)
    ? { parameters: input.parameters ?? {}, secrets: [] }
    : await prepareParameters(runtime, input, subject);
  const connection = await openConnection(runtime, input, subject);
  const { parameters, secrets } = prepared;
  const metadata = subject.metadata && { ...subject.metadata, ...prepared.metadata, ...input.metadata };
  const ready = { ...input, parameters, connection, metadata: metadata ?? input.metadata };
  const connectionName = typeof input.connection === 'string' ? input.connection : undefined;
  const known = findRunSecrets(runtime, ready);
  const started = startRun(runtime, ready, known, {
    ...traits,
    connectionName,
    component: subject.component,
  });
  try {
    const { log } = started.context.run;
    log.collectCredentials(secrets);
    log.collectCredentials(findConnectionSecrets(runtime, subject, connection));
    await openFunctions(runtime, subject, started.context);
    await applyCommonTimeout(runtime, started.context);
    return started;
  } catch (error) {
    started.finish(error);
    throw error;
  }
}

/** Opens the custom functions that the run may call. Slow if they are expensive to compile. */
async function openFunctions(runtime: Runtime, subject: RunSubject, context: RunContext): Promise<void> {
  if (runtime.app.functions.size === 0) return;
  const opening = runtime.functionWarnings(listSources(subject.form.elements), ...subject.specs);
  for (const { message, place } of await raceWithAbort(opening, context)) {
    warn({ code: 'function', message, place }, context);
  }
}

/** Whether there are no parameters and no fields. */
function hasNoParameters({ parameters }: RunInput, { form }: RunSubject): boolean {
  return form.elements.length === 0 && Object.keys(parameters ?? {}).length === 0;
}

/** Collects values of password fields in the connection's form, regardless of their names. */
function findConnectionSecrets(
  { app }: Runtime,
  { connections }: RunSubject,
  values: Readonly<Record<string, unknown>> | undefined,
): readonly string[] {
  const forms = connections.flatMap((name) => app.connections.get(name)?.params ?? []);
  if (forms.length === 0 || values === undefined) return [];
  return forms.flatMap((form) => findFormSecrets(form, values));
}

async function openConnection(
  runtime: Runtime,
  { connection: given, signal }: RunInput,
  subject: RunSubject,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (typeof given !== 'string') return given;
  return (await runtime.openConnection(given, { allowed: subject.connections, signal })).connection;
}

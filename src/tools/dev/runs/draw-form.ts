import { createEngine } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import type { Transport, TransportResponse } from '../../../engine/http/transport.js';
import { indexChoices } from '../../../engine/parameters/check-choice.js';
import { readForm } from '../../../engine/parameters/form.js';
import {
  listNestedFields,
  type ParameterElement,
  type ParameterSpec,
} from '../../../engine/parameters/parameter-spec.js';
import { parseRpcReference } from '../../../engine/parameters/rpc-reference.js';
import { validateParameters } from '../../../engine/parameters/validate-parameters.js';
import { listShownFields, type NamedField, walkShown } from '../../../engine/parameters/walk-form.js';
import { compileTemplate } from '../../../language/compile/compile-template.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import { listDocuments } from '../../check/subject/checked-document.js';
import { listExpressions } from '../../check/subject/expression-site.js';
import type { Language } from '../expressions/scope-at.js';
import type { FormRequest, RunRequest, ShownField, ShownForm } from '../protocol.js';
import { writeKey } from './kept-answers.js';
import { createRunRedactor, type RunSetting, readRunForm } from './run-component.js';

/** Maximum number of options of a select. */
const MAX_OPTIONS = 500;

/** Dependencies of a form. */
export interface FormTools {
  /** Functions for conditions of fields. */
  readonly language: Language;
  readonly answers: FormAnswers;
  /** Number of times the app was read. */
  readonly revision: number;
}

/**
 * The form of a component for the current values, flattened for the page. Calls RPCs for options and fields if a
 * connection is selected or none is needed.
 */
export async function drawForm(
  asked: FormRequest,
  setting: RunSetting,
  tools: FormTools,
): Promise<ShownForm> {
  const { app, connections, engine: options } = setting;
  const flattenFields = (elements: readonly ParameterElement[]): readonly ShownField[] =>
    listFields(elements, asked.parameters, createEvaluate(tools.language, asked.parameters));
  if (asked.kind !== 'module') {
    const declared = flattenFields(readForm(findParams(asked, app)).elements);
    const read = asked.kind === 'rpc' ? listReadFields(asked.name, app, declared) : [];
    const { kind } = asked;
    const problems =
      kind === 'endpoint' ? await findProblems({ ...asked, kind }, setting, tools.language) : [];
    return { fields: [...declared, ...read], failures: [], problems };
  }
  const { kind } = asked;
  const module = app.modules.get(asked.name);
  if (module === undefined) throw new EngineError('USAGE', `There is no module "${asked.name}".`);
  const wrap = tools.answers.wrap(`${tools.revision} ${asked.connection ?? ''}`);
  const engine = createEngine({ ...options, app, connections, http: { ...options.http, wrap } });
  try {
    const { parameters } = asked;
    const connection = asked.connection === '' ? undefined : asked.connection;
    const resolve = connection !== undefined || module.connection === undefined;
    const form = await engine.module(asked.name).parameters({ parameters, connection, resolve });
    const evaluate = createEvaluate(tools.language, parameters);
    const failures = form.failures.map(
      ({ text, error }) => explainWaiting(text, evaluate) ?? `${text}: ${error.message}`,
    );
    const fields = flattenFields([...form.static, ...form.mappable]);
    const problems = await findProblems({ ...asked, kind }, setting, tools.language);
    return { fields, failures, problems };
  } finally {
    await engine.close();
  }
}

/** An RPC that reads missing form values may fail until they are filled in; that is not an error of the app. */
function explainWaiting(text: string, evaluate: Evaluate): string | undefined {
  const { name, query } = parseRpcReference(text) ?? { name: '', query: [] };
  const missing = query.filter(([, template]) => {
    try {
      return (
        template.includes('{{') && [undefined, null, ''].includes(evaluate(template) as string | undefined)
      );
    } catch {
      return false;
    }
  });
  if (missing.length === 0) return undefined;
  return `Enter ${missing.map(([key]) => key).join(' and ')} to load the options of ${name}.`;
}

function findParams({ kind, name }: FormRequest, app: App): Document | undefined {
  if (kind === 'rpc') return app.rpcs.get(name)?.params;
  if (kind === 'endpoint') return app.endpoints.get(name)?.input;
  return kind === 'webhook' ? app.webhooks.get(name)?.params : app.connections.get(name)?.params;
}

/** One text field per `parameters.x` that an RPC reads without declaring it. */
function listReadFields(rpc: string, app: App, declared: readonly ShownField[]): readonly ShownField[] {
  const names = new Set<string>();
  for (const checked of listDocuments(app)) {
    if (checked.owner?.kind !== 'rpc' || checked.owner.name !== rpc || checked.kind === 'parameters')
      continue;
    for (const { root, members } of listExpressions(checked).flatMap(({ paths }) => paths)) {
      const name = root.name === 'parameters' ? members[0]?.name : undefined;
      if (name !== undefined) names.add(name);
    }
  }
  for (const { name } of declared) names.delete(name);
  return [...names].map((name) => ({
    name,
    label: name,
    type: 'any',
    required: false,
    multiple: false,
    help: 'The RPC reads this parameter of the form that calls it.',
    default: undefined,
    options: undefined,
    fields: undefined,
    itemType: undefined,
    advanced: false,
  }));
}

type Evaluate = (template: string) => unknown;

/** Evaluates conditions with the unconverted values of the form. */
function createEvaluate({ environment, functions }: Language, values: RunRequest['parameters']): Evaluate {
  return (template) =>
    compileTemplate(template, { environment, functions, pointer: '' })({
      environment,
      ...values,
      parameters: values,
    });
}

/** Validates the values as a run does. Messages are redacted. */
async function findProblems(
  asked: FormRequest & Pick<RunRequest, 'kind'>,
  { app, engine }: RunSetting,
  { environment, functions }: Language,
): Promise<ShownForm['problems']> {
  const checked = await validateParameters(readRunForm(asked, app), asked.parameters, {
    ...(engine.timezone !== undefined && { timezone: engine.timezone }),
    applyDefaults: asked.defaults === true,
    evaluate: (template, known) =>
      compileTemplate(template, { environment, functions, pointer: '' })({
        environment,
        ...known,
        parameters: known,
      }),
  });
  if (checked.ok) return [];
  const redactor = createRunRedactor(asked, app, undefined);
  return checked.problems.map(({ path, message, kind }) => ({
    path,
    message: redactor.text(message),
    isMissing: kind === 'missing',
  }));
}

/** @param values current values of the fields; undefined for array items */
function listFields(
  elements: readonly ParameterElement[],
  values: RunRequest['parameters'] | undefined,
  evaluate: Evaluate,
): readonly ShownField[] {
  const read = (name: string): unknown => values && ownMember(values, name);
  const shownBy = (field: NamedField): readonly (readonly ParameterElement[])[] =>
    values === undefined
      ? [listNestedFields(field)]
      : listShownFields(field, read(field.name), () => indexChoices(field.choices?.options));
  return Array.from(walkShown(elements, { evaluate, shownBy }), (field) => {
    const value = read(field.name);
    return describeField(field, field.name, isPlainObject(value) ? value : {}, evaluate);
  });
}

function describeField(
  spec: ParameterSpec,
  name: string,
  inner: RunRequest['parameters'],
  evaluate: Evaluate,
): ShownField {
  const { type, required, multiple, label, choices, source } = spec;
  const help = ownMember(source, 'help');
  return {
    name,
    type,
    required,
    multiple,
    default: spec.default,
    label: label ?? name,
    help: typeof help === 'string' ? help : undefined,
    advanced: ownMember(source, 'advanced') === true,
    options: choices?.options?.slice(0, MAX_OPTIONS).map(({ value, label: shown }) => ({
      value,
      label: shown ?? String(value),
    })),
    fields:
      spec.spec?.kind === 'fields'
        ? listFields(spec.spec.fields, type === 'array' ? undefined : inner, evaluate)
        : undefined,
    itemType: spec.spec?.kind === 'item' ? spec.spec.item.type : undefined,
  };
}

/** Caches responses of form RPCs for a short time, because forms are redrawn while the user types. */
interface FormAnswers {
  /** @param scope separates credentials and apps */
  readonly wrap: (scope: string) => (transport: Transport) => Transport;
}

const KEPT_MS = 60_000;
const MAX_KEPT = 100;

/** Creates an empty cache. */
export function createFormAnswers(): FormAnswers {
  const answers = new Map<string, { readonly response: TransportResponse; readonly at: number }>();
  return {
    wrap: (scope) => (transport) => async (request) => {
      const key = `${scope}\n${writeKey(request)}`;
      const known = answers.get(key);
      if (known !== undefined && performance.now() - known.at < KEPT_MS) return known.response;
      const response = await transport(request);
      answers.delete(key);
      if (response.status < 400) answers.set(key, { response, at: performance.now() });
      for (const oldest of answers.keys()) {
        if (answers.size <= MAX_KEPT) break;
        answers.delete(oldest);
      }
      return response;
    },
  };
}

import type { AppError } from '../../errors/app-error.js';
import { ImlError } from '../../errors/iml-error.js';
import { SpecError } from '../../errors/spec-error.js';
import { withinSteps } from '../../iml/values/work.js';
import type { PlainObject } from '../../util/plain-object.js';
import { listFormElements, type ReadForm } from '../form/list-form-elements.js';
import type { Option, ParameterElement } from '../form/parameter-spec.js';
import { readOptionList, readParameters } from '../form/read-parameters.js';
import { parseRpcReference, type RpcReference } from '../form/rpc-reference.js';
import { copyMembers, expectedCollection } from '../values/copy-value.js';
import { checkFields } from './check-fields.js';
import {
  createFormCheck,
  type FormCheck,
  type FormSettings,
  type NeededReference,
  type PathTest,
  report,
  visibleValues,
} from './form-check.js';
import { bundleValidationError, describeValue, type Problem } from './problem.js';

/** Calls an RPC of the app. `values` are those the form holds at the place of the reference, not yet converted. */
export type ResolveRpc = (reference: RpcReference, values: PlainObject) => Promise<unknown>;

/** How values are checked; every setting has a default. */
export interface ValidateParametersOptions {
  /** Timezone of dates that are written without an offset. Default `UTC`. */
  readonly timezone?: string;
  /** Rules for empty values: those of apps of version 1 or, by default, 2. */
  readonly platformVersion?: 1 | 2;
  /** Whether defaults fill unset values. Default true. */
  readonly applyDefaults?: boolean;
  /** Whether a value was mapped instead of chosen: it need not be one of the options. Default false. */
  readonly mapped?: PathTest;
  /** Whether an empty text was written as `emptystring` and counts as filled in. Default false. */
  readonly forcedEmpty?: PathTest;
  /**
   * Evaluates `visible` and templates in `default`, seeing the values as far as they are checked. May throw.
   * Without it a field with `visible` is checked but not demanded, and a template is no default.
   */
  readonly evaluate?: (template: string, values: PlainObject) => unknown;
  /** Gives the fields behind `rpc://` references; without it they are left unchecked. */
  readonly resolveRpc?: ResolveRpc;
  /** Whether options are asked for too, for the fields nested in them. Default false. */
  readonly resolveOptions?: boolean;
  /**
   * What becomes of members that no field describes, shown or not: they are kept as they came (`keep`, default), or each
   * is a problem of the kind `unknown` (`report`). Where an RPC that was not asked may bring further fields, none is.
   */
  readonly unknown?: 'keep' | 'report';
  /**
   * Steps of the check, some 25 ns each, that others on the thread wait for; values that take more are refused. Default:
   * Infinity.
   */
  readonly maxSteps?: number;
  /** RPC calls one validation may make. Default 100. */
  readonly maxRpcCalls?: number;
}

/** The values in their types, or all that is wrong with them. */
export type ValidateParametersResult =
  | {
      readonly ok: true;
      /** A copy with every described value in its declared type; other members as they came. */
      readonly values: PlainObject;
      /** Texts of the references whose fields were not checked. */
      readonly unresolved: readonly string[];
    }
  | {
      readonly ok: false;
      /** `BundleValidationError`, one suberror a problem. */
      readonly error: AppError;
      readonly problems: readonly Problem[];
    };

const DEFAULT_MAX_RPC_CALLS = 100;

/** What RPCs answered; filled between passes. */
interface Answers {
  readonly fields: Map<string, readonly ParameterElement[]>;
  readonly options: Map<string, readonly Option[]>;
  readonly failures: Problem[];
}

/**
 * Checks the values of a form against its specification and converts them to the declared types.
 * All problems are collected. Nothing is thrown for what the values hold; the arguments are not changed.
 *
 * @param form What `readParameters` gave, or a list of fields such as `[...form.static, ...form.mappable]` of a module.
 * @param values A plain object; undefined and null stand for an empty one.
 * @throws only what `resolveRpc` rejects with, what `mapped` and `forcedEmpty` throw, and EngineError (USAGE) for what is no
 *   form that was read
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/parameters
 * @example
 * const { static: fixed, mappable } = await engine.module('createContact').parameters();
 * const checked = await validateParameters([...fixed, ...mappable], { name: 'Ann' });
 * if (!checked.ok) for (const { path, message } of checked.problems) console.warn(path, message);
 */
export async function validateParameters(
  form: ReadForm,
  values: unknown,
  options: ValidateParametersOptions = {},
): Promise<ValidateParametersResult> {
  const elements = listFormElements(form, 'validateParameters');
  const copy = atOnce(options, () => ({ root: copyMembers(values ?? {}) }));
  if (copy === undefined) return rejected([TOO_MUCH], 1);
  const { root } = copy;
  if (root === undefined) return rejected([wholeProblem(values)], 1);
  const answers: Answers = { fields: new Map(), options: new Map(), failures: [] };
  let callsLeft = options.maxRpcCalls ?? DEFAULT_MAX_RPC_CALLS;
  // Answers bring fields with further references, so the check is repeated until it asks for nothing new.
  for (;;) {
    const output = { ...root };
    const check = createFormCheck(readSettings(options), answers, output);
    const level = { path: '', depth: 0, values: root, parent: undefined, keepsEmpty: false, demands: true };
    if (atOnce(options, () => checkFields(check, elements, level, output)) === undefined) {
      return rejected([TOO_MUCH], 1);
    }
    const calls = options.resolveRpc === undefined ? [] : listCalls(check, options);
    if (calls.length === 0 || options.resolveRpc === undefined) return finish(check, answers);
    for (const { key, need, reference } of calls) {
      if (callsLeft-- <= 0) answers.failures.push(tooManyCalls(need));
      if (callsLeft < 0) return finish(check, answers);
      readAnswer(answers, key, need, await options.resolveRpc(reference, visibleValues(need.level)));
    }
  }
}

const TOO_MUCH: Problem = {
  kind: 'limit',
  path: '',
  message: 'Invalid parameters: expected values that take no more than limits.maxSteps to check, got more.',
  expected: 'values that take no more than limits.maxSteps to check',
  received: 'more',
  place: undefined,
};

/** What a part of the check gives; undefined where that part is more than may be done at a time. */
function atOnce<T>(
  { maxSteps = Number.POSITIVE_INFINITY }: ValidateParametersOptions,
  part: () => T,
): T | undefined {
  try {
    return withinSteps(maxSteps, part);
  } catch (error) {
    if (error instanceof ImlError && error.code === 'IML_LIMIT') return undefined;
    throw error;
  }
}

function readSettings(options: ValidateParametersOptions): FormSettings {
  return {
    timezone: options.timezone ?? 'UTC',
    platformVersion: options.platformVersion ?? 2,
    applyDefaults: options.applyDefaults ?? true,
    mapped: options.mapped ?? false,
    forcedEmpty: options.forcedEmpty ?? false,
    reportsUnknown: options.unknown === 'report',
    evaluate: options.evaluate,
  };
}

interface Call {
  readonly key: string;
  readonly need: NeededReference;
  readonly reference: RpcReference;
}

function listCalls(check: FormCheck, options: ValidateParametersOptions): readonly Call[] {
  const calls: Call[] = [];
  for (const [key, need] of check.needed) {
    const reference = parseRpcReference(need.reference.text);
    const isWanted = need.purpose === 'fields' || options.resolveOptions === true;
    if (reference !== undefined && isWanted) calls.push({ key, need, reference });
  }
  return calls;
}

function readAnswer(answers: Answers, key: string, need: NeededReference, answer: unknown): void {
  try {
    if (need.purpose === 'fields') {
      // Set first: an answer that cannot be read is not asked for again.
      answers.fields.set(key, []);
      answers.fields.set(key, readParameters(answer, () => need.reference.place).elements);
    } else {
      answers.options.set(key, []);
      answers.options.set(key, readOptionList(answer, need.valueKey, need.reference.place));
    }
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const expected = `fields that can be read from ${need.reference.text.slice(0, 80)}`;
    answers.failures.push(referenceProblem(need, expected, error.message));
  }
}

function finish(check: FormCheck, answers: Answers): ValidateParametersResult {
  for (const problem of answers.failures) report(check, problem);
  if (check.problemCount > 0) return rejected(check.problems, check.problemCount);
  const fields = [...check.needed.values()].filter((need) => need.purpose === 'fields');
  return {
    ok: true,
    values: check.output,
    unresolved: [...new Set(fields.map((need) => need.reference.text))],
  };
}

function rejected(problems: readonly Problem[], count: number): ValidateParametersResult {
  return { ok: false, error: bundleValidationError(problems, count), problems };
}

function tooManyCalls(need: NeededReference): Problem {
  return referenceProblem(need, 'fewer references to RPCs', 'more than one validation may follow');
}

function referenceProblem(need: NeededReference, expected: string, received: string): Problem {
  const at = need.level.path === '' ? 'the parameters' : `parameter '${need.level.path}'`;
  return {
    kind: 'depth',
    path: need.level.path,
    message: `The fields of ${at} cannot be loaded: expected ${expected}, got ${received}`.replace(
      /\.?$/,
      '.',
    ),
    expected,
    received,
    place: need.reference.place,
  };
}

function wholeProblem(values: unknown): Problem {
  const expected = expectedCollection(values);
  const received = describeValue(values);
  return {
    kind: 'type',
    path: '',
    message: `Invalid parameters: expected ${expected}, got ${received}.`,
    expected,
    received,
    place: undefined,
  };
}

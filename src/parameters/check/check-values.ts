import { SpecError } from '../../errors/engine-error.js';
import type { PlainObject } from '../../util/plain-object.js';
import { DEFAULT_MAX_RPC_CALLS, type Option, type ParameterElement } from '../form/parameter-spec.js';
import { AnswerReader } from '../form/read-answer.js';
import { parseRpcReference } from '../form/rpc-reference.js';
import { copyMembers, expectedCollection, mergeMembers } from '../values/copy-value.js';
import { checkElement } from './check-fields.js';
import {
  createFormCheck,
  type FormCheck,
  type FormSettings,
  type NeededReference,
  report,
  visibleValues,
} from './form-check.js';
import { bundleValidationError, describeValue, type Problem } from './problem.js';
import { reportUnknown } from './report-unknown.js';
import type { ValidateParametersOptions, ValidateParametersResult } from './validation.js';

/** RPC responses; filled between passes. */
interface Answers {
  readonly fields: Map<string, readonly ParameterElement[]>;
  readonly options: Map<string, readonly Option[]>;
  readonly failures: Problem[];
  readonly reader: AnswerReader;
}

/** Does what `validateParameters` says, over the fields of a form. */
export async function checkValues(
  elements: readonly ParameterElement[],
  values: unknown,
  options: ValidateParametersOptions,
): Promise<ValidateParametersResult> {
  const root = copyMembers(values ?? {});
  if (root === undefined) return rejected([wholeProblem(values)], 1);
  const answers: Answers = {
    fields: new Map(),
    options: new Map(),
    failures: [],
    // Each row of an array calls the RPC of its field, and most responses are the same.
    reader: new AnswerReader(true),
  };
  const settings = readSettings(options);
  let callsLeft = options.maxRpcCalls ?? DEFAULT_MAX_RPC_CALLS;
  // Responses bring fields with further references, so the check is repeated until it needs no new one.
  for (;;) {
    const check = checkOnce(elements, root, answers, settings);
    let hasCalled = false;
    for (const [key, need] of listNeeded(check, options)) {
      const reference = parseRpcReference(need.reference.text);
      if (reference === undefined || options.resolveRpc === undefined) continue;
      hasCalled = true;
      if (callsLeft-- <= 0) {
        answers.failures.push(tooManyCalls(need));
        return finish(check, answers);
      }
      readAnswer(answers, key, need, await options.resolveRpc(reference, visibleValues(need.level)));
    }
    if (!hasCalled) return finish(check, answers);
  }
}

/** One pass over the values, with the RPC responses received so far. */
function checkOnce(
  elements: readonly ParameterElement[],
  root: PlainObject,
  answers: Answers,
  settings: FormSettings,
): FormCheck {
  const check = createFormCheck(settings, answers, mergeMembers([root]));
  const level = { path: '', depth: 0, values: root, parent: undefined, keepsEmpty: false, demands: true };
  for (const element of elements) checkElement(check, element, level, check.output);
  if (settings.reportsUnknown) reportUnknown(check, elements, level);
  return check;
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
    nowMs: options.nowMs ?? Date.now(),
  };
}

/** References whose RPC has to be called. */
function listNeeded(
  { needed }: FormCheck,
  { resolveRpc, resolveOptions }: ValidateParametersOptions,
): readonly (readonly [key: string, need: NeededReference])[] {
  if (resolveRpc === undefined) return [];
  return [...needed].filter(([, { purpose }]) => purpose === 'fields' || resolveOptions === true);
}

function readAnswer(answers: Answers, key: string, need: NeededReference, answer: unknown): void {
  const { place } = need.reference;
  try {
    if (need.purpose === 'fields') {
      // Set first: the RPC is not called again for a response that cannot be read.
      answers.fields.set(key, []);
      answers.fields.set(key, answers.reader.fields(answer, place).elements);
    } else {
      answers.options.set(key, []);
      const keys = { valueKey: need.valueKey, labelKey: 'label' };
      answers.options.set(key, answers.reader.options(answer, keys, place));
    }
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const expected = `fields that can be read from ${need.reference.text.slice(0, 80)}`;
    answers.failures.push(referenceProblem(need, expected, error.message));
  }
}

function finish(check: FormCheck, answers: Answers): ValidateParametersResult {
  for (const problem of answers.failures) report(check, () => problem);
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

import { ImlError } from '../../errors/iml-error.js';
import { SpecError } from '../../errors/spec-error.js';
import { finishPending, type TurnRules } from '../../iml/values/finish-pending.js';
import {
  countAffordable,
  goOnWithJournal,
  type Journal,
  openJournal,
  rewindJournal,
  withinSteps,
} from '../../iml/values/work.js';
import type { PlainObject } from '../../util/plain-object.js';
import { Turns } from '../../util/turns.js';
import type { Option, ParameterElement } from '../form/parameter-spec.js';
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
import { DEFAULT_MAX_RPC_CALLS } from './form-limits.js';
import { bundleValidationError, describeValue, type Problem } from './problem.js';
import { reportUnknown } from './report-unknown.js';
import type { ValidateParametersOptions, ValidateParametersResult } from './validation.js';

/** What RPCs answered; filled between passes. */
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
  const turns = new Turns();
  const copy = withinBudget(createBudget(options), () => ({ root: copyMembers(values ?? {}) }));
  if (copy === undefined) return rejected([TOO_MUCH], 1);
  const { root } = copy;
  if (root === undefined) return rejected([wholeProblem(values)], 1);
  const answers: Answers = {
    fields: new Map(),
    options: new Map(),
    failures: [],
    // Each row of an array asks the RPC of its field, and most are answered the same.
    reader: new AnswerReader(true),
  };
  let callsLeft = options.maxRpcCalls ?? DEFAULT_MAX_RPC_CALLS;
  // Answers bring fields with further references, so the check is repeated until it asks for nothing new.
  for (;;) {
    if (turns.isOver) await turns.next();
    const check = await checkOnce(elements, root, answers, options, turns);
    if (check === undefined) return rejected([TOO_MUCH], 1);
    let hasAsked = false;
    for (const [key, need] of listWanted(check, options)) {
      if (turns.isOver) await turns.next();
      const reference = parseRpcReference(need.reference.text);
      if (reference === undefined || options.resolveRpc === undefined) continue;
      hasAsked = true;
      if (callsLeft-- <= 0) {
        answers.failures.push(tooManyCalls(need));
        return finish(check, answers);
      }
      if (turns.isOver) await turns.next();
      const visible = withinBudget(createBudget(options), () => visibleValues(need.level));
      if (visible === undefined) return rejected([TOO_MUCH], 1);
      await readAnswer(answers, key, need, await options.resolveRpc(reference, visible));
    }
    if (!hasAsked) return finish(check, answers);
  }
}

/**
 * One pass over the values, with what RPCs have answered so far. Where a custom function takes longer than others put up with, it is done
 * elsewhere, and the pass begun anew with what it gave.
 *
 * @returns undefined where all of it is more than may be done
 */
async function checkOnce(
  elements: readonly ParameterElement[],
  root: PlainObject,
  answers: Answers,
  options: ValidateParametersOptions,
  turns: Turns,
): Promise<FormCheck | undefined> {
  const { maxSteps = Number.POSITIVE_INFINITY, waitFor = (work) => work } = options;
  const rules: TurnRules = { maxSteps, assertGoesOn: () => {}, waitFor };
  const pass = new FormPass(readSettings(options));
  for (;;) {
    const check = await pass.begin(elements, root, answers, createBudget(options), turns);
    if (pass.journal.pending === undefined) return check;
    await finishPending(pass.journal.pending, pass.journal, rules);
  }
}

/** What evaluations for one field take before others have their turn. */
const EVALUATIONS_MS = 8;

/** Looks at the fields of a form one after the other, in turns. */
class FormPass {
  readonly journal: Journal = openJournal(() => this.#evaluatedMs > EVALUATIONS_MS, false);
  readonly #settings: FormSettings;
  #evaluatedMs = 0;

  constructor(settings: FormSettings) {
    const { evaluate } = settings;
    this.#settings = {
      ...settings,
      evaluate: evaluate && ((template, values) => this.#timed(() => evaluate(template, values))),
    };
  }

  /** @returns undefined where it is more than may be done, and where something is to be done first that is left in the journal */
  async begin(
    elements: readonly ParameterElement[],
    root: PlainObject,
    answers: Answers,
    budget: Budget,
    turns: Turns,
  ): Promise<FormCheck | undefined> {
    rewindJournal(this.journal);
    const settings = this.#settings;
    const check = withinBudget(budget, () => createFormCheck(settings, answers, mergeMembers([root])));
    if (check === undefined) return undefined;
    const level = { path: '', depth: 0, values: root, parent: undefined, keepsEmpty: false, demands: true };
    const checkOne = (element: ParameterElement): FormCheck => {
      checkElement(check, element, level, check.output);
      return check;
    };
    for (const element of elements) {
      if (turns.isOver) await turns.next();
      this.#evaluatedMs = 0;
      const checked = withinBudget(budget, () => goOnWithJournal(this.journal, () => checkOne(element)));
      // What is left in the journal has failed the condition that asked for it.
      if (checked === undefined || this.journal.pending !== undefined) return undefined;
    }
    if (!settings.reportsUnknown) return check;
    return withinBudget(budget, () => {
      reportUnknown(check, elements, level);
      return check;
    });
  }

  #timed<T>(run: () => T): T {
    const begunAt = performance.now();
    try {
      return run();
    } finally {
      this.#evaluatedMs += performance.now() - begunAt;
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

/** Steps that all parts of a piece of work may still take together. */
interface Budget {
  left: number;
}

function createBudget({ maxSteps = Number.POSITIVE_INFINITY }: ValidateParametersOptions): Budget {
  return { left: maxSteps };
}

/** What a part of the check gives; undefined where that is more than the budget has. */
function withinBudget<T>(budget: Budget, part: () => T): T | undefined {
  try {
    return withinSteps(budget.left, () => {
      const given = part();
      budget.left = countAffordable(1);
      return given;
    });
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

/** What RPCs are to be asked for. */
function listWanted(
  { needed }: FormCheck,
  { resolveRpc, resolveOptions }: ValidateParametersOptions,
): readonly (readonly [key: string, need: NeededReference])[] {
  if (resolveRpc === undefined) return [];
  return [...needed].filter(([, { purpose }]) => purpose === 'fields' || resolveOptions === true);
}

async function readAnswer(
  answers: Answers,
  key: string,
  need: NeededReference,
  answer: unknown,
): Promise<void> {
  const { place } = need.reference;
  try {
    if (need.purpose === 'fields') {
      // Set first: an answer that cannot be read is not asked for again.
      answers.fields.set(key, []);
      answers.fields.set(key, (await answers.reader.fields(answer, place)).elements);
    } else {
      answers.options.set(key, []);
      const keys = { valueKey: need.valueKey, labelKey: 'label' };
      answers.options.set(key, await answers.reader.options(answer, keys, place));
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

import { SpecError } from '../../shared/errors/engine-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import { checkElement } from './check-fields.js';
import { copyMembers, expectedCollection, mergeMembers } from './copy-value.js';
import {
  createFormCheck,
  type FormCheck,
  type FormSettings,
  type NeededReference,
  report,
  type ValidateParametersOptions,
  type ValidateParametersResult,
  visibleValues,
} from './form-check.js';
import { DEFAULT_MAX_RPC_CALLS, type Option, type ParameterElement } from './parameter-spec.js';
import { bundleValidationError, describeValue, type Problem } from './problem.js';
import { reportUnknown } from './report-unknown.js';
import { parseRpcReference } from './rpc-reference.js';
import { RpcResultReader } from './rpc-results.js';

/** RPC results, added between passes. */
interface RpcResults {
  readonly fields: Map<string, readonly ParameterElement[]>;
  readonly options: Map<string, readonly Option[]>;
  readonly failures: Problem[];
  readonly reader: RpcResultReader;
}

/** Implements `validateParameters` for a list of form elements. */
export async function checkValues(
  elements: readonly ParameterElement[],
  values: unknown,
  options: ValidateParametersOptions,
): Promise<ValidateParametersResult> {
  const root = copyMembers(values ?? {});
  if (root === undefined) return rejected([wholeProblem(values)], 1);
  const rpcResults: RpcResults = {
    fields: new Map(),
    options: new Map(),
    failures: [],
    // Rows of an array call the same RPC and mostly get the same result.
    reader: new RpcResultReader(true),
  };
  const settings = readSettings(options);
  let callsLeft = options.maxRpcCalls ?? DEFAULT_MAX_RPC_CALLS;
  // RPC results may contain further references, so passes repeat until no new RPC is needed.
  for (;;) {
    const check = checkOnce(elements, root, rpcResults, settings);
    let hasCalled = false;
    for (const [key, need] of listNeeded(check, options)) {
      const reference = parseRpcReference(need.reference.text);
      if (reference === undefined || options.resolveRpc === undefined) continue;
      hasCalled = true;
      if (callsLeft-- <= 0) {
        rpcResults.failures.push(tooManyCalls(need));
        return finish(check, rpcResults);
      }
      readRpcResult(rpcResults, key, need, await options.resolveRpc(reference, visibleValues(need.level)));
    }
    if (!hasCalled) return finish(check, rpcResults);
  }
}

/** Runs one pass with the RPC results received so far. */
function checkOnce(
  elements: readonly ParameterElement[],
  root: PlainObject,
  rpcResults: RpcResults,
  settings: FormSettings,
): FormCheck {
  const check = createFormCheck(settings, rpcResults, mergeMembers([root]));
  const level = { path: '', depth: 0, values: root, parent: undefined, keepsEmpty: false, canRequire: true };
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
    isForcedEmpty: options.isForcedEmpty ?? (() => false),
    reportsUnknown: options.unknown === 'report',
    evaluate: options.evaluate,
    nowMs: options.nowMs ?? Date.now(),
  };
}

/** Lists references whose RPC has to be called. */
function listNeeded(
  { needed }: FormCheck,
  { resolveRpc, resolveOptions }: ValidateParametersOptions,
): readonly (readonly [key: string, need: NeededReference])[] {
  if (resolveRpc === undefined) return [];
  return [...needed].filter(([, { purpose }]) => purpose === 'fields' || resolveOptions === true);
}

function readRpcResult(rpcResults: RpcResults, key: string, need: NeededReference, result: unknown): void {
  const { place } = need.reference;
  try {
    if (need.purpose === 'fields') {
      // Set before reading, so that an invalid result does not cause another call.
      rpcResults.fields.set(key, []);
      rpcResults.fields.set(key, rpcResults.reader.fields(result, place).elements);
    } else {
      rpcResults.options.set(key, []);
      const keys = { valueKey: need.valueKey, labelKey: 'label' };
      rpcResults.options.set(key, rpcResults.reader.options(result, keys, place));
    }
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const expected = `fields that can be read from ${need.reference.text.slice(0, 80)}`;
    rpcResults.failures.push(referenceProblem(need, expected, error.message.replace(/^More/, 'more')));
  }
}

function finish(check: FormCheck, rpcResults: RpcResults): ValidateParametersResult {
  for (const problem of rpcResults.failures) report(check, () => problem);
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
  return referenceProblem(need, 'fewer references to RPCs', 'more than one validation may resolve');
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

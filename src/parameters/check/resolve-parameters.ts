import pLimit, { type LimitFunction } from 'p-limit';
import type { Warning } from '../../document/reading/document.js';
import { EngineError, SpecError } from '../../errors/engine-error.js';
import type { SourceLocation } from '../../errors/source-location.js';
import { ownMember, type PlainObject } from '../../util/plain-object.js';
import {
  type Choices,
  type ItemSpec,
  MAX_CALLS,
  MAX_PARAMETER_DEPTH,
  MAX_PROBLEMS,
  type Option,
  type ParameterElement,
  type ParameterList,
  type ParameterReference,
  type ParameterSpec,
} from '../form/parameter-spec.js';
import { AnswerReader } from '../form/read-answer.js';
import { parseRpcReference } from '../form/rpc-reference.js';
import { copyItems, copyMembers, mergeMembers } from '../values/copy-value.js';
import { findOption, indexChoices } from './check-choice.js';
import { memberPath } from './problem.js';
import type { ResolveRpc } from './validation.js';

/** A reference that could not be followed. It stays in the list as it is written. */
export interface ReferenceFailure {
  /** The reference as it is written. */
  readonly text: string;
  /** The field it belongs to, as a path of the language; empty for fields of the form itself. */
  readonly path: string;
  readonly place: SourceLocation;
  readonly error: EngineError;
}

/** A form with what its RPCs gave. */
export interface ResolvedParameters extends ParameterList {
  readonly failures: readonly ReferenceFailure[];
}

interface Resolution {
  readonly resolveRpc: ResolveRpc;
  readonly failures: ReferenceFailure[];
  readonly warnings: Warning[];
  readonly reader: AnswerReader;
  /** Bounds the RPCs that are called at the same time. */
  readonly limit: LimitFunction;
  readonly left: { calls: number; failures: number };
}

const MAX_PARALLEL_CALLS = 4;

/** Where a field stands: its path, the values that are seen there, and the references it came from. */
interface Spot {
  readonly path: string;
  /** The values of the form and of the collections the field stands in, the innermost last. */
  readonly levels: readonly PlainObject[];
  readonly trail: readonly string[];
  readonly depth: number;
}

/**
 * Replaces the `rpc://` references of a form by what the RPCs give: fields, whole lists of them, and options. Fields
 * nested in an option or beside a field are asked for only where `values` choose or fill it, as a form does.
 *
 * @param resolveRpc rejects with EngineError for an RPC that fails; that becomes a failure, and the rest goes on
 */
export async function resolveParameters(
  list: ParameterList,
  values: unknown,
  resolveRpc: ResolveRpc,
): Promise<ResolvedParameters> {
  const resolution: Resolution = {
    resolveRpc,
    failures: [],
    warnings: [],
    left: { calls: MAX_CALLS, failures: MAX_PROBLEMS },
    limit: pLimit(MAX_PARALLEL_CALLS),
    reader: new AnswerReader(),
  };
  const root = copyMembers(values ?? {}) ?? {};
  const spot = { path: '', levels: [root], trail: [], depth: 0 };
  try {
    const elements = await resolveElements(resolution, list.elements, spot);
    const { failures, warnings } = resolution;
    return { elements, warnings: [...list.warnings, ...warnings], failures };
  } finally {
    resolution.limit.clearQueue();
  }
}

/** The elements are resolved in parallel; warnings and failures are in the order of the elements. */
async function resolveElements(
  resolution: Resolution,
  elements: readonly ParameterElement[],
  spot: Spot,
): Promise<readonly ParameterElement[]> {
  const parts = elements.map((element) => {
    const own: Resolution = { ...resolution, failures: [], warnings: [] };
    const resolving: Promise<readonly ParameterElement[]> =
      element.kind === 'parameter'
        ? resolveField(own, element, spot).then((field) => [field])
        : resolveReference(own, element, spot);
    return { own, resolving };
  });
  const resolved = await Promise.all(parts.map(({ resolving }) => resolving));
  for (const { own } of parts) {
    resolution.warnings.push(...own.warnings);
    resolution.failures.push(...own.failures);
  }
  return resolved.flat();
}

async function resolveReference(
  resolution: Resolution,
  reference: ParameterReference,
  spot: Spot,
): Promise<readonly ParameterElement[]> {
  const { text, place } = reference;
  // A list that names itself would never end.
  if (spot.trail.includes(text)) return [reference];
  const answer = await ask(resolution, reference, spot, (given) => {
    const { elements, warnings } = resolution.reader.fields(given, place);
    resolution.warnings.push(...warnings);
    return elements;
  });
  if (answer === undefined) return [reference];
  return resolveElements(resolution, answer, { ...spot, trail: [...spot.trail, text] });
}

async function resolveField(
  resolution: Resolution,
  field: ParameterSpec,
  spot: Spot,
): Promise<ParameterSpec> {
  const { name, spec, choices, nested, nestedWhenFalse } = field;
  if (field.visible === false || spot.depth >= MAX_PARAMETER_DEPTH) return field;
  const path = name === undefined ? spot.path : memberPath(spot.path, name);
  const value = name === undefined ? undefined : findValue(spot, name);
  const beside = { ...spot, depth: spot.depth + 1 };
  const isFilled = value !== undefined && value !== null && value !== '' && value !== false;
  return {
    ...field,
    spec: spec && (await resolveItems(resolution, spec, enter({ ...beside, path }, value))),
    choices: choices && (await resolveChoices(resolution, choices, value, { ...beside, path })),
    nested: nested && isFilled ? await resolveElements(resolution, nested, beside) : nested,
    nestedWhenFalse:
      nestedWhenFalse && value === false
        ? await resolveElements(resolution, nestedWhenFalse, beside)
        : nestedWhenFalse,
  };
}

/** What is seen under a name: of values that hide one another the innermost. */
function findValue({ levels }: Spot, name: string): unknown {
  const level = levels.findLast((values) => Object.hasOwn(values, name));
  return level && ownMember(level, name);
}

/** Inside of the value of a field, where it is a collection. */
function enter(spot: Spot, value: unknown): Spot {
  const members = copyMembers(value);
  return members === undefined ? spot : { ...spot, levels: [...spot.levels, members] };
}

async function resolveItems(resolution: Resolution, spec: ItemSpec, spot: Spot): Promise<ItemSpec> {
  return spec.kind === 'item'
    ? { kind: 'item', item: await resolveField(resolution, spec.item, spot) }
    : { kind: 'fields', fields: await resolveElements(resolution, spec.fields, spot) };
}

async function resolveChoices(
  resolution: Resolution,
  choices: Choices,
  value: unknown,
  spot: Spot,
): Promise<Choices> {
  const { reference, valueKey, labelKey } = choices;
  const options =
    reference === undefined
      ? choices.options
      : await ask(resolution, reference, spot, (given) =>
          resolution.reader.options(given, { valueKey, labelKey }, reference.place),
        );
  const isChosen = value !== undefined && value !== null && value !== '';
  if (options === undefined || !isChosen) return { ...choices, options };
  const chosen = findChosen(options, value);
  const resolved: Option[] = [];
  for (const option of options) {
    const { nested } = option;
    const isShown = nested !== undefined && chosen.has(option);
    resolved.push(isShown ? { ...option, nested: await resolveElements(resolution, nested, spot) } : option);
  }
  const forAll = choices.nested && (await resolveElements(resolution, choices.nested, spot));
  return { ...choices, options: resolved, nested: forAll };
}

function findChosen(options: readonly Option[], value: unknown): ReadonlySet<Option | undefined> {
  const index = indexChoices(options);
  return new Set((copyItems(value) ?? [value]).map((item) => findOption(index, item)));
}

/** What an RPC gives, read; undefined where that fails. */
async function ask<T>(
  resolution: Resolution,
  { text, place }: ParameterReference,
  { path, levels }: Spot,
  read: (answer: unknown) => T,
): Promise<T | undefined> {
  const reference = parseRpcReference(text);
  if (reference === undefined) return undefined;
  try {
    const answer = await resolution.limit(() => {
      if (resolution.left.calls-- <= 0) {
        const message = `The form asks more than ${MAX_CALLS} times for RPCs.`;
        throw new SpecError('SPEC_INVALID', message, { place });
      }
      return resolution.resolveRpc(reference, mergeMembers(levels));
    });
    return read(answer);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (resolution.left.failures-- > 0) resolution.failures.push({ text, path, place, error });
    return undefined;
  }
}

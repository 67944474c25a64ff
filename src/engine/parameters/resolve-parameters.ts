import pLimit, { type LimitFunction } from 'p-limit';
import { EngineError, SpecError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { ownMember, type PlainObject } from '../../shared/plain-object.js';
import type { Warning } from '../document/document.js';
import { indexChoices } from './check-choice.js';
import { copyMembers, mergeMembers } from './copy-value.js';
import type { ResolveRpc } from './form-check.js';
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
} from './parameter-spec.js';
import { memberPath } from './problem.js';
import { parseRpcReference } from './rpc-reference.js';
import { RpcResultReader } from './rpc-results.js';
import { listShownFields } from './walk-form.js';

/** A reference that could not be resolved. It stays in the list. */
export interface ReferenceFailure {
  /** The reference as written. */
  readonly text: string;
  /** Path of its field in the language; empty for fields of the form itself. */
  readonly path: string;
  readonly place: SourceLocation;
  readonly error: EngineError;
}

/** A form with resolved references. */
export interface ResolvedParameters extends ParameterList {
  readonly failures: readonly ReferenceFailure[];
}

interface Resolution {
  readonly resolveRpc: ResolveRpc;
  readonly failures: ReferenceFailure[];
  readonly warnings: Warning[];
  readonly reader: RpcResultReader;
  /** Limits concurrent RPC calls. */
  readonly limit: LimitFunction;
  readonly left: { calls: number; failures: number };
}

const MAX_PARALLEL_CALLS = 4;

/** A position in the form: its path, visible values and the references that lead to it. */
interface FieldPosition {
  readonly path: string;
  /** Values of the form and of enclosing collections, innermost last. */
  readonly levels: readonly PlainObject[];
  readonly trail: readonly string[];
  readonly depth: number;
}

/**
 * Replaces the `rpc://` references of a form with the results of their RPCs: fields, lists of fields, and options.
 * Resolves nested fields only if `values` show them, like a form in the editor.
 *
 * @param resolveRpc rejects with EngineError if an RPC fails; the failure is recorded and the other references are
 * resolved
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
    reader: new RpcResultReader(),
  };
  const root = copyMembers(values ?? {}) ?? {};
  const position = { path: '', levels: [root], trail: [], depth: 0 };
  try {
    const elements = await resolveElements(resolution, list.elements, position);
    const { failures, warnings } = resolution;
    return { elements, warnings: [...list.warnings, ...warnings], failures };
  } finally {
    resolution.limit.clearQueue();
  }
}

/** Resolves elements in parallel; warnings and failures keep the order of the elements. */
async function resolveElements(
  resolution: Resolution,
  elements: readonly ParameterElement[],
  position: FieldPosition,
): Promise<readonly ParameterElement[]> {
  const parts = elements.map((element) => {
    const own: Resolution = { ...resolution, failures: [], warnings: [] };
    const resolving: Promise<readonly ParameterElement[]> =
      element.kind === 'parameter'
        ? resolveField(own, element, position).then((field) => [field])
        : resolveReference(own, element, position);
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
  position: FieldPosition,
): Promise<readonly ParameterElement[]> {
  const { text, place } = reference;
  // Prevents recursion of self-referencing lists.
  if (position.trail.includes(text)) return [reference];
  const result = await callRpc(resolution, reference, position, (result) => {
    const { elements, warnings } = resolution.reader.fields(result, place);
    resolution.warnings.push(...warnings);
    return elements;
  });
  if (result === undefined) return [reference];
  return resolveElements(resolution, result, { ...position, trail: [...position.trail, text] });
}

async function resolveField(
  resolution: Resolution,
  field: ParameterSpec,
  position: FieldPosition,
): Promise<ParameterSpec> {
  const { name, spec } = field;
  if (field.visible === false || position.depth >= MAX_PARAMETER_DEPTH) return field;
  const path = name === undefined ? position.path : memberPath(position.path, name);
  const value = name === undefined ? undefined : findValue(position, name);
  const beside = { ...position, depth: position.depth + 1 };
  const choices = field.choices && (await loadOptions(resolution, field.choices, { ...beside, path }));
  const shown = new Set(listShownFields({ ...field, choices }, value, () => indexChoices(choices?.options)));
  const resolve = async <T extends readonly ParameterElement[] | undefined>(
    list: T,
  ): Promise<T | readonly ParameterElement[]> =>
    list !== undefined && shown.has(list) ? resolveElements(resolution, list, beside) : list;
  const options: Option[] = [];
  for (const option of choices?.options ?? []) {
    options.push(option.nested === undefined ? option : { ...option, nested: await resolve(option.nested) });
  }
  return {
    ...field,
    spec: spec && (await resolveItems(resolution, spec, enter({ ...beside, path }, value))),
    choices: choices && {
      ...choices,
      options: choices.options && options,
      nested: await resolve(choices.nested),
      placeholderNested: await resolve(choices.placeholderNested),
    },
    nested: await resolve(field.nested),
    nestedWhenFalse: await resolve(field.nestedWhenFalse),
  };
}

/** Returns the value of a name; inner levels take precedence. */
function findValue({ levels }: FieldPosition, name: string): unknown {
  const level = levels.findLast((values) => Object.hasOwn(values, name));
  return level && ownMember(level, name);
}

/** Enters the value of a field if it is a collection. */
function enter(position: FieldPosition, value: unknown): FieldPosition {
  const members = copyMembers(value);
  return members === undefined ? position : { ...position, levels: [...position.levels, members] };
}

async function resolveItems(
  resolution: Resolution,
  spec: ItemSpec,
  position: FieldPosition,
): Promise<ItemSpec> {
  return spec.kind === 'item'
    ? { kind: 'item', item: await resolveField(resolution, spec.item, position) }
    : { kind: 'fields', fields: await resolveElements(resolution, spec.fields, position) };
}

async function loadOptions(
  resolution: Resolution,
  choices: Choices,
  position: FieldPosition,
): Promise<Choices> {
  const { reference, valueKey, labelKey } = choices;
  if (reference === undefined) return choices;
  const options = await callRpc(resolution, reference, position, (result) =>
    resolution.reader.options(result, { valueKey, labelKey }, reference.place),
  );
  return { ...choices, options };
}

/** Calls an RPC and reads its result; undefined if it fails. */
async function callRpc<T>(
  resolution: Resolution,
  { text, place }: ParameterReference,
  { path, levels }: FieldPosition,
  read: (result: unknown) => T,
): Promise<T | undefined> {
  const reference = parseRpcReference(text);
  if (reference === undefined) return undefined;
  try {
    const result = await resolution.limit(() => {
      if (resolution.left.calls-- <= 0) {
        const message = `The form needs more than ${MAX_CALLS} RPC calls.`;
        throw new SpecError('SPEC_INVALID', message, { place });
      }
      return resolution.resolveRpc(reference, mergeMembers(levels));
    });
    return read(result);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (resolution.left.failures-- > 0) resolution.failures.push({ text, path, place, error });
    return undefined;
  }
}

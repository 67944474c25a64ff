import type { CompiledIterate, CompiledResponse } from '../../document/compile/compiled-request.js';
import { isPlainObject } from '../../util/plain-object.js';
import { describe, evaluateDirective, evaluateFlag, runError } from '../scope/evaluate-directive.js';
import type { RunContext } from '../run-context.js';

/** What one response gave. */
export interface Page {
  /** Whether `iterate` took the response apart; otherwise there is one output at most. */
  readonly isIterated: boolean;
  /** Results of the `output` directive; undefined and null are left out. */
  readonly outputs: readonly unknown[];
  /** Of a polling trigger: what identifies each output, in the same order. */
  readonly keys: readonly ItemKey[];
  /** Whether the response held no record at all, before any filter. */
  readonly isEmpty: boolean;
}

/** `trigger.id` and `trigger.date` of one item. */
export interface ItemKey {
  readonly id: unknown;
  readonly date: unknown;
}

/**
 * Takes the records out of the response that the scope holds: `iterate`, its condition, `output`.
 *
 * @throws AppError of type RuntimeError where `iterate` gives neither a list nor a collection
 * @see reference/response-spec.md sections 2 and 5
 */
export function collectOutputs(spec: CompiledResponse, context: RunContext): Page {
  if (spec.iterate === undefined) return collectSingle(spec, context);
  const items = readContainer(spec.iterate, context);
  const { scope } = context;
  // Readable in wrapper and pagination. Source: reference/request-spec.md section 4. [doc]
  scope['iterate'] = { container: { first: items[0], last: items.at(-1) } };
  const outputs: unknown[] = [];
  const keys: ItemKey[] = [];
  for (const item of items) {
    scope['item'] = item;
    if (!evaluateFlag(spec.iterate.condition, true, context)) continue;
    const output = spec.output === undefined ? item : evaluateDirective(spec.output, context);
    if (output === undefined || output === null) continue;
    outputs.push(output);
    if (spec.trigger !== undefined) keys.push(keyOf(spec, context));
  }
  scope['item'] = undefined;
  return { isIterated: true, outputs, keys, isEmpty: items.length === 0 };
}

function collectSingle(spec: CompiledResponse, context: RunContext): Page {
  const { body } = context.scope;
  const output = spec.output === undefined ? body : evaluateDirective(spec.output, context);
  const outputs = output === undefined || output === null ? [] : [output];
  const keys = spec.trigger === undefined || outputs.length === 0 ? [] : [keyOf(spec, context)];
  return { isIterated: false, outputs, keys, isEmpty: isEmptyBody(body) };
}

/** Undefined gives no item, a single collection one. Source: reference/response-spec.md section 5. [doc][inf] */
export function readContainer(iterate: CompiledIterate, context: RunContext): readonly unknown[] {
  const value = evaluateDirective(iterate.container, context);
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null || value === '') return [];
  if (isPlainObject(value)) return [value];
  const place = context.document?.placeOf(iterate.container.pointer);
  throw runError('RuntimeError', `An array is expected to iterate over, not ${describe(value)}.`, context, {
    place,
  });
}

function keyOf(spec: CompiledResponse, context: RunContext): ItemKey {
  return {
    id: evaluateDirective(spec.trigger?.id, context),
    date: evaluateDirective(spec.trigger?.date, context),
  };
}

/** Without `iterate`, a body that holds nothing is a page without records. Source: reference/pagination.md (Sequence). [doc] */
function isEmptyBody(body: unknown): boolean {
  if (body === undefined || body === null || body === '') return true;
  if (Array.isArray(body)) return body.length === 0;
  return isPlainObject(body) && Object.keys(body).length === 0;
}

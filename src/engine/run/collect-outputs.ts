import { describeType } from '../../language/values/value.js';
import { joinLists } from '../../shared/join-lists.js';
import { isPlainObject } from '../../shared/plain-object.js';
import type { CompiledIterate, CompiledRequest, CompiledResponse } from '../document/compiled-request.js';
import { evaluateDirective, evaluateFlag, evaluateNumber, runError } from './evaluate-directive.js';
import {
  createItemContext,
  emitLater,
  type RunContext,
  throwIfAborted,
  withPosition,
  withVariables,
} from './run-context.js';

/** The results of one response. */
export interface Page {
  /** Whether `iterate` was applied; otherwise there is at most one output. */
  readonly isIterated: boolean;
  /** Results of the `output` directive, without undefined and null. */
  readonly outputs: readonly unknown[];
  /** Polling trigger: the keys of the outputs in order. */
  readonly keys: readonly ItemKey[];
  /** Number of records before filters; see `countRecords` for a single output. */
  readonly held: number;
  /** Whether the response contained no records, before filters. */
  readonly isEmpty: boolean;
  /** Whether records were dropped because of the limit. */
  readonly isCut: boolean;
  /** Whether `iterate` found no value, not even an empty list. */
  readonly isMissing: boolean;
}

/** A page with its context. */
interface TakenPage {
  readonly page: Page;
  readonly context: RunContext;
}

/** `trigger.id` and `trigger.date` of one item. */
export interface ItemKey {
  readonly id: unknown;
  readonly date: unknown;
}

/**
 * Collects the records of a response: `iterate`, its condition, `output`. Items after the last one wanted are not evaluated.
 *
 * @param wanted how many records are taken at most
 * @throws AppError of type RuntimeError where `iterate` gives neither a list nor a collection; ModuleTimeoutError
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/iterate
 */
export function collectOutputs(spec: CompiledResponse, wanted: number, context: RunContext): TakenPage {
  const { iterate } = spec;
  return iterate === undefined
    ? collectSingle(spec, wanted, context)
    : collectItems(spec, iterate, wanted, context);
}

function collectItems(
  spec: CompiledResponse,
  iterate: CompiledIterate,
  wanted: number,
  before: RunContext,
): TakenPage {
  const items = readContainer(iterate, before);
  // Readable in wrapper and pagination. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination [doc]
  const context = withVariables(before, { iterate: { container: { first: items[0], last: items.at(-1) } } });
  const { itemContext, setItem } = createItemContext(context);
  const outputs: unknown[] = [];
  const keys: ItemKey[] = [];
  let looked = 0;
  for (const item of items) {
    if (outputs.length >= wanted) break;
    throwIfAborted(before);
    looked++;
    setItem(item);
    if (!evaluateFlag(iterate.condition, true, itemContext)) continue;
    const output = spec.output === undefined ? item : evaluateDirective(spec.output, itemContext);
    if (isNothing(output)) continue;
    outputs.push(output);
    if (spec.trigger !== undefined) keys.push(evaluateKey(spec, itemContext));
  }
  const { length: held } = items;
  const isMissing = items === MISSING;
  const page = {
    isIterated: true,
    outputs,
    keys,
    held,
    isEmpty: held === 0,
    isCut: looked < held,
    isMissing,
  };
  if (context.run.settings.trace === 'deep') tracePage(page, looked, context);
  return { page, context };
}

/**
 * Whether an output is left out. Source for `false`: https://github.com/minsu-kang/make-custom-app-skill,
 * runtime-reference. [inf]
 */
function isNothing(output: unknown): output is undefined | null | false {
  return output === undefined || output === null || output === false;
}

function tracePage({ isIterated, isCut, outputs }: Page, looked: number, context: RunContext): void {
  const { log } = context.run;
  emitLater(() => {
    const shown = log.redactor.value(outputs);
    return { kind: 'page', isIterated, isCut, looked, outputs: Array.isArray(shown) ? shown : [] };
  }, context);
}

function collectSingle(spec: CompiledResponse, wanted: number, context: RunContext): TakenPage {
  const page = takeSingle(spec, wanted, context);
  if (context.run.settings.trace === 'deep') tracePage(page, page.isEmpty ? 0 : 1, context);
  return { page, context };
}

function takeSingle(spec: CompiledResponse, wanted: number, context: RunContext): Page {
  const { body } = context.scope;
  const output = spec.output === undefined ? body : evaluateDirective(spec.output, context);
  const isEmpty = isEmptyBody(body);
  if (isNothing(output)) return { ...NOTHING, isEmpty };
  if (wanted <= 0) return { ...NOTHING, isEmpty, isCut: true };
  const keys = spec.trigger === undefined ? [] : [evaluateKey(spec, context)];
  const isCut = Array.isArray(output) && output.length > wanted;
  const outputs = [isCut ? output.slice(0, wanted) : output];
  const held = Array.isArray(output) ? output.length : 1;
  return { ...NOTHING, outputs, keys, held, isEmpty, isCut };
}

const NOTHING: Page = {
  isIterated: false,
  outputs: [],
  keys: [],
  held: 0,
  isEmpty: false,
  isCut: false,
  isMissing: false,
};

/** A page of one value; undefined, null and false give none. */
export function singlePage(value: unknown): Page {
  return isNothing(value) ? NOTHING : { ...NOTHING, outputs: [value] };
}

/** Applies `wrapper` to all pages of a request: to a list if they were iterated or are several, else to their one output. */
export function wrapPages(request: CompiledRequest, pages: readonly Page[], context: RunContext): Page {
  const outputs = joinOutputs(pages);
  const isList = request.response.iterate !== undefined || outputs.length > 1;
  return applyWrapper(request, isList ? outputs : outputs[0], context);
}

/** `wrapper` runs once, over the outputs of all pages; nothing comes after it. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/wrapper [doc] */
export function applyWrapper(request: CompiledRequest, output: unknown, context: RunContext): Page {
  const at = withVariables(withPosition(context, { document: request.document, page: 1 }), { output });
  return singlePage(evaluateDirective(request.response.wrapper, at));
}

/** Expected output of a communication: one object (an action), or a list of objects (a search). */
export type OutputKind = 'object' | 'objects';

/**
 * Source: https://developers.make.com/custom-apps-documentation/app-structure/modules/action/types [doc];
 * https://github.com/minsu-kang/make-custom-app-skill, component-test-guide: searches. [inf]
 *
 * @throws AppError of type DataError
 */
export function assertAccepted(
  page: Page,
  kind: OutputKind | undefined,
  request: CompiledRequest,
  context: RunContext,
): void {
  if (kind === undefined) return;
  const found =
    kind === 'object'
      ? page.isIterated
        ? page.outputs
        : page.outputs.find((output) => !isCollection(output))
      : listBundles(page).find((output) => !isCollection(output));
  if (found === undefined) return;
  const what = kind === 'object' ? 'module' : 'item in module';
  const { output, iterate } = request.response;
  const place = request.document.locationOf((output ?? iterate?.container)?.pointer ?? '/response');
  const message = `Invalid ${what} output. Expected Object, but found ${nameType(found)}.`;
  throw runError('DataError', message, context, { place });
}

function isCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && nameType(value) === 'Object';
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return 'Array';
  if (value instanceof Date) return 'Date';
  if (value instanceof Uint8Array) return 'Buffer';
  if (typeof value === 'object') return 'Object';
  return typeof value === 'string' ? 'String' : typeof value === 'number' ? 'Number' : 'Boolean';
}

/**
 * `response.limit` as a number of records; undefined without a limit.
 *
 * @throws AppError of type InvalidConfigurationError for values that are not a number of at least 1
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/limit
 */
export function evaluateLimit(spec: CompiledResponse, context: RunContext): number | undefined {
  const limit = evaluateNumber(spec.limit, context);
  if (limit === undefined) return undefined;
  if (limit >= 1) return Math.floor(limit);
  const place = spec.limit && context.position.document?.locationOf(spec.limit.pointer);
  const message = Number.isNaN(limit)
    ? 'The limit is not a number.'
    : `The limit has to be at least 1, not ${limit}.`;
  throw runError('InvalidConfigurationError', message, context, { place });
}

/** A page of output bundles. */
export function pageOfBundles(bundles: readonly Bundle[]): Page {
  return { ...NOTHING, isIterated: true, outputs: bundles };
}

/** One unit of data that a module outputs: an object. Universal modules and triggers may output any other value, too. */
export type Bundle = unknown;

/**
 * The bundles of a page: one an item when iterated, else one, or one an element where the single output is a list.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/output. [doc][inf]
 */
export function listBundles(page: Page): readonly Bundle[] {
  if (page.isIterated) return page.outputs;
  return withoutNothing(joinLists(page.outputs));
}

/** Copied only if something is dropped, because lists can be large. */
function withoutNothing(list: readonly unknown[]): readonly unknown[] {
  if (!list.includes(undefined) && !list.includes(null)) return list;
  return list.filter((output) => output !== undefined && output !== null);
}

/** The concatenated outputs of pages. */
function joinOutputs(pages: readonly Page[]): readonly unknown[] {
  return joinLists(pages.map(({ outputs }) => outputs));
}

/** A single output that is a list counts by its items. */
export function countRecords(page: Page): number {
  if (page.isIterated) return page.outputs.length;
  return page.outputs.reduce<number>((sum, output) => sum + (Array.isArray(output) ? output.length : 1), 0);
}

/** The items of a container that does not exist. */
const MISSING: readonly unknown[] = [];

/**
 * Undefined gives no item, a single collection one.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/iterate [doc][inf]
 */
export function readContainer(iterate: CompiledIterate, context: RunContext): readonly unknown[] {
  const value = evaluateDirective(iterate.container, context);
  if (Array.isArray(value)) return value;
  if (value === undefined) return MISSING;
  if (value === null || value === '') return [];
  if (isPlainObject(value)) return [value];
  const place = context.position.document?.locationOf(iterate.container.pointer);
  throw runError(
    'RuntimeError',
    `An array is expected to iterate over, not ${describeType(value)}.`,
    context,
    {
      place,
    },
  );
}

function evaluateKey(spec: CompiledResponse, context: RunContext): ItemKey {
  return {
    id: evaluateDirective(spec.trigger?.id, context),
    date: evaluateDirective(spec.trigger?.date, context),
  };
}

/**
 * Without `iterate`, a body that holds nothing is a page without records.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination [doc]
 */
export function isEmptyBody(body: unknown): boolean {
  if (body === undefined || body === null || body === '') return true;
  if (Array.isArray(body)) return body.length === 0;
  return isPlainObject(body) && Object.keys(body).length === 0;
}

/**
 * Combines pages to one value: all items if iterated or if each page produced a list, else the value; undefined
 * without output. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/output. [doc]; several
 * pages without iterate [inf].
 */
export function collectResult(pages: readonly Page[]): unknown {
  const outputs = joinOutputs(pages);
  if (pages.some((page) => page.isIterated)) return outputs;
  return outputs.length > 1 ? joinLists(outputs) : outputs[0];
}

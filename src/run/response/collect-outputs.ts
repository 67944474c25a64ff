import type { CompiledIterate, CompiledResponse } from '../../document/compile/compiled-request.js';
import { describeType } from '../../iml/values/value-kind.js';
import { joinLists } from '../../util/join-lists.js';
import { isPlainObject } from '../../util/plain-object.js';
import {
  evaluateDirective,
  evaluateFlag,
  forEachItem,
  inTurns,
  runError,
} from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';

/** What one response gave. */
export interface Page {
  /** Whether `iterate` took the response apart; otherwise there is one output at most. */
  readonly isIterated: boolean;
  /** Results of the `output` directive; undefined and null are left out. */
  readonly outputs: readonly unknown[];
  /** Of a polling trigger: what identifies each output, in the same order. */
  readonly keys: readonly ItemKey[];
  /** Records the response held, before any filter; of a single output as `countRecords` counts it. */
  readonly held: number;
  /** Whether the response held no record at all, before any filter. */
  readonly isEmpty: boolean;
  /** Whether records were left behind because there were more than wanted. */
  readonly isCut: boolean;
}

/** A page, and the place it was taken at, with the names that it adds. */
export interface TakenPage {
  readonly page: Page;
  readonly context: RunContext;
}

/** `trigger.id` and `trigger.date` of one item. */
export interface ItemKey {
  readonly id: unknown;
  readonly date: unknown;
}

/**
 * Takes the records out of the response that the names hold: `iterate`, its condition, `output`.
 * Items behind the last one that is wanted are not looked at. Others get their turn meanwhile, and a run whose time is
 * up ends in the middle.
 *
 * @param wanted how many records are taken at most
 * @throws AppError of type RuntimeError where `iterate` gives neither a list nor a collection; what `assertGoesOn` throws
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/iterate
 */
export function collectOutputs(
  spec: CompiledResponse,
  wanted: number,
  context: RunContext,
): Promise<TakenPage> {
  return spec.iterate === undefined
    ? collectSingle(spec, wanted, context)
    : collectItems(spec, spec.iterate, wanted, context);
}

async function collectItems(
  spec: CompiledResponse,
  iterate: CompiledIterate,
  wanted: number,
  before: RunContext,
): Promise<TakenPage> {
  const items = await inTurns(before, () => readContainer(iterate, before));
  // Readable in wrapper and pagination. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination [doc]
  const context = before.seeing({ iterate: { container: { first: items[0], last: items.at(-1) } } });
  const { context: at, show } = context.forItems();
  const outputs: unknown[] = [];
  const keys: ItemKey[] = [];
  let looked = 0;
  const take = (item: unknown): boolean => {
    if (outputs.length >= wanted) return false;
    show(item);
    const output = takeItem(spec, iterate, item, at);
    const key = output === undefined || spec.trigger === undefined ? undefined : evaluateKey(spec, at);
    looked++;
    if (output !== undefined) outputs.push(output);
    if (key !== undefined) keys.push(key);
    return true;
  };
  await forEachItem(items, take, before);
  const isCut = looked < items.length;
  const { length: held } = items;
  const page = { isIterated: true, outputs, keys, held, isEmpty: held === 0, isCut };
  if (context.settings.trace === 'deep') await tracePage(page, looked, context);
  return { page, context };
}

/** The output for an item; undefined where its condition does not hold, and for an output of null. */
function takeItem(spec: CompiledResponse, iterate: CompiledIterate, item: unknown, at: RunContext): unknown {
  if (!evaluateFlag(iterate.condition, true, at)) return undefined;
  const output = spec.output === undefined ? item : evaluateDirective(spec.output, at);
  return output ?? undefined;
}

async function tracePage(
  { isIterated, isCut, outputs }: Page,
  looked: number,
  context: RunContext,
): Promise<void> {
  const { log } = context.run;
  context.emitLater(() => {
    const shown = log.redactor.value(outputs);
    return { kind: 'page', isIterated, isCut, looked, outputs: Array.isArray(shown) ? shown : [] };
  });
}

async function collectSingle(
  spec: CompiledResponse,
  wanted: number,
  context: RunContext,
): Promise<TakenPage> {
  const page = await inTurns(context, () => takeSingle(spec, wanted, context));
  if (context.settings.trace === 'deep') await tracePage(page, page.isEmpty ? 0 : 1, context);
  return { page, context };
}

function takeSingle(spec: CompiledResponse, wanted: number, context: RunContext): Page {
  const { body } = context.scope;
  const output = spec.output === undefined ? body : evaluateDirective(spec.output, context);
  const isEmpty = isEmptyBody(body);
  if (output === undefined || output === null) return { ...NOTHING, isEmpty };
  if (wanted <= 0) return { ...NOTHING, isEmpty, isCut: true };
  const keys = spec.trigger === undefined ? [] : [evaluateKey(spec, context)];
  const isCut = Array.isArray(output) && output.length > wanted;
  const outputs = [isCut ? output.slice(0, wanted) : output];
  const held = Array.isArray(output) ? output.length : 1;
  return { isIterated: false, outputs, keys, held, isEmpty, isCut };
}

const NOTHING: Page = {
  isIterated: false,
  outputs: [],
  keys: [],
  held: 0,
  isEmpty: false,
  isCut: false,
};

/** A page of one value that no response was taken apart for; undefined and null give none. */
export function singlePage(value: unknown): Page {
  return value === undefined || value === null ? NOTHING : { ...NOTHING, outputs: [value] };
}

/** A page of bundles that are what is put out. */
export function pageOfBundles(bundles: readonly Bundle[]): Page {
  return { ...NOTHING, isIterated: true, outputs: bundles };
}

/** One unit of data a module puts out. Usually a collection, but an app may output anything except nothing. */
export type Bundle = unknown;

/**
 * The bundles of a page: one an item when iterated, else one, or one an element where the single output is a list.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/output. [doc][inf]
 */
export function listBundles(page: Page): readonly Bundle[] {
  if (page.isIterated) return page.outputs;
  return withoutNothing(joinLists(page.outputs));
}

/** Copied only where something is left out: a list may have millions. */
function withoutNothing(list: readonly unknown[]): readonly unknown[] {
  if (!list.includes(undefined) && !list.includes(null)) return list;
  return list.filter((output) => output !== undefined && output !== null);
}

/** The outputs of pages, one behind the other. */
export function joinOutputs(pages: readonly Page[]): readonly unknown[] {
  return joinLists(pages.map(({ outputs }) => outputs));
}

/** A single output that is a list counts by its items. */
export function countRecords(page: Page): number {
  if (page.isIterated) return page.outputs.length;
  return page.outputs.reduce<number>((sum, output) => sum + (Array.isArray(output) ? output.length : 1), 0);
}

/**
 * Undefined gives no item, a single collection one.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/iterate [doc][inf]
 */
export function readContainer(iterate: CompiledIterate, context: RunContext): readonly unknown[] {
  const value = evaluateDirective(iterate.container, context);
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null || value === '') return [];
  if (isPlainObject(value)) return [value];
  const place = context.document?.placeOf(iterate.container.pointer);
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
function isEmptyBody(body: unknown): boolean {
  if (body === undefined || body === null || body === '') return true;
  if (Array.isArray(body)) return body.length === 0;
  return isPlainObject(body) && Object.keys(body).length === 0;
}

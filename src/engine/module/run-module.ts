import { EngineError } from '../../shared/errors/engine-error.js';
import { joinLists } from '../../shared/join-lists.js';
import { assertNever, isPlainObject } from '../../shared/plain-object.js';
import { beginRun, type RunInput } from '../component/check-and-connect.js';
import { createEngineRun, type ModuleRun } from '../component/module-run.js';
import { moduleSubject, requireCommunication } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { RunTraits } from '../component/start-run.js';
import type { TriggerState } from '../component/trigger-data.js';
import type { ModuleComponent } from '../document/app.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import type { Document } from '../document/document.js';
import { applyWrapper, type Bundle, listBundles, type Page, pageOfBundles } from '../run/collect-outputs.js';
import { assertNoEndpoint } from '../run/endpoint-call.js';
import { runError } from '../run/evaluate-directive.js';
import { collectPages, prefetch } from '../run/page-source.js';
import { type CommunicationPlan, runCommunication } from '../run/run-communication.js';
import { type RunContext, throwIfAborted, warn } from '../run/run-context.js';
import { Poll } from './poll.js';
import { MovingState, type PolledItem } from './trigger-state.js';

/**
 * Runs a module according to its type.
 *
 * @throws EngineError (USAGE) for a responder, which returns a response instead of bundles
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules
 */
export function runModule(module: ModuleComponent, input: RunInput, runtime: Runtime): ModuleRun {
  if (module.type !== 'trigger' && (input.state ?? input.start) !== undefined) {
    throw new EngineError(
      'USAGE',
      `The module "${module.name}" is not a polling trigger. Only polling triggers accept "state" and "start".`,
    );
  }
  switch (module.type) {
    case 'action':
      return runRequests(module, input, runtime, { plan: { accepts: 'object' } });
    case 'search':
      return runRequests(module, input, runtime, { plan: { accepts: 'objects' } });
    case 'universal':
      return runRequests(module, input, runtime, { traits: { keepsHost: true } });
    case 'trigger':
      return runTrigger(module, input, runtime);
    case 'instant_trigger':
      return runInstantTrigger(module, input, runtime);
    case 'responder':
      throw new EngineError(
        'USAGE',
        `The module "${module.name}" is a responder and cannot run. Call respond() for its response.`,
      );
    default:
      return assertNever(module.type);
  }
}

function runRequests(
  module: ModuleComponent,
  input: RunInput,
  runtime: Runtime,
  { traits = {}, plan }: { readonly traits?: RunTraits; readonly plan?: CommunicationPlan },
): ModuleRun {
  return createEngineRun({
    start: async () => beginRun(runtime, input, moduleSubject(module), traits),
    pages: async (context, isStreamed) => {
      const requests = await runtime.compile(requireCommunication(module));
      const pages = runCommunication(requests, context, plan);
      return isStreamed ? prefetch(pages) : pages;
    },
  });
}

/**
 * Runs a polling trigger: returns new items since `input.state`, oldest first, at most `response.limit` (default: all).
 * Pass `report.state` to the next run. It is unchanged without new items, and never ahead of the consumer: after leaving
 * a loop early, the next run repeats the current bundle.
 *
 * @throws EngineError (USAGE) for `data`; for an invalid state or start when the run is used
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/trigger
 */
function runTrigger(module: ModuleComponent, input: RunInput, runtime: Runtime): ModuleRun {
  const { start, state: given } = input;
  if (input.data !== undefined) {
    throw new EngineError(
      'USAGE',
      `The trigger "${module.name}" accepts its state as "state", not as "data".`,
    );
  }
  let state: (() => TriggerState) | undefined;
  const includesItem =
    given === undefined ? typeof start === 'object' && 'id' in start : given.matchEqual === true;
  const names = { ...input.names, trigger: { matchEqual: includesItem } };
  return createEngineRun({
    start: async () => beginRun(runtime, { ...input, data: given, names }, moduleSubject(module)),
    pages: async (context) => {
      const requests = await runtime.compile(requireCommunication(module));
      const poll = new Poll(requests, given, start, context);
      // The plan passes pages to the poll; new items are known after the last page.
      const { end } = await collectPages(runCommunication(requests, poll.context, poll.plan));
      const items = poll.settle();
      const { state: before, seen } = poll;
      const moving = before && seen && new MovingState(before, seen);
      // Without a request the state stays unchanged.
      if (before !== undefined) state = () => moving?.state ?? before;
      return yieldBatches(poll, items, end.context, (taken) => moving?.take(taken));
    },
    state: () => state?.(),
  });
}

/**
 * Yields the new items in batches; calls `moveOn` for each consumed item. The time limit of the run does not include
 * the consumer.
 */
function* yieldBatches(
  poll: Poll,
  items: readonly PolledItem[],
  end: RunContext,
  moveOn: (taken: PolledItem) => void,
): Generator<Page, void> {
  if (poll.unkeyed.length > 0) yield pageOfBundles(poll.unkeyed);
  for (const { bundles, taken } of splitBatches(poll, items, end)) {
    yield pageOfBundles(bundles);
    for (const item of taken) moveOn(item);
  }
}

interface Batch {
  readonly bundles: readonly Bundle[];
  /** Items of the bundles. */
  readonly taken: readonly PolledItem[];
}

/** One batch per item, or a single batch with `wrapper`. */
function splitBatches({ request }: Poll, items: readonly PolledItem[], end: RunContext): readonly Batch[] {
  if (request === undefined || items.length === 0) return [];
  if (request.response.wrapper === undefined)
    return items.map((item) => ({ bundles: item.bundles, taken: [item] }));
  const outputs = joinLists(items.map(({ bundles }) => bundles));
  const wrapped = applyWrapper(request, outputs, end);
  throwIfAborted(end);
  return [{ bundles: listBundles(wrapped), taken: items }];
}

/**
 * Runs an instant trigger for one webhook item, `input.payload`. Without a communication, or with an empty one, the item
 * is the bundle; else a single request may fetch more, which `iterate` and `pagination` are not part of: they are
 * ignored with a warning.
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/instant-trigger
 */
function runInstantTrigger(module: ModuleComponent, input: RunInput, runtime: Runtime): ModuleRun {
  const { communication } = module;
  return createEngineRun({
    start: async () => beginRun(runtime, input, moduleSubject(module)),
    pages: async (context, isStreamed) => {
      if (communication === undefined || isEmptySpec(communication.value)) {
        const { payload } = input;
        return payload === undefined || payload === null ? [] : [pageOfBundles([payload])];
      }
      const request = readSingleRequest(await runtime.compile(communication), communication, context);
      if (request === undefined) return [];
      const pages = runCommunication([singleRequest(request, context)], context);
      return isStreamed ? prefetch(pages) : pages;
    },
  });
}

/** An array of nothing but empty objects says as little as an empty object. */
export function isEmptySpec(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((element) => isEmptySpec(element));
  return value === null || (isPlainObject(value) && Object.keys(value).length === 0);
}

/**
 * The one request of an instant trigger. Which of several would count is not documented, so none is run by guess. [choice]
 *
 * @throws AppError of type InvalidConfigurationError for several, and for one that calls an endpoint
 */
export function readSingleRequest(
  [request, second]: readonly CompiledRequest[],
  communication: Document,
  context: RunContext,
): CompiledRequest | undefined {
  if (request !== undefined) assertNoEndpoint([request], 'An instant trigger', context);
  if (second === undefined) return request;
  const message = 'An instant trigger sends a single request, but its communication has several.';
  throw runError('InvalidConfigurationError', message, context, { place: communication.locationOf('/1') });
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules/instant-trigger. [doc]; a static request
 * without output gives the item [choice].
 */
function singleRequest(request: CompiledRequest, context: RunContext): CompiledRequest {
  const { response, document } = request;
  const ignored: readonly [name: string, pointer: string | undefined][] = [
    ['iterate', response.iterate?.container.pointer],
    ['pagination', request.pagination?.pointer],
  ];
  for (const [name, pointer] of ignored) {
    if (pointer === undefined) continue;
    const message = `${name} is ignored: an instant trigger handles one webhook item at a time.`;
    warn({ code: 'directive-ignored', message, place: document.locationOf(pointer) }, context);
  }
  const output = response.output ?? (request.isStatic ? PAYLOAD : undefined);
  return { ...request, pagination: undefined, response: { ...response, iterate: undefined, output } };
}

const PAYLOAD: Directive = {
  evaluate: (scope) => scope['payload'],
  pointer: '/response/output',
  raw: '{{payload}}',
};

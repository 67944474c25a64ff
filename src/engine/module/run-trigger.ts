import { joinLists } from '../../shared/join-lists.js';
import { beginRun, type ConnectedInput } from '../component/check-and-connect.js';
import { ModuleRun } from '../component/module-run.js';
import { moduleSubject, requireCommunication } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { TriggerState } from '../component/trigger-data.js';
import type { ModuleComponent } from '../document/app.js';
import { applyWrapper, type Bundle, listBundles, type Page, pageOfBundles } from '../run/collect-outputs.js';
import { collectPages } from '../run/page-source.js';
import { runCommunication } from '../run/run-communication.js';
import { type RunContext, throwIfAborted } from '../run/run-context.js';
import type { Poll } from './poll.js';
import { assertTriggerStart, MovingState, type PolledItem } from './trigger-state.js';

/**
 * Runs a polling trigger: returns new items since the state in `input.data`, oldest first, at most `response.limit`
 * (default: all). Pass `report.state` as `data` to the next run. It is unchanged without new items, and never ahead of
 * the consumer: after leaving a loop early, the next run repeats the current bundle.
 *
 * @throws EngineError (USAGE) for an invalid start, and for an invalid state when the run is used
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/trigger
 */
export function runTrigger(module: ModuleComponent, input: ConnectedInput, runtime: Runtime): ModuleRun {
  const start = input.start ?? runtime.triggerStart;
  assertTriggerStart(start);
  let state: (() => TriggerState) | undefined;
  const names = { ...input.names, trigger: { matchEqual: input.data?.['matchEqual'] === true } };
  return new ModuleRun({
    start: async () => beginRun(runtime, { ...input, names }, moduleSubject(module)),
    pages: async (context) => {
      const requests = await runtime.compile(requireCommunication(module));
      const { Poll } = await import('./poll.js');
      const poll = new Poll(requests, input.data, start, context);
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

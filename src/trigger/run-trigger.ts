import { beginRun, type ConnectedInput } from '../component/check-and-connect.js';
import { ModuleRun } from '../component/module-run.js';
import { requireCommunication } from '../component/require-communication.js';
import { moduleSubject } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { TriggerState } from '../component/trigger-data.js';
import type { ModuleComponent } from '../document/app.js';
import { collectPages } from '../run/paging/page-source.js';
import {
  applyWrapper,
  type Bundle,
  listBundles,
  type Page,
  pageOfBundles,
} from '../run/response/collect-outputs.js';
import { runCommunication } from '../run/run-communication.js';
import { type RunContext, throwIfAborted } from '../run/scope/run-context.js';
import { joinLists } from '../util/join-lists.js';
import type { Poll } from './poll.js';
import { assertTriggerStart } from './trigger-start.js';
import { MovingState, type PolledItem } from './trigger-state.js';

/**
 * Runs a polling trigger: puts out what is new since the state in `input.data`, oldest first, at most `response.limit`
 * items (default: all). `report.state` is what the next run is given as `data`. It is unchanged where nothing is new, and
 * never ahead of what was taken: whoever leaves the loop over a run gets the bundle at hand again in the next run.
 *
 * @throws EngineError (USAGE) for a start or a state that is none, the latter when the run is taken
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
      // Pages come to the poll by its plan; what is new is known only after the last of them.
      const { end } = await collectPages(runCommunication(requests, poll.context, poll.plan));
      const items = poll.settle();
      const { state: before, seen } = poll;
      const moving = before && seen && new MovingState(before, seen);
      // Without a request nothing was looked at, and it stays as it is.
      if (before !== undefined) state = () => moving?.state ?? before;
      return handOut(poll, items, end.context, (taken) => moving?.take(taken));
    },
    state: () => state?.(),
  });
}

/**
 * Hands out what was found a batch at a time; `moveOn` is told of each item that was taken. Whoever takes them may take as
 * long as it likes: the time of the run is for asking.
 */
function* handOut(
  poll: Poll,
  items: readonly PolledItem[],
  end: RunContext,
  moveOn: (taken: PolledItem) => void,
): Generator<Page, void> {
  if (poll.loose.length > 0) yield pageOfBundles(poll.loose);
  for (const { bundles, taken } of splitBatches(poll, items, end)) {
    yield pageOfBundles(bundles);
    for (const item of taken) moveOn(item);
  }
}

interface Batch {
  readonly bundles: readonly Bundle[];
  /** The items that are taken with them. */
  readonly taken: readonly PolledItem[];
}

/** One batch an item, or a single one where `wrapper` makes one thing of them all. */
function splitBatches({ request }: Poll, items: readonly PolledItem[], end: RunContext): readonly Batch[] {
  if (request === undefined || items.length === 0) return [];
  if (request.response.wrapper === undefined)
    return items.map((item) => ({ bundles: item.bundles, taken: [item] }));
  const outputs = joinLists(items.map(({ bundles }) => bundles));
  const wrapped = applyWrapper(request, outputs, end);
  throwIfAborted(end);
  return [{ bundles: listBundles(wrapped), taken: items }];
}

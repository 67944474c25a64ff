import { beginRun, type ConnectedInput } from '../component/begin-run.js';
import { ModuleRun } from '../component/module-run.js';
import { requireCommunication } from '../component/require-communication.js';
import { moduleSubject } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { TriggerState } from '../component/trigger-data.js';
import type { ModuleComponent } from '../document/app.js';
import { collectPages } from '../run/collect-pages.js';
import { applyWrapper } from '../run/response/apply-wrapper.js';
import { type Bundle, listBundles, type Page, pageOfBundles } from '../run/response/collect-outputs.js';
import { runCommunication } from '../run/run-communication.js';
import type { RunContext } from '../run/scope/run-context.js';
import type { Poll } from './poll.js';
import { assertTriggerStart } from './trigger-start.js';
import { stateAfter } from './trigger-state.js';

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
  let state: TriggerState | undefined;
  const names = { ...input.names, trigger: { matchEqual: input.data?.['matchEqual'] === true } };
  return new ModuleRun({
    start: async () => beginRun(runtime, { ...input, names }, moduleSubject(module)),
    pages: async (context) => {
      const requests = await runtime.compile(requireCommunication(module));
      const { Poll } = await import('./poll.js');
      const poll = new Poll(requests.at(-1), input.data, start, context);
      // Pages come to the poll by its plan; what is new is known only after the last of them.
      const { end } = await collectPages(runCommunication(requests, poll.context, poll.plan));
      const items = poll.settle();
      state = poll.state;
      return handOut(poll, splitBatches(poll, items, end.context), (after) => {
        state = after;
      });
    },
    state: () => state,
  });
}

/** Hands out what is new a batch at a time; `moveOn` is told the state once a batch was taken. */
async function* handOut(
  poll: Poll,
  batches: Iterable<Batch>,
  moveOn: (after: TriggerState) => void,
): AsyncGenerator<Page, void> {
  if (poll.loose.length > 0) yield pageOfBundles(poll.loose);
  for (const { bundles, after } of batches) {
    yield pageOfBundles(bundles);
    moveOn(after);
  }
}

interface Batch {
  readonly bundles: readonly Bundle[];
  /** The state once they were taken. */
  readonly after: TriggerState;
}

/** One batch an item, or a single one where `wrapper` makes one thing of them all. */
function* splitBatches(poll: Poll, items: ReturnType<Poll['settle']>, end: RunContext): Generator<Batch> {
  let { state, request } = poll;
  if (state === undefined || request === undefined || items.length === 0) return;
  if (request.response.wrapper === undefined) {
    for (const item of items) {
      state = stateAfter(state, item);
      yield { bundles: item.bundles, after: state };
    }
    return;
  }
  const outputs = items.flatMap(({ bundles }) => bundles);
  const bundles = listBundles(applyWrapper(request, outputs, end));
  yield { bundles, after: items.reduce(stateAfter, state) };
}

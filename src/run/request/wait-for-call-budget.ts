import { type Account, type Shortage, takeTurn, wakeNext } from '../limits/call-budget.js';
import type { RunContext } from '../scope/run-context.js';

/**
 * Waits until a call may go out, and counts it. What a service asks for is heeded as long as the run has the time for it: a call
 * that would have to wait longer goes out at once, as it would without a budget, and the service answers what it likes.
 * Figures of the embedder's hold until the time of the run is up. [choice]
 *
 * @throws what `assertGoesOn` throws
 * @see docs/limits.md (Budget)
 */
export async function waitForCallBudget(
  account: Account,
  first: Shortage,
  context: RunContext,
): Promise<void> {
  const { budget } = context.settings;
  let shortage: Shortage | undefined = first;
  let isNext = false;
  try {
    while (shortage !== undefined) {
      if (isTooLong(shortage, context)) {
        budget.force(account, context.settings.clock.now());
        return;
      }
      await waitFor(shortage, account, context);
      isNext ||= shortage.waitMs === undefined;
      shortage = budget.admit(account, context.settings.clock.now(), isNext);
    }
  } catch (error) {
    if (isNext) wakeNext(account);
    throw error;
  }
}

function isTooLong({ reason, waitMs }: Shortage, { run }: RunContext): boolean {
  const isAsked = reason === 'retry-after' || reason === 'rate-limit';
  return isAsked && waitMs !== undefined && waitMs > run.rules.timeoutMs - run.elapsedMs;
}

async function waitFor(shortage: Shortage, account: Account, context: RunContext): Promise<void> {
  const { clock } = context.settings;
  const { reason, waitMs, limit } = shortage;
  const { origin } = account;
  context.emit({ kind: 'wait', reason: 'budget', delayMs: waitMs, because: reason, origin, limit });
  const startedAt = clock.now();
  const waiting =
    waitMs === undefined ? takeTurn(account, context.signal) : clock.sleep(waitMs, context.signal);
  try {
    await context.whileGoingOn(waiting);
  } finally {
    context.run.addWait({ origin, reason, limit }, clock.now() - startedAt);
  }
}

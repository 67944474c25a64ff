import type { HostContext } from '../context.js';
import { assertOpens, copyStored, fromStored } from '../store/stored-value.js';
import type { Claim } from './claim.js';
import type { WantedRun } from './run-scenario.js';

/**
 * The input of a run. Payloads are parsed at the first access.
 *
 * @throws StoreError (STORE_FAILED) for a payload that cannot be read
 */
export function describeWork(
  { clock }: Pick<HostContext, 'clock'>,
  claim: Claim,
): Pick<WantedRun, 'source' | 'attempt' | 'dueAtMs'> {
  switch (claim.kind) {
    case 'event': {
      const { event } = claim;
      assertOpens(event.bundles);
      const source = {
        kind: 'event',
        event,
        get bundles() {
          const bundles = fromStored(event.bundles);
          return Array.isArray(bundles) ? bundles : [];
        },
      } as const;
      return { source, attempt: event.attempts, dueAtMs: event.notBeforeMs ?? event.receivedAtMs };
    }
    case 'incomplete': {
      const { incomplete } = claim;
      assertOpens(incomplete.execution);
      const source = {
        kind: 'incomplete',
        incomplete,
        get execution() {
          return copyStored(incomplete.execution);
        },
      } as const;
      const dueAtMs = incomplete.retryAtMs ?? incomplete.createdAtMs;
      return { source, attempt: incomplete.attempts, dueAtMs };
    }
    case 'scheduled': {
      const { crashes, nextRunMs } = claim.scenario;
      return { source: { kind: 'poll' }, attempt: crashes + 1, dueAtMs: nextRunMs ?? clock.now() };
    }
  }
}

import { EngineError } from '../../errors/engine-error.js';
import { JsonText } from '../../store/json-text.js';
import type { Claim } from '../claim/claim.js';
import { locateClaim } from '../claim/held-work.js';
import type { HostContext } from '../ports/context.js';
import type { FlowRequest } from '../ports/ports.js';
import { copyKept, readKept } from '../store/kept-value.js';
import { defectReport, observeEnd, runScenario, type WantedRun } from './run-scenario.js';
import { POINT_NAMES, type WorkAnswer, type WorkContext, type WorkEntry } from './work-log.js';

export interface ClaimRunOptions {
  readonly signal: AbortSignal;
  /** Called when the flow has run, before that is written down. */
  readonly onRan?: (() => void) | undefined;
  readonly onAnswer?: FlowRequest['onAnswer'];
  readonly onProgress?: FlowRequest['onProgress'];
  /** What is wanted in the transaction that settles it. */
  readonly requests?: (() => WorkEntry['requests']) | undefined;
}

/**
 * Runs the flow of what was taken, and writes down what follows.
 *
 * It is through only once that transaction is. If the process ends before, it is done again; if the run is stopped, it
 * waits again as the process leaves (`WorkerLease`).
 *
 * @returns what the transaction gave; undefined where the run was stopped
 */
export async function runClaim(
  context: WorkContext,
  claim: Claim,
  { signal, onRan, onAnswer, onProgress, requests }: ClaimRunOptions,
): Promise<WorkAnswer | undefined> {
  const { log, checkpoint } = context;
  const point = POINT_NAMES[claim.kind];
  checkpoint(`${point}: claimed`);
  const { scenario } = claim;
  const work = await describeWork(context, claim).catch((error: unknown) => defectReport(context, error));
  if ('outcome' in work) {
    // It cannot be read, as what is sealed was changed: a person has to see to it, and nothing waits for it.
    onRan?.();
    return settle(context, { settled: { claim, report: work }, requests: requests?.(), signal }, claim);
  }
  const run = await runScenario(context, { scenario, signal, onAnswer, onProgress, ...work });
  onRan?.();
  const { report } = run;
  if (report === undefined) {
    log.drop(...locateClaim(claim));
    observeEnd(context, run, undefined);
    return undefined;
  }
  checkpoint(`${point}: run`);
  const entry = { settled: { claim, report }, requests: requests?.(), signal };
  const answer = await settle(context, entry, claim);
  checkpoint(`${point}: committed`);
  observeEnd(context, run, answer.settled);
  return answer;
}

/** @throws StoreError (STORE_FAILED) for a sealed value that does not open */
function assertOpens(kept: unknown): void {
  if (kept instanceof JsonText) void kept.text;
}

async function describeWork(
  { clock }: HostContext,
  claim: Claim,
): Promise<Pick<WantedRun, 'source' | 'attempt' | 'dueAtMs'>> {
  switch (claim.kind) {
    case 'event': {
      const { event } = claim;
      assertOpens(event.bundles);
      const source = {
        kind: 'event',
        event,
        get bundles() {
          const bundles = readKept(event.bundles);
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
          return copyKept(incomplete.execution);
        },
      } as const;
      return {
        source,
        attempt: incomplete.attempts,
        dueAtMs: incomplete.retryAtMs ?? incomplete.createdAtMs,
      };
    }
    case 'scheduled': {
      const { crashes, nextRunMs } = claim.scenario;
      return { source: { kind: 'poll' }, attempt: crashes + 1, dueAtMs: nextRunMs ?? clock.now() };
    }
  }
}

async function settle(context: WorkContext, entry: WorkEntry, claim: Claim): Promise<WorkAnswer> {
  const { log } = context;
  return log
    .write(entry)
    .catch((error: unknown) => {
      if (entry.signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
      // What no repeat can store would hold up its hook for ever; it is put aside without it.
      return log.write({ ...entry, settled: { claim, report: defectReport(context, error) } });
    })
    .catch((error: unknown) => {
      log.drop(...locateClaim(claim));
      throw error;
    });
}

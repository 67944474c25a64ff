import { CallBudget } from '../../src/engine/run/call-budget.js';
import { Run, type RunContext, startContext } from '../../src/engine/run/run-context.js';
import { DEFAULT_LIMITS } from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';

/** The context of a run that sends nothing, with these variables. */
export function contextOf(scope: Record<string, unknown>): RunContext {
  const settings = {
    transport: () => Promise.reject(new Error('Nothing is sent.')),
    clock: createVirtualClock(),
    random: () => 0,
    limits: DEFAULT_LIMITS,
    budget: new CallBudget(),
    onPageLoop: 'warn',
    trace: 'full',
    onTrace: undefined,
  } as const;
  const rules = { timeoutMs: 1000, callEndpoint: undefined, keepsHost: false };
  return startContext(new Run(settings, rules, []), scope);
}

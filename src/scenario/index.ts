export { answerWebhook } from './answer-webhook.js';
export { type CompiledFlow, compileFlow } from './compile-flow.js';
export { engineModule } from './engine-module.js';
export { ERROR_REACTIONS, type ErrorReaction, RERUN_DELAYS_MS, RETRY_DELAYS_MS } from './error-reactions.js';
export type { ErrorHandler, Flow, FlowModule, FlowStep, ModuleInput, ModuleOutcome } from './flow.js';
export type { FlowPhase, FlowReport } from './flow-report.js';
export {
  createMemoryIncompleteStore,
  type IncompleteExecution,
  type IncompleteStore,
  type RetryPolicy,
} from './incomplete-execution.js';
export { nextStart, type StartDecision, type StartKind } from './next-start.js';
export { nextState, type StoredExecution, type Transition } from './next-state.js';
export {
  discardExecution,
  listDue,
  listUnresolved,
  type RetryOptions,
  resolveExecution,
} from './retry-incomplete.js';
export { type FlowInput, type FlowOptions, resumeFlow, runFlow } from './run-flow.js';
export { DEFAULT_SETTINGS, type ScenarioSettings, settingsOf } from './scenario-settings.js';
export {
  type FailedRun,
  type InactiveReason,
  NEW_SCENARIO,
  type RestingState,
  type RunOutcome,
  type ScenarioState,
} from './scenario-state.js';

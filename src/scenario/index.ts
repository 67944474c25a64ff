export { type CompiledFlow, compileFlow } from './flow/compile-flow.js';
export { engineModule } from './flow/engine-module.js';
export type {
  AnswerOutcome,
  ErrorHandler,
  Flow,
  FlowModule,
  FlowStep,
  ModuleInput,
  ModuleOutcome,
  TriggerData,
} from './flow/flow.js';
export type { FlowFacts, FlowFailure, FlowPhase, FlowReport, FlowResult } from './flow/flow-report.js';
export {
  createMemoryIncompleteStore,
  type IncompleteExecution,
  type IncompleteStore,
  type RetryPolicy,
  respondToWebhook,
} from './flow/flow-report.js';
export {
  discardExecution,
  listDue,
  listUnresolved,
  resolveExecution,
} from './flow/retry-incomplete.js';
export {
  type FlowInput,
  type FlowOptions,
  type ResumeOptions,
  resumeFlow,
  runFlow,
} from './flow/run-flow.js';
export {
  ERROR_REACTIONS,
  type ErrorReaction,
  RERUN_DELAYS_MS,
  RETRY_DELAYS_MS,
} from './state/error-reactions.js';
export { nextState, type StoredExecution, type Transition } from './state/next-state.js';
export { completeSettings, DEFAULT_SETTINGS, type ScenarioSettings } from './state/scenario-settings.js';
export {
  type FailedRun,
  type InactiveReason,
  NEW_SCENARIO,
  nextStart,
  type RestingState,
  type RunOutcome,
  type ScenarioState,
  type StartDecision,
  type StartKind,
} from './state/scenario-state.js';

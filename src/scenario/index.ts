export { type CompiledFlow, compileFlow } from './flow/compile-flow.js';
export { engineModule } from './flow/engine-module.js';
export type { Flow, FlowModule, FlowStep } from './flow/flow.js';
export {
  createMemoryIncompleteStore,
  type FlowReport,
  type IncompleteStore,
  respondToWebhook,
} from './flow/flow-report.js';
export { discardExecution, listDue, listUnresolved, resolveExecution } from './flow/retry-incomplete.js';
export { type FlowOptions, resumeFlow, runFlow } from './flow/run-flow.js';
export { ERROR_REACTIONS } from './state/error-reactions.js';
export { nextState } from './state/next-state.js';
export { completeSettings, DEFAULT_SETTINGS, type ScenarioSettings } from './state/scenario-settings.js';
export { NEW_SCENARIO, nextStart, type RunOutcome, type ScenarioState } from './state/scenario-state.js';

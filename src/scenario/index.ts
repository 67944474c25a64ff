export { type CompiledFlow, compileFlow } from './compile-flow.js';
export { engineModule } from './engine-module.js';
export type { Flow, FlowModule, FlowStep } from './flow.js';
export {
  createMemoryIncompleteStore,
  type FlowReport,
  type IncompleteStore,
  respondToWebhook,
} from './flow-report.js';
export { nextState } from './next-state.js';
export { discardExecution, listDue, listUnresolved, resolveExecution } from './retry-incomplete.js';
export { type FlowOptions, resumeFlow, runFlow } from './run-flow.js';
export { completeSettings, type ScenarioSettings } from './scenario-settings.js';
export { NEW_SCENARIO, nextStart, type RunOutcome, type ScenarioState } from './scenario-state.js';

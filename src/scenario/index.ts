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
export {
  discardExecution,
  type FlowOptions,
  listDue,
  listUnresolved,
  resolveExecution,
  resumeFlow,
  runFlow,
} from './run-flow.js';
export {
  completeSettings,
  NEW_SCENARIO,
  nextStart,
  type RunOutcome,
  type ScenarioSettings,
  type ScenarioState,
} from './scenario-state.js';

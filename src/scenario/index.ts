export { type CompiledFlow, compileFlow } from './compile-flow.js';
export { engineModule, type FlowEngine } from './engine-module.js';
export type { ErrorHandler, Flow, FlowModule, FlowStep, ModuleInput, ModuleOutcome } from './flow.js';
export {
  createMemoryIncompleteStore,
  type FlowReport,
  type IncompleteExecution,
  type IncompleteStore,
  respondToWebhook,
} from './flow-report.js';
export { nextState } from './next-state.js';
export {
  discardExecution,
  type FlowInput,
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

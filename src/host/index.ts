export { type AttachOptions, attachHook, detachHook } from './hooks/attach-hook.js';
export type { Hook, Host, HostOptions } from './create-host.js';
export { createHost } from './create-host.js';
export { createEngineReceiver, type Engines } from './hooks/engine-receiver.js';
export { createEventDesk, type EventDesk, type EventQuery } from './events.js';
export type { FlowDefinition, StepDefinition } from './scenarios/flow-definition.js';
export type { Health } from './health.js';
export type { HookWanted } from './hooks/hooks.js';
export type { Job, JobKind } from './job.js';
export { DEFAULT_HOST_LIMITS, type HostLimits } from './work/limits.js';
export { createHostMemoryStore, openHostPostgres, openHostSqlite } from './open-host-store.js';
export type {
  FlowReport,
  FlowRequest,
  FlowSource,
  Flows,
  HostQueue,
  IncompleteDraft,
  JobHandler,
  QueueHooks,
  ReceiveRequest,
  Receiver,
  Reception,
  StoredCall,
} from './work/ports.js';
export { createPostgresQueue, type PostgresQueueOptions } from './postgres-queue.js';
export { createScenarioFlows, type ScenarioFlowsOptions } from './scenarios/scenario-flows.js';
export type { ScenarioPlan } from './scenario-plan.js';
export { createScenarioDesk, type ScenarioDesk, type ScenarioWanted } from './scenarios.js';
export type { HostServer, ListenOptions } from './serve-http.js';
export { createStoreQueue, type StoreQueueOptions } from './store-queue.js';
export type {
  EventRow,
  EventStatus,
  HookKind,
  HookRow,
  HostStore,
  IncompleteRow,
  IncompleteStatus,
  ScenarioRow,
} from './store/tables.js';

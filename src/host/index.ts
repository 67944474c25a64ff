export type { FetchServer as HostServer, ListenOptions } from '../server/serve-fetch.js';
export type { IncomingCall } from '../webhook/incoming-call.js';
export type { Host, HostOptions } from './create-host.js';
export { createHost } from './create-host.js';
export {
  type AdminOptions,
  createEventAdmin,
  type EventAdmin,
  type EventFilter,
  type EventQuery,
  type EventSummary,
} from './events/event-admin.js';
export { type AttachOptions, attachHook, detachHook } from './hooks/attach-hook.js';
export { createEngineReceiver } from './hooks/engine-receiver.js';
export type { Hook, HookWanted } from './hooks/hooks.js';
export type { Engines, HostApp, HostApps } from './hooks/require-app.js';
export { DEFAULT_HOST_LIMITS, type HostLimits } from './host-limits.js';
export {
  createPoolFlows,
  createPoolReceiver,
  openPoolApps,
  type PoolFlowsOptions,
  type PoolHostApp,
  type PoolPortOptions,
  type PoolReceiverOptions,
} from './pool-ports.js';
export {
  type CallAccepted,
  type CallRefusal,
  type CallRefused,
  type HostNotice,
  type HostObserver,
  type HostProblem,
  type RunFinished,
  type RunSource,
  type RunStarted,
  type ScenarioOff,
  type ScenarioSuspended,
  tellAll,
  type WorkGivenUp,
} from './ports/observer.js';
export type {
  FlowOutcome,
  FlowOutput,
  FlowRequest,
  FlowSource,
  FlowStepName,
  Flows,
  IncompleteDraft,
  PollProgress,
  ReceivedBundles,
  ReceiveRequest,
  Receiver,
  WebhookReception,
} from './ports/ports.js';
export type { HostSpan, HostTracing, SpanAttributes, SpanWanted } from './ports/tracing.js';
export type {
  HostQueue,
  JobKind,
  NewQueueJob,
  QueueDelivery,
  QueueJob,
  QueueStartOptions,
} from './queue/host-queue.js';
export { createLocalQueue, type LocalQueueOptions } from './queue/local-queue.js';
export { createPostgresQueue, type PostgresQueueOptions } from './queue/postgres-queue.js';
export { findStuck, type Stuck } from './scenarios/find-stuck.js';
export type { FlowDefinition, StepDefinition } from './scenarios/flow-definition.js';
export { createScenarioAdmin, type ScenarioAdmin, type ScenarioWanted } from './scenarios/scenario-admin.js';
export { createScenarioFlows, type ScenarioFlowsOptions } from './scenarios/scenario-flows.js';
export type { FindConnectionSecrets, NamedConnection } from './scenarios/scenario-secrets.js';
export type { Health } from './server/health.js';
export { createHostMetrics, type HostMetrics } from './server/metrics.js';
export { createNotifier, type Notifier, type NotifierOptions } from './server/notifier.js';
export { createHostTracing } from './server/open-telemetry.js';
export {
  createHostMemoryStore,
  openHostPostgres,
  openHostSqlite,
  type SealOptions,
} from './store/open-host-store.js';
export type { CronSchedule, ScenarioPlan } from './store/scenario-plan.js';
export type {
  CrashCounts,
  EventRow,
  EventStatus,
  HookKind,
  HookRow,
  HostStore,
  IncompleteRow,
  IncompleteStatus,
  ScenarioRow,
} from './store/tables.js';

// Apps

export type { App, ModuleType } from './engine/document/app.js';
export type { AppDefinition } from './engine/loading/define-app.js';
export { defineApp } from './engine/loading/define-app.js';
export { loadApp } from './engine/loading/load-app.js';

// Engines

export type { AnyApp } from './engine/app-types.js';
export { createEngine, type Engine } from './engine/create-engine.js';
export type { Endpoint, Module, PollingTrigger, Responder, Rpc } from './engine/engine-components.js';
export type { EngineOptions } from './engine/engine-options.js';
export type { HttpOptions } from './engine/engine-transport.js';
export { createEnginePool, type EnginePool, type EnginePoolOptions } from './engine/pool/engine-pool.js';
export type { AppSource, PoolTask, WorkerContext } from './engine/pool/messages.js';
export type { PoolApp } from './engine/pool/pool-app.js';
export { TerminatedError, type TerminationCause } from './engine/pool/terminated.js';
export type { PoolSetup } from './engine/pool/worker-engines.js';
export { DEFAULT_LIMITS, type Limits } from './engine/run/limits.js';

// Runs

export type { RunInput } from './engine/component/check-and-connect.js';
export type { ModuleRun } from './engine/component/module-run.js';
export type { Reporting, RunFailure, RunReport, RunStats } from './engine/component/report.js';
export type { TriggerState } from './engine/component/trigger-data.js';
export type { Bundle } from './engine/run/collect-outputs.js';
export type { RunWarning, StopReason, TraceEvent } from './engine/run/trace.js';

// Connections

export type { Connection } from './engine/connection/connection.js';
export type {
  AuthorizeInput,
  ConnectionReport,
  KnownConnection,
  PendingAuthorization,
} from './engine/connection/connection-input.js';
export type { ConnectionStore, StoredConnection } from './engine/connection/connection-store.js';
export { fromPortable, toPortable } from './shared/portable-value.js';

// Webhooks

export type { BuiltResponse } from './engine/run/build-answer.js';
export type { Webhook } from './engine/webhook/create-webhook.js';
export type { IncomingCall } from './engine/webhook/incoming-call.js';
export { fromNodeRequest, sendNodeResponse } from './engine/webhook/node-http.js';
export type { WebhookInput } from './engine/webhook/process-webhook.js';
export type { WebhookReport } from './engine/webhook/webhook-report.js';

// Errors

export { APP_ERROR_TYPES, AppError, type AppErrorType } from './shared/errors/app-error.js';
export { ERROR_CODES, type ErrorCode } from './shared/errors/codes.js';
export { EngineError, SpecError, TransportError, WebhookError } from './shared/errors/engine-error.js';
export { ImlError } from './shared/errors/iml-error.js';
export { formatLocation, type SourceLocation } from './shared/errors/source-location.js';

// Ports

export { createNetworkGuard } from './engine/http/network-guard.js';
export type { Transport, TransportRequest, TransportResponse } from './engine/http/transport.js';
export { createUndiciTransport } from './engine/http/undici-transport.js';
export type { Clock } from './shared/clock.js';
export { createTracing } from './shared/open-telemetry.js';
export type { SpanInput, TraceSpan, Tracing } from './shared/tracing.js';

// Apps

export type { AppDefinition } from './app/assembling/app-definition.js';
export { defineApp } from './app/assembling/define-app.js';
export type { LoadOptions } from './app/loading/app-folder.js';
export { loadApp } from './app/loading/load-app.js';
export type { App, ModuleType } from './document/app.js';
export type { Warning } from './document/reading/document.js';

// Engines

export { createEngine, type Engine } from './app/engine/create-engine.js';
export type { EngineModule, EngineRpc } from './app/engine/engine-components.js';
export type { EngineOptions } from './app/engine/engine-options.js';
export type { NetworkOptions } from './app/engine/engine-transport.js';
export { createEnginePool, type EnginePool, type EnginePoolOptions } from './pool/engine-pool.js';
export type { PoolTask, WorkerContext, WorkerFunction } from './pool/pool-task.js';
export type { PoolSetup } from './pool/worker-engines.js';
export { DEFAULT_LIMITS, type Limits } from './run/limits/limits.js';

// Runs

export type { CallReport } from './component/call-report.js';
export type { ConnectedInput } from './component/check-and-connect.js';
export type { ModuleRun, RunReport } from './component/module-run.js';
export type { Report, RunFailure, RunStats } from './component/report.js';
export type { TriggerStart, TriggerState } from './component/trigger-data.js';
export type { Bundle } from './run/response/collect-outputs.js';
export type { RunWarning, StopReason, TraceEvent, TraceListener } from './run/trace/trace.js';
export type { EpochReport } from './trigger/run-epoch.js';
export { startFromAll, startSince } from './trigger/trigger-state.js';

// Connections

export type { Connection } from './connection/connection.js';
export type { AuthorizationReport, ConnectionReport } from './connection/connection-input.js';
export type { ConnectionStore, StoredConnection } from './connection/connection-store.js';
export type { PendingAuthorization } from './connection/pending-authorization.js';
export { fromPortable, toPortable } from './util/portable-value.js';

// Webhooks

export type { BuiltResponse } from './run/response/build-answer.js';
export type { Webhook } from './webhook/create-webhook.js';
export type { IncomingCall } from './webhook/incoming-call.js';
export { DEFAULT_WEBHOOK_LIMITS, type WebhookLimits } from './webhook/incoming-call.js';
export { fromNodeRequest, sendNodeResponse } from './webhook/node-http.js';
export type { WebhookInput } from './webhook/process-webhook.js';
export type { HookReport } from './webhook/run-hook-request.js';
export type { WebhookReport } from './webhook/webhook-report.js';

// Errors

export { APP_ERROR_TYPES, AppError, type AppErrorType } from './errors/app-error.js';
export { ERROR_CODES, type ErrorCode } from './errors/codes.js';
export { EngineError, SpecError, TransportError, WebhookError } from './errors/engine-error.js';
export { ImlError } from './errors/iml-error.js';
export { codeFrame, formatLocation, type SourceLocation } from './errors/source-location.js';

// Ports

export { createNetworkGuard } from './http/guard/network-guard.js';
export type { Transport, TransportRequest, TransportResponse } from './http/message/transport.js';
export { createUndiciTransport } from './http/transport/undici-transport.js';
export type { Digest } from './iml/environment/environment.js';
export type { Clock } from './util/clock.js';

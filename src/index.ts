// Apps

export type {
  AppDefinition,
  ConnectionDefinition,
  EndpointDefinition,
  FunctionDefinition,
  ModuleDefinition,
  RpcDefinition,
  Spec,
  WebhookDefinition,
} from './app/assembling/app-definition.js';
export { defineApp } from './app/assembling/define-app.js';
export type { LoadOptions } from './app/loading/app-folder.js';
export { loadApp } from './app/loading/load-app.js';
export type {
  App,
  ConnectionComponent,
  EndpointComponent,
  FunctionComponent,
  ModuleComponent,
  ModuleType,
  RpcComponent,
  WebhookComponent,
} from './document/app.js';
export type { Document, Warning, WarningCode } from './document/reading/document.js';

// The engine

export { createEngine, type Engine } from './app/engine/create-engine.js';
export type { EngineModule, EngineRpc } from './app/engine/engine-components.js';
export type { EngineOptions } from './app/engine/engine-options.js';
export type { NetworkOptions } from './app/engine/engine-transport.js';
export type { HostMapping } from './http/transport/map-hosts.js';
export type { BudgetFigures, BudgetReason } from './run/limits/call-budget.js';
export { DEFAULT_LIMITS, type Limits } from './run/limits/limits.js';

// The engine pool

export type { PoolConnections } from './pool/connection-calls.js';
export {
  createEnginePool,
  type EnginePool,
  type EnginePoolOptions,
  type PoolApp,
  type PoolModule,
} from './pool/engine-pool.js';
export type { PoolRun } from './pool/pool-run.js';
export type { AppSource, PoolCalls, PoolTask, WorkerContext, WorkerFunction } from './pool/pool-task.js';
export type { PoolEngineOptions, PoolSetup, PoolSetupContext } from './pool/worker-engines.js';
export type { PoolResourceLimits } from './pool/worker-pool.js';

// Runs and reports

export type { CallReport } from './component/call-report.js';
export type { ConnectedInput } from './component/check-and-connect.js';
export type { ModuleRun, RunReport } from './component/module-run.js';
export type {
  AnyReport,
  Report,
  Reporting,
  RunFacts,
  RunFailure,
  RunStats,
  Succeeded,
} from './component/report.js';
export type { FormInput, RunInput } from './component/runtime.js';
export type { BuiltResponse } from './run/response/build-answer.js';
export type { Bundle } from './run/response/collect-outputs.js';
export type { RunObserver } from './run/scope/engine-settings.js';
export type { BudgetWait } from './run/scope/run-context.js';
export type {
  RunWarning,
  StopReason,
  TraceDepth,
  TraceEvent,
  TraceListener,
  UsedLimits,
} from './run/trace/trace.js';

// Parameters

export type { ModuleParameters, ParametersInput } from './module/list-parameters.js';
export type { CheckParameters, ParameterCheck, PathTest } from './parameters/check/form-check.js';
export type { Problem, ProblemKind } from './parameters/check/problem.js';
export type { ReferenceFailure } from './parameters/check/resolve-parameters.js';
export { validateParameters } from './parameters/check/validate-parameters.js';
export type {
  ResolveRpc,
  ValidateParametersOptions,
  ValidateParametersResult,
} from './parameters/check/validation.js';
export type {
  Choices,
  Constraints,
  ItemSpec,
  Option,
  ParameterElement,
  ParameterList,
  ParameterReference,
  ParameterSpec,
  ReadForm,
  TagTreatment,
} from './parameters/form/parameter-spec.js';
export { findParameter, PARAMETER_TYPES, type ParameterType } from './parameters/form/parameter-spec.js';
export { joinParameters, readParameters } from './parameters/form/read-parameters.js';
export type { RpcReference } from './parameters/form/rpc-reference.js';
export { type JsonSchema, toJsonSchema } from './parameters/to-json-schema.js';
export { coerceText } from './parameters/values/coerce-text.js';

// Triggers and epochs

export type { DateState, IdState, ItemId, TriggerStart, TriggerState } from './component/trigger-data.js';
export type { EpochEntry, EpochList, EpochReport } from './trigger/run-epoch.js';
export type { ItemPosition, TriggerOrder, TriggerType } from './trigger/trigger-state.js';
export {
  startFromAll,
  startFromItem,
  startFromNow,
  startSince,
} from './trigger/trigger-state.js';

// Connections and their store

export type { Connection } from './connection/connection.js';
export type {
  Authorization,
  AuthorizationReport,
  AuthorizeInput,
  ConnectionOptions,
  ConnectionReport,
  CreateInput,
  KnownConnection,
  RefreshInput,
} from './connection/connection-input.js';
export type {
  ConnectionMetadata,
  ConnectionStore,
  OAuthNames,
  StoredConnection,
} from './connection/connection-store.js';
export type { PendingAuthorization } from './connection/pending-authorization.js';
export type { CallbackQuery } from './connection/receive-callback.js';
export type { ScopeRequest } from './connection/required-scope.js';
export type { OpenOptions, OpenReport } from './connection/stored-connections.js';
export { fromPortable, toPortable } from './util/portable-value.js';

// Webhooks

export type { Delivery, Recipient, Recipients } from './webhook/collect-bundles.js';
export type { Webhook } from './webhook/create-webhook.js';
export type { IncomingCall } from './webhook/incoming-call.js';
export type { ConditionValue, NoBundles } from './webhook/no-bundles.js';
export { fromNodeRequest, type NodeRequestOptions, sendNodeResponse } from './webhook/node-http.js';
export { DEFAULT_WEBHOOK_LIMITS, type WebhookLimits } from './webhook/payload/webhook-limits.js';
export type { WebhookInput } from './webhook/process-webhook.js';
export type { HookInput, HookReport, HookResult } from './webhook/run-hook-request.js';
export type {
  WebhookEvents,
  WebhookFacts,
  WebhookFailure,
  WebhookPhase,
  WebhookReport,
} from './webhook/webhook-report.js';

// Errors

export {
  APP_ERROR_TYPES,
  AppError,
  type AppErrorOptions,
  type AppErrorType,
  type FailedRequest,
  RATE_LIMIT_DELAY_MS,
} from './errors/app-error.js';
export { ERROR_CODES, type ErrorCode } from './errors/codes.js';
export {
  EngineError,
  type EngineErrorOptions,
  SpecError,
  TransportError,
  type TransportErrorOptions,
  WebhookError,
} from './errors/engine-error.js';
export { ImlError, type ImlErrorKind, type ImlErrorOptions } from './errors/iml-error.js';
export type { Position } from './errors/source-location.js';
export { codeFrame, formatLocation, type SourceLocation } from './errors/source-location.js';

// Ports

export { createNetworkGuard, type NetworkGuard } from './http/guard/network-guard.js';
export type {
  HeaderEntry,
  ResponseHeaders,
  Transport,
  TransportRequest,
  TransportResponse,
} from './http/message/transport.js';
export {
  type ClosableTransport,
  createUndiciTransport,
  type UndiciTransportOptions,
} from './http/transport/undici-transport.js';
export type { CompileOptions } from './iml/compile.js';
export type {
  Digest,
  DigestAlgorithm,
  Environment,
  FunctionTable,
  ImlFunction,
  Scope,
} from './iml/environment/environment.js';
export { type Clock, SYSTEM_CLOCK } from './util/clock.js';

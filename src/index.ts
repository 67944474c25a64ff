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

export {
  createEngine,
  type Engine,
  type EngineModule,
  type EngineOptions,
  type EngineRpc,
  type NetworkOptions,
} from './app/engine/create-engine.js';
export { DEFAULT_LIMITS, type Limits } from './run/limits/limits.js';

// Runs and reports

export type { ConnectedInput } from './component/begin-run.js';
export type { Bundle } from './component/bundles.js';
export type { CallReport } from './component/call-report.js';
export type { ModuleRun, RunReport, RunStats } from './component/module-run.js';
export type { FormInput, RunInput } from './component/runtime.js';
export type { BuiltResponse } from './run/response/build-response.js';
export type { RunWarning, StopReason, TraceEvent, TraceListener } from './run/trace/trace.js';

// Parameters

export type { ModuleParameters, ParametersInput } from './module/list-parameters.js';
export type { CheckParameters, ParameterCheck } from './parameters/check/parameter-check.js';
export { coerceText } from './parameters/values/coerce-text.js';
export { findParameter } from './parameters/form/find-parameter.js';
export type { PathTest } from './parameters/check/form-check.js';
export {
  type Choices,
  type Constraints,
  type ItemSpec,
  type Option,
  PARAMETER_TYPES,
  type ParameterElement,
  type ParameterList,
  type ParameterReference,
  type ParameterSpec,
  type ParameterType,
  type TagTreatment,
} from './parameters/form/parameter-spec.js';
export type { Problem, ProblemKind } from './parameters/check/problem.js';
export { joinParameters, readParameters } from './parameters/form/read-parameters.js';
export type { ReferenceFailure } from './parameters/check/resolve-parameters.js';
export type { RpcReference } from './parameters/form/rpc-reference.js';
export {
  type ResolveRpc,
  type ValidateParametersOptions,
  type ValidateParametersResult,
  validateParameters,
} from './parameters/check/validate-parameters.js';

// Triggers and epochs

export type { ItemId } from './trigger/compare-ids.js';
export type { EpochEntry, EpochReport } from './trigger/run-epoch.js';
export {
  startFromAll,
  startFromItem,
  startFromNow,
  startSince,
  type TriggerStart,
} from './trigger/trigger-start.js';
export type {
  DateState,
  IdState,
  ItemPosition,
  TriggerOrder,
  TriggerState,
  TriggerType,
} from './trigger/trigger-state.js';

// Connections and their store

export type {
  Authorization,
  AuthorizeInput,
  Connection,
  ConnectionOptions,
  CreateInput,
  KnownConnection,
  RefreshInput,
} from './component/connection.js';
export type { ConnectionReport } from './connection/connection-run.js';
export type {
  ConnectionMetadata,
  ConnectionStore,
  OAuthNames,
  StoredConnection,
} from './connection/connection-store.js';
export type { PendingAuthorization } from './connection/pending-authorization.js';
export type { CallbackQuery } from './connection/receive-callback.js';
export type { ScopeRequest } from './connection/required-scope.js';
export type { OpenConnection } from './connection/stored-connections.js';
export { fromPortable, toPortable } from './util/portable-value.js';

// Webhooks and their store

export type { Webhook } from './webhook/create-webhook.js';
export type { Delivery, Recipient, Recipients } from './webhook/find-recipients.js';
export {
  createHook,
  deleteHook,
  disableHook,
  enableHook,
  type HookChange,
  type HookLife,
  type NewHook,
  updateHook,
} from './webhook/hook-life.js';
export {
  createMemoryHookStore,
  type HookRecord,
  type HookStatus,
  type HookStore,
} from './webhook/hook-store.js';
export type { IncomingCall } from './webhook/incoming-call.js';
export type { HookInput, HookReport } from './webhook/run-hook-request.js';
export type { WebhookInput } from './webhook/webhook-input.js';
export { DEFAULT_WEBHOOK_LIMITS, type WebhookLimits } from './webhook/payload/webhook-limits.js';
export type { WebhookFailure, WebhookPhase, WebhookResult } from './webhook/webhook-report.js';

// Errors

export {
  APP_ERROR_TYPES,
  AppError,
  type AppErrorOptions,
  type AppErrorType,
  RATE_LIMIT_DELAY_MS,
} from './errors/app-error.js';
export { codeFrame } from './errors/code-frame.js';
export { ERROR_CODES, type ErrorCode } from './errors/codes.js';
export { EngineError, type EngineErrorOptions } from './errors/engine-error.js';
export { ImlError, type ImlErrorKind, type ImlErrorOptions } from './errors/iml-error.js';
export { type Place, printPlace } from './errors/place.js';
export type { Position } from './errors/position.js';
export { SpecError } from './errors/spec-error.js';
export { TransportError, type TransportErrorOptions } from './errors/transport-error.js';
export { WebhookError } from './errors/webhook-error.js';

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

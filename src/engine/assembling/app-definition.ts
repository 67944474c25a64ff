import type { EndpointAnnotations, ModuleType } from '../document/app.js';

/** JSON data as in the file: a request spec, a list of them, parameters and so on. */
export type Spec = unknown;

/** An app given as an object. Member names of specs are Make's; see `defineApp`. */
export interface AppDefinition {
  /** Name of the app in messages. */
  readonly name: string;
  readonly base?: Spec;
  /** The app's common data: an object. */
  readonly common?: Spec;
  /** `[{ label, modules: [name] }]` in the order of display. */
  readonly groups?: Spec;
  readonly modules?: Readonly<Record<string, ModuleDefinition>>;
  readonly connections?: Readonly<Record<string, ConnectionDefinition>>;
  readonly rpcs?: Readonly<Record<string, RpcDefinition>>;
  readonly webhooks?: Readonly<Record<string, WebhookDefinition>>;
  readonly functions?: Readonly<Record<string, FunctionDefinition>>;
  readonly endpoints?: Readonly<Record<string, EndpointDefinition>>;
}

/** A module of `defineApp`. Absent parts do not exist. */
export interface ModuleDefinition {
  /** Default: derived from epoch, trigger, webhook or iterate; else `action`. */
  readonly type?: ModuleType;
  readonly label?: string;
  readonly description?: string;
  readonly crud?: 'create' | 'read' | 'update' | 'delete' | null;
  /** Name of one of the app's connections. */
  readonly connection?: string | null;
  readonly altConnection?: string | null;
  /** Name of one of the app's webhooks; instant triggers only. */
  readonly webhook?: string | null;
  /** Required except for an instant trigger. */
  readonly communication?: Spec;
  /** Polling triggers only. */
  readonly epoch?: Spec;
  readonly staticParams?: Spec;
  readonly mappableParams?: Spec;
  readonly interface?: Spec;
  readonly samples?: Spec;
  readonly scope?: Spec;
}

/** A connection of `defineApp`. */
export interface ConnectionDefinition {
  /** Default: `oauth` if the communication has `authorize` or `token`, else `basic`. */
  readonly type?: 'basic' | 'oauth';
  readonly label?: string;
  readonly communication?: Spec;
  readonly params?: Spec;
  /** The connection's common data, such as a client id. */
  readonly common?: Spec;
  readonly scopeList?: Spec;
  readonly defaultScope?: Spec;
  readonly installSpec?: Spec;
  readonly installDirectives?: Spec;
}

/** An RPC of `defineApp`: loads options, fields and samples of forms. */
export interface RpcDefinition {
  readonly label?: string;
  readonly connection?: string | null;
  readonly altConnection?: string | null;
  readonly communication?: Spec;
  readonly params?: Spec;
}

/** A webhook of `defineApp` with its attach, update and detach requests. */
export interface WebhookDefinition {
  /** `web-shared`: one address for all users. Default `web`. */
  readonly type?: 'web' | 'web-shared';
  readonly label?: string;
  readonly connection?: string | null;
  readonly altConnection?: string | null;
  readonly communication?: Spec;
  readonly params?: Spec;
  readonly attach?: Spec;
  readonly detach?: Spec;
  readonly update?: Spec;
  readonly requiredScope?: Spec;
}

/** A custom function of `defineApp`. */
export interface FunctionDefinition {
  /** JavaScript source of the function. It runs in the sandbox only. */
  readonly code: string;
  /** Source of its tests. */
  readonly test?: string;
}

/** An endpoint of `defineApp`: a request for AI callers and for other requests of the app. */
export interface EndpointDefinition {
  readonly label?: string;
  readonly description?: string;
  readonly connection?: string | null;
  /** Names of the connections that it may use. */
  readonly attachedAccounts?: readonly string[];
  readonly annotations?: EndpointAnnotations;
  /** Text for AI callers, in Markdown. */
  readonly context?: string;
  readonly communication?: Spec;
  readonly requiredScope?: Spec;
  readonly input?: Spec;
  readonly output?: Spec;
}

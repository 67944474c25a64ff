import type { Semantics } from '../../language/environment.js';
import type { Document, Warning } from './document.js';

/** A custom app, independent of its layout on disk. Documents are neither merged nor compiled. */
export interface App {
  /** Name of the app in messages: the folder's name, or the name passed to `defineApp`. */
  readonly name: string;
  /**
   * Identifies the app among apps of the same name, so that stored data never reaches another app: the real path of
   * the folder, or the name passed to `defineApp`.
   */
  readonly identity: string;
  /** Ids of the app on the platform, from `origins` in the manifest; empty if it was never uploaded. */
  readonly appIds: readonly string[];
  /** `semantics` of `iml.config.json` beside the manifest. Default of an engine: `runtime`. */
  readonly semantics?: Semantics | undefined;
  readonly base: Document | undefined;
  readonly common: Document | undefined;
  readonly groups: Document | undefined;
  readonly modules: ReadonlyMap<string, ModuleComponent>;
  readonly connections: ReadonlyMap<string, ConnectionComponent>;
  readonly rpcs: ReadonlyMap<string, RpcComponent>;
  readonly webhooks: ReadonlyMap<string, WebhookComponent>;
  readonly functions: ReadonlyMap<string, FunctionComponent>;
  readonly endpoints: ReadonlyMap<string, EndpointComponent>;
  readonly warnings: readonly Warning[];
}

/** Type of a module, spelled as in the manifest. */
export type ModuleType = 'trigger' | 'action' | 'search' | 'instant_trigger' | 'responder' | 'universal';

interface Component {
  /** Local id in the manifest; `rpc://` references and module links use it. */
  readonly name: string;
  readonly label: string | undefined;
}

/** A module as read from disk: its documents are neither merged with the base nor compiled. */
export interface ModuleComponent extends Component {
  readonly type: ModuleType;
  readonly description: string | undefined;
  readonly crud: string | undefined;
  /** Name of the connection component. */
  readonly connection: string | undefined;
  readonly altConnection: string | undefined;
  /** Name of the webhook component. Instant triggers only. */
  readonly webhook: string | undefined;
  readonly communication: Document | undefined;
  readonly epoch: Document | undefined;
  readonly staticParams: Document | undefined;
  readonly mappableParams: Document | undefined;
  readonly interface: Document | undefined;
  readonly samples: Document | undefined;
  readonly scope: Document | undefined;
}

/** A connection as read from disk. */
export interface ConnectionComponent extends Component {
  readonly type: 'basic' | 'oauth';
  readonly communication: Document | undefined;
  readonly params: Document | undefined;
  readonly common: Document | undefined;
  readonly scopeList: Document | undefined;
  readonly defaultScope: Document | undefined;
}

/** An RPC as read from disk. */
export interface RpcComponent extends Component {
  readonly connection: string | undefined;
  readonly altConnection: string | undefined;
  readonly communication: Document | undefined;
  readonly params: Document | undefined;
}

/** A webhook as read from disk. */
export interface WebhookComponent extends Component {
  readonly type: 'web' | 'web-shared';
  readonly connection: string | undefined;
  readonly altConnection: string | undefined;
  readonly communication: Document | undefined;
  readonly params: Document | undefined;
  readonly attach: Document | undefined;
  readonly detach: Document | undefined;
  readonly update: Document | undefined;
  readonly requiredScope: Document | undefined;
}

/** A custom function as source code. Loading an app runs none of it. */
export interface FunctionComponent extends Component {
  /** Source code; undefined if the file is missing. */
  readonly code: string | undefined;
  readonly test: string | undefined;
  readonly file: string | undefined;
  /** File of the test, if any. */
  readonly testFile?: string | undefined;
}

/** Hints for AI callers. Source: https://modelcontextprotocol.io/specification (tool annotations). */
export const ENDPOINT_HINTS = [
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
  'arbitraryCallHint',
] as const;
export type EndpointAnnotations = Readonly<
  Partial<Record<(typeof ENDPOINT_HINTS)[number], boolean | undefined>>
>;

/** An endpoint as read from disk. */
export interface EndpointComponent extends Component {
  readonly description: string | undefined;
  /** Names of the connection components that it may use. */
  readonly connections: readonly string[];
  readonly annotations: EndpointAnnotations;
  /** Text for AI callers, in Markdown. */
  readonly context: string | undefined;
  readonly communication: Document | undefined;
  readonly requiredScope: Document | undefined;
  readonly input: Document | undefined;
  readonly output: Document | undefined;
}

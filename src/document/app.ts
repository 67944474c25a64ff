import type { Semantics } from '../iml/environment/environment.js';
import type { Document, Warning } from './reading/document.js';

/** A custom app, whatever layout it was read from. Nothing in it is compiled or merged yet. */
export interface App {
  /** What messages call the app: the folder's name, or the name given to `defineApp`. */
  readonly name: string;
  /**
   * What tells the app from others of its name, so that what is kept for it is given to no other: the real path of its
   * folder, or the name given to `defineApp`.
   */
  readonly identity: string;
  /** What the app is called on the platform, as its manifest tells (`origins`); empty for one that has not been there. */
  readonly appIds: readonly string[];
  /** What `iml.config.json` beside the manifest says. Default of an engine: `runtime`. */
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

/** What a module does, in the spelling of the manifest. */
export type ModuleType = 'trigger' | 'action' | 'search' | 'instant_trigger' | 'responder' | 'universal';

interface Component {
  /** Local id in the manifest; what `rpc://` references and module links use. */
  readonly name: string;
  readonly label: string | undefined;
}

/** A module of an app, as it was read: its documents are neither merged with the base nor compiled. */
export interface ModuleComponent extends Component {
  readonly type: ModuleType;
  readonly description: string | undefined;
  readonly crud: string | undefined;
  /** Name of the connection component. */
  readonly connection: string | undefined;
  readonly altConnection: string | undefined;
  /** Name of the webhook component; instant triggers only. */
  readonly webhook: string | undefined;
  readonly communication: Document | undefined;
  readonly epoch: Document | undefined;
  readonly staticParams: Document | undefined;
  readonly mappableParams: Document | undefined;
  readonly interface: Document | undefined;
  readonly samples: Document | undefined;
  readonly scope: Document | undefined;
}

/** A connection of an app, as it was read. */
export interface ConnectionComponent extends Component {
  readonly type: 'basic' | 'oauth';
  readonly communication: Document | undefined;
  readonly params: Document | undefined;
  readonly common: Document | undefined;
  readonly scopeList: Document | undefined;
  readonly defaultScope: Document | undefined;
}

/** An RPC of an app, as it was read. */
export interface RpcComponent extends Component {
  readonly connection: string | undefined;
  readonly altConnection: string | undefined;
  readonly communication: Document | undefined;
  readonly params: Document | undefined;
}

/** A webhook of an app, as it was read. */
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

/** A custom function of an app: its source, which nothing has run. */
export interface FunctionComponent extends Component {
  /** Source text; undefined where the file is absent. */
  readonly code: string | undefined;
  readonly test: string | undefined;
  readonly file: string | undefined;
  /** File of the test; absent where there is none. */
  readonly testFile?: string | undefined;
}

/** An endpoint of an app, as it was read. */
export interface EndpointComponent extends Component {
  readonly description: string | undefined;
  readonly connection: string | undefined;
  readonly communication: Document | undefined;
  readonly requiredScope: Document | undefined;
  readonly input: Document | undefined;
  readonly output: Document | undefined;
}

import type { App } from '../../../engine/document/app.js';
import { isPlainObject, ownMember, readAt } from '../../../shared/plain-object.js';
import type { CheckedDocument } from './checked-document.js';
import type { Phase, SpecLocation } from './expression-site.js';
import { inheritsBase } from './walk-requests.js';

/** What runs a document, which determines its variables. */
export type RunnerKind =
  | 'module'
  | 'trigger'
  | 'instant_trigger'
  | 'responder'
  | 'rpc'
  | 'endpoint'
  | 'connection'
  | 'oauth'
  | 'webhook'
  | 'hook'
  | 'base';

/**
 * Members of `oauth`. Source: https://developers.make.com/custom-apps-documentation/app-components/connections/oauth-2.0. [doc];
 * those of PKCE [inf]
 */
export const OAUTH_MEMBERS: readonly string[] = [
  'scope',
  'redirectUri',
  'localRedirectUri',
  'makeRedirectUri',
  'codeChallenge',
  'codeChallengeMethod',
  'codeVerifier',
];

export const NAME_MEANINGS: Readonly<Record<string, string>> = {
  now: 'The current date and time.',
  timestamp: 'The current time in Unix seconds.',
  random: 'A random number from 0 up to but not including 1.',
  uuid: 'A new random UUID.',
  pi: 'The ratio of a circle to its diameter.',
  executionId: 'Id of the execution of the scenario.',
  environment: 'Facts of the environment: `environment.timezone`.',
  temp: 'What `temp` and `response.temp` kept, through all requests, pages and repeats of one run.',
  parameters: 'What the user filled in.',
  connection: "The connection's data: its parameters and what `response.data` kept.",
  common: "The app's common data; in a connection, the connection's.",
  data: 'Data of the component: state of a trigger, data of a connection, parameters of a webhook.',
  scenario: 'Data of the scenario.',
  metadata: 'Specifications of the module: `metadata.expect`, `metadata.interface`.',
  trigger: 'Choice of the epoch panel: `trigger.matchEqual`.',
  webhook: 'Data kept with the webhook; `webhook.url` and `webhook.id` in attach.',
  payload: 'Item of the webhook that an instant trigger processes.',
  oauth: 'Addresses and scopes of an authorization: `oauth.redirectUri`, `oauth.scope`.',
  body: 'The body of the response, or of the call of a webhook.',
  headers: 'Headers of the response, or of the call of a webhook, in any case of letters.',
  statusCode: 'Status of the response.',
  query: 'Query parameters of the call, or of the callback of an authorization.',
  method: 'Method of the call, in capitals.',
  rawBody: 'The bytes of the payload as they were sent.',
  item: 'The item of `iterate` at hand.',
  output: 'What `output` gave: a list when iterating.',
  pagination: '`pagination.page`, the number of the page to come.',
  iterate: '`iterate.container.first` and `.last`, items of the page before.',
};

/** Source: the pages on variables of the custom app documentation. [doc][app] */
const ALWAYS = ['now', 'timestamp', 'random', 'uuid', 'pi', 'executionId', 'environment', 'temp'];
const MODULE = ['parameters', 'connection', 'common', 'data', 'scenario', 'metadata'];
const CONNECTION = ['parameters', 'common', 'data', 'connection'];

/** Variables by runner, in all phases. */
const BY_RUNNER: Readonly<Record<RunnerKind, readonly string[]>> = {
  module: MODULE,
  trigger: [...MODULE, 'trigger'],
  instant_trigger: [...MODULE, 'payload', 'webhook'],
  responder: [...MODULE, 'payload', 'webhook'],
  rpc: [...MODULE, 'webhook'],
  endpoint: MODULE,
  connection: CONNECTION,
  oauth: [...CONNECTION, 'oauth', 'query'],
  webhook: ['parameters', 'data', 'webhook', 'connection'],
  hook: [...MODULE, 'webhook'],
  // The base is merged into modules, RPCs, attach, detach and update.
  base: [...MODULE, 'trigger', 'payload', 'webhook'],
};

const RESPONSE = ['body', 'headers', 'statusCode'];

/** Additional variables by phase. */
const BY_PHASE: Readonly<Record<Phase, readonly string[]>> = {
  request: [],
  response: RESPONSE,
  item: [...RESPONSE, 'item'],
  wrapper: [...RESPONSE, 'output', 'iterate'],
  pagination: [...RESPONSE, 'pagination', 'iterate'],
  repeat: RESPONSE,
  call: [],
  form: [],
};

const CALL = ['body', 'headers', 'query', 'method', 'rawBody'];

/** The runner of a document. */
function findRunner({ kind, part, owner }: CheckedDocument): RunnerKind {
  switch (owner?.kind) {
    case undefined:
      return 'base';
    case 'connection':
      return owner.type === 'oauth' ? 'oauth' : 'connection';
    case 'webhook':
      return kind === 'webhook' ? 'webhook' : part === 'params' ? 'rpc' : 'hook';
    case 'rpc':
      return 'rpc';
    case 'endpoint':
      return 'endpoint';
    default:
      return isRunner(owner?.type) ? owner.type : 'module';
  }
}

function isRunner(type: string | undefined): type is 'trigger' | 'instant_trigger' | 'responder' {
  return type === 'trigger' || type === 'instant_trigger' || type === 'responder';
}

/** Cached by document and location. */
const NAMES = new WeakMap<CheckedDocument, Map<string, readonly string[]>>();

/** All available variables at a location, except those without a value. */
export function listVisibleNames(
  app: App,
  checked: CheckedDocument,
  location: SpecLocation,
): readonly string[] {
  const known = NAMES.get(checked) ?? new Map<string, readonly string[]>();
  NAMES.set(checked, known);
  const key = `${location.phase} ${location.section ?? ''} ${location.element}`;
  const names = known.get(key) ?? collectNames(app, checked, location);
  known.set(key, names);
  return names;
}

function collectNames(app: App, checked: CheckedDocument, location: SpecLocation): readonly string[] {
  const runner = findRunner(checked);
  const { phase } = location;
  if (runner === 'webhook' && phase !== 'form') {
    return [...ALWAYS, ...BY_RUNNER.webhook, ...CALL, ...(phase === 'item' ? ['item'] : [])];
  }
  const hasItem = phase !== 'item' || iterates(app, checked, location);
  const names = [...ALWAYS, ...BY_RUNNER[runner], ...BY_PHASE[hasItem ? phase : 'response']];
  if (phase === 'request' && seesEarlierResponse(app, checked, location)) names.push(...RESPONSE);
  if (phase === 'request' && isPaged(app, checked, location)) names.push('pagination', 'iterate');
  return names;
}

/**
 * Whether a request iterates, by itself or by inheritance: the base may serve such requests, and an epoch inherits
 * the communication of its trigger.
 */
function iterates(app: App, checked: CheckedDocument, location: SpecLocation): boolean {
  const { owner, kind } = checked;
  if (owner === undefined || kind === 'responder') return true;
  const module = kind === 'epoch' ? app.modules.get(owner.name)?.communication?.value : undefined;
  const last: unknown = Array.isArray(module) ? module.at(-1) : module;
  const inherited = inheritsBase(checked) ? app.base?.value : undefined;
  return [requestAt(checked, location), last, inherited].some(
    (request) =>
      readAt(request, 'response', 'iterate') !== undefined || readAt(request, 'iterate') !== undefined,
  );
}

/** Whether an earlier response is available: of an earlier element, page or repeat. [inf] */
function seesEarlierResponse(app: App, checked: CheckedDocument, location: SpecLocation): boolean {
  if (location.element > 0 || findRunner(checked) === 'base') return true;
  // Sections of an authorization run in order.
  if (location.section !== undefined) return true;
  const request = requestAt(checked, location);
  return request?.['repeat'] !== undefined || isPaged(app, checked, location);
}

function isPaged(app: App, checked: CheckedDocument, location: SpecLocation): boolean {
  const base = app.base?.value;
  return [requestAt(checked, location), isPlainObject(base) ? base : undefined].some(
    (request) => request !== undefined && ownMember(request, 'pagination') !== undefined,
  );
}

/** The request at a location. */
function requestAt(
  { document }: CheckedDocument,
  { section, element }: Pick<SpecLocation, 'section' | 'element'>,
): Readonly<Record<string, unknown>> | undefined {
  let value = document.value;
  if (section !== undefined) value = readAt(value, section);
  if (Array.isArray(value)) value = value[element];
  return isPlainObject(value) ? value : undefined;
}

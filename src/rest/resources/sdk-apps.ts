import type { ParseError } from 'jsonc-parser';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import {
  flag,
  freeForm,
  integer,
  list,
  nullable,
  object,
  oneOf,
  type Schema,
  type SchemaMap,
  text,
} from '../../shared/schema/build.js';
import { OK, OK_SCHEMA, wrapped } from '../call/fields.js';
import { type ColumnChoice, pickColumns } from '../call/lists.js';
import type { RestOperation } from '../call/operation.js';
import { badRequest, blocked, invalidParameter, notFound, refused } from '../problems.js';
import type { RestServices } from '../services/services.js';
import type { StoreBackendCall, StoreOperation } from '../services/store-operation.js';
import type { RestWriter, SdkAppRow, SdkPartRow } from '../store/tables.js';
import { SDK_APP_SECTIONS, SDK_KIND_SHAPES, type SdkKindShape } from './sdk-kinds.js';
import {
  addPart,
  COMMON,
  changePart,
  findAccount,
  findApp,
  findPart,
  ICON,
  README,
  readChanges,
  readChecksums,
  readText,
  removePart,
  type TextAddress,
  writeText,
} from './sdk-rows.js';

const TAG = 'sdk';
const READ = { tag: TAG, scopes: ['sdk-apps:read'] } as const;
const WRITE = { tag: TAG, scopes: ['sdk-apps:write'] } as const;

/** Names of apps. [src] */
const APP_NAME = '^[a-z][0-9a-z-]{1,28}[0-9a-z]$';
const MAX_APP_NAME = 30;
const SUFFIX_LENGTH = 6;
const COMPONENT_NAME = '^[a-zA-Z][0-9a-zA-Z-]{0,127}$';

const APP_PATH = '/sdk/apps/{appName}/{appVersion}';
const APP_PARAMS = {
  appName: text({ pattern: APP_NAME }),
  appVersion: integer({ minimum: 1, maximum: 1000 }),
};
const NAME_PARAM = { componentName: text({ pattern: COMPONENT_NAME }) };

const CHANGED: Schema<unknown> = object({ changed: flag() });

const LABEL = text({ minLength: 1, maxLength: 255 });
const APP_MEMBERS = {
  description: text({ maxLength: 5000 }),
  theme: text({ pattern: '^#[0-9a-fA-F]{6}$' }),
  language: text({ pattern: '^[a-z]{2}$' }),
  countries: nullable(list(text({ pattern: '^[a-z]{2}$' }), { maxItems: 300 })),
};
const AUDIENCE = text({ minLength: 1, maxLength: 64, pattern: '^[\\w-]+$' });

const APP_SCHEMA: Schema<unknown> = object(
  {},
  {
    name: text(),
    label: text(),
    description: text(),
    version: integer(),
    beta: flag(),
    theme: text(),
    language: text(),
    public: flag(),
    approved: flag(),
    global: flag(),
    countries: nullable(list(text())),
    created: text(),
    manifestVersion: integer(),
    changes: list(freeForm()),
  },
);
const APP_COLUMNS: ColumnChoice = {
  all: [
    ...['name', 'label', 'description', 'version', 'beta', 'theme', 'language', 'public', 'approved'],
    ...['global', 'countries', 'created', 'manifestVersion', 'changes'],
  ],
  default: ['name', 'label', 'description', 'version', 'theme', 'public', 'approved'],
};

type Description = Omit<RestOperation, 'params' | 'requiredQuery' | 'optionalQuery' | 'body' | 'subject'> & {
  readonly params?: SchemaMap;
  readonly optionalQuery?: SchemaMap;
  readonly body?: Schema<unknown>;
};

/** A validated call, with the parameters of its path as texts. */
interface SdkCall extends Pick<StoreBackendCall, 'caller' | 'columns' | 'nowMs'> {
  readonly services: RestServices;
  readonly name: string;
  readonly version: number;
  readonly component: string;
  readonly section: string;
  readonly changeId: number;
  readonly query: PlainObject;
  readonly body: PlainObject;
}

/** The schemas of a table row validate the call, so that no type depends on the row. */
function define(description: Description, handler: (call: SdkCall) => Promise<unknown>): StoreOperation {
  const { params = {}, optionalQuery = {}, body, ...rest } = description;
  return {
    ...rest,
    params,
    optionalQuery,
    requiredQuery: {},
    body,
    subject: undefined,
    handle: (services, call) => {
      const given: PlainObject = call.params;
      return handler({
        services,
        caller: call.caller,
        columns: call.columns,
        nowMs: call.nowMs,
        name: String(given['appName'] ?? ''),
        version: Number(given['appVersion'] ?? 1),
        component: String(given['componentName'] ?? ''),
        section: String(given['section'] ?? ''),
        changeId: Number(given['changeId']),
        query: { ...call.query },
        body: call.body,
      });
    },
  };
}

function appRecord({ name, version, record }: SdkAppRow, columns: readonly string[]): PlainObject {
  return pickColumns({ ...record, name, version }, columns);
}

const listApps = define(
  {
    ...READ,
    id: 'listSdkApps',
    method: 'GET',
    path: '/sdk/apps',
    summary: 'Lists the custom apps of the caller; administrators see all with `all=true`.',
    optionalQuery: { all: flag({ default: false }) },
    columns: APP_COLUMNS,
    response: wrapped('apps', list(APP_SCHEMA)),
  },
  async ({ services, caller, query, columns }) => {
    const sees = query['all'] === true && caller.user.usersAdminsRoleId !== null;
    const where = sees ? {} : { userId: caller.user.id };
    const apps = await services.store.find('sdkApps', { where, sortBy: 'name', limit: 1000 });
    return { apps: apps.map((app) => appRecord(app, columns)) };
  },
);

/** Make gives a new private app the name asked for with six more characters: `acme-x1y2z3`. [src] */
function withSuffix(name: string, uuid: string): string {
  const digits = uuid.replace(/[^0-9a-z]/g, '').slice(-SUFFIX_LENGTH);
  return `${name.slice(0, MAX_APP_NAME - SUFFIX_LENGTH - 1)}-${digits}`;
}

const createApp = define(
  {
    ...WRITE,
    id: 'createSdkApp',
    method: 'POST',
    path: '/sdk/apps',
    summary: 'Creates a custom app.',
    body: object(
      { name: APP_PARAMS.appName, label: LABEL },
      // Scripts that work with Make send none.
      { ...APP_MEMBERS, audience: AUDIENCE, private: flag() },
    ),
    response: wrapped('app', APP_SCHEMA),
  },
  async ({ services, caller, body, nowMs }) => {
    const { name: asked, private: isPrivate = true, ...members } = body;
    // Addresses of connections and webhooks have these in the place of the name of an app.
    if (asked === 'connections' || asked === 'webhooks') {
      throw badRequest([invalidParameter('name', 'must be another name')]);
    }
    const name = isPrivate === false ? String(asked) : withSuffix(String(asked), services.uuid());
    const app = await services.store.transaction(async (writer) => {
      if ((await writer.count('sdkApps', { name, version: 1 })) > 0) {
        const detail = `An app with the name ${name} already exists.`;
        throw refused('IM005', { message: 'Invalid input parameters', detail });
      }
      return writer.insert('sdkApps', {
        name,
        version: 1,
        userId: caller.user.id,
        record: {
          ...{ description: '', theme: '#cccccc', language: 'en', countries: null, audience: 'global' },
          ...members,
          ...{ public: isPrivate === false, approved: false, beta: false, global: false },
          created: new Date(nowMs).toISOString(),
          manifestVersion: 2,
        },
      });
    });
    return { app: appRecord(app, APP_COLUMNS.default) };
  },
);

const ONE = { path: APP_PATH, params: APP_PARAMS };

const getApp = define(
  {
    ...READ,
    ...ONE,
    id: 'getSdkApp',
    method: 'GET',
    summary: 'Shows a custom app; `cols[]=changes` its pending changes.',
    columns: APP_COLUMNS,
    response: wrapped('app', APP_SCHEMA),
  },
  async (call) => {
    const { store } = call.services;
    const app = await findApp(store, call.caller, call);
    if (!call.columns.includes('changes')) return { app: appRecord(app, call.columns) };
    const changes = await readChanges(store, app);
    const shown = changes.map(({ oldValue: _old, newValue: _new, ...change }) => change);
    return { app: appRecord({ ...app, record: { ...app.record, changes: shown } }, call.columns) };
  },
);

/** Changes an app in a transaction. */
function changeApp(
  call: SdkCall,
  change: (writer: RestWriter, app: SdkAppRow) => Promise<PlainObject>,
): Promise<SdkAppRow> {
  return call.services.store.transaction(async (writer) => {
    const app = await findApp(writer, call.caller, call);
    const record = { ...app.record, ...(await change(writer, app)) };
    await writer.update('sdkApps', { id: app.id }, { record });
    return { ...app, record };
  });
}

const updateApp = define(
  {
    ...WRITE,
    ...ONE,
    id: 'updateSdkApp',
    method: 'PATCH',
    summary: 'Changes the description of a custom app.',
    body: object({}, { label: LABEL, audience: AUDIENCE, ...APP_MEMBERS }),
    response: wrapped('app', APP_SCHEMA),
  },
  async (call) => ({ app: appRecord(await changeApp(call, async () => call.body), APP_COLUMNS.default) }),
);

const deleteApp = define(
  {
    ...WRITE,
    ...ONE,
    id: 'deleteSdkApp',
    method: 'DELETE',
    summary: 'Deletes a custom app.',
    response: OK_SCHEMA,
  },
  async (call) => {
    await call.services.store.transaction(async (writer) => {
      const { id, record } = await findApp(writer, call.caller, call);
      if (record['approved'] === true) throw blocked('An approved app cannot be deleted.');
      await writer.remove('sdkTexts', { appId: id });
      await writer.remove('sdkParts', { appId: id });
      await writer.remove('sdkApps', { id });
    });
    return OK;
  },
);

const VISIBILITY = [
  ['public', 'Public', true],
  ['private', 'Private', false],
] as const;

const appVisibility = VISIBILITY.map(([word, title, isPublic]) =>
  define(
    {
      ...WRITE,
      id: `setSdkApp${title}`,
      method: 'POST',
      path: `${APP_PATH}/${word}`,
      params: APP_PARAMS,
      summary: `Makes a custom app ${word}.`,
      response: OK_SCHEMA,
    },
    async (call) => {
      await changeApp(call, async () => ({ public: isPublic }));
      return OK;
    },
  ),
);

/** Finds the owner of a text: an app, or a component of one. */
type FindOwner = (
  reader: RestWriter | RestServices['store'],
  call: SdkCall,
) => Promise<Pick<TextAddress, 'app' | 'part'>>;

interface TextOperations {
  /** Part of the operation ids: `SdkModuleSection`. */
  readonly id: string;
  readonly path: string;
  readonly params: SchemaMap;
  readonly title: string;
  readonly types: readonly string[];
  readonly encoding?: 'utf8' | 'base64';
  readonly findOwner: FindOwner;
  /** Default: the parameter `section`. */
  readonly section?: string;
  /** Text of a section; undefined if it was never set. */
  readonly initial: (section: string) => string | undefined;
  readonly check?: (content: string) => void;
}

/** The operations that read and set a text, which is stored byte by byte. */
function textOperations(options: TextOperations): readonly StoreOperation[] {
  const { id, path, params, title, types, encoding = 'utf8', findOwner, initial, check } = options;
  const sectionOf = (call: SdkCall): string => options.section ?? call.section;
  const [type = ''] = types;
  const read = define(
    {
      ...READ,
      id: `get${id}` as RestOperation['id'],
      method: 'GET',
      path,
      params,
      summary: `Shows ${title}.`,
      response: 'text',
      contents: { types, encoding },
    },
    async (call) => {
      const section = sectionOf(call);
      const { store } = call.services;
      const found = await readText(store, { ...(await findOwner(store, call)), section });
      const content = found ?? initial(section);
      if (content === undefined) throw notFound(section.charAt(0).toUpperCase() + section.slice(1));
      return content;
    },
  );
  const write = define(
    {
      ...WRITE,
      id: `set${id}` as RestOperation['id'],
      method: 'PUT',
      path,
      params,
      summary: `Sets ${title}, as ${type}.`,
      body: object({ content: text() }),
      bodyContents: { types, encoding },
      response: CHANGED,
    },
    async (call) => {
      const content = String(call.body['content']);
      check?.(content);
      const changed = await call.services.store.transaction(async (writer) =>
        writeText(writer, { ...(await findOwner(writer, call)), section: sectionOf(call) }, content),
      );
      return { changed };
    },
  );
  return [read, write];
}

const ownApp: FindOwner = async (reader, call) => ({
  app: await findApp(reader, call.caller, call),
  part: undefined,
});

const appSections = textOperations({
  id: 'SdkAppSection',
  path: `${APP_PATH}/{section}`,
  params: { ...APP_PARAMS, section: oneOf(Object.keys(SDK_APP_SECTIONS)) },
  title: 'a section of a custom app',
  types: ['application/jsonc', 'application/json'],
  findOwner: ownApp,
  initial: (section) => SDK_APP_SECTIONS[section],
});

/** Members of both objects, those of `change` first. @throws RestError 400 unless both texts are objects */
async function mergeObjects(text: string, change: string): Promise<string> {
  const { parse } = await import('jsonc-parser');
  try {
    const [before, after] = [text, change].map((one) => {
      const problems: ParseError[] = [];
      const value: unknown = parse(one.replace(/^\uFEFF/, ''), problems, { allowTrailingComma: true });
      return problems.length === 0 && isPlainObject(value) ? value : undefined;
    });
    if (before && after) return `${JSON.stringify({ ...before, ...after }, null, 2)}\n`;
  } catch (error) {
    // Too deep to parse or to print.
    if (!(error instanceof RangeError)) throw error;
  }
  throw badRequest([invalidParameter('body', 'must be a JSON object, as must be the stored base')]);
}

/**
 * Only the base can be changed in part. Comments of the stored text are lost, and the response is that of `PUT`. [inf]
 * Source: https://developers.make.com/api-documentation/api-reference/sdk-apps [doc]
 */
const updateBase = define(
  {
    ...WRITE,
    id: 'updateSdkAppBase',
    method: 'PATCH',
    path: `${APP_PATH}/base`,
    params: APP_PARAMS,
    summary: 'Changes members of the base of a custom app. Comments of the base are lost.',
    body: object({ content: text() }),
    bodyContents: { types: ['application/json', 'application/jsonc'], encoding: 'utf8' },
    response: CHANGED,
  },
  async (call) => {
    const changed = await call.services.store.transaction(async (writer) => {
      const address = { ...(await ownApp(writer, call)), section: 'base' };
      const before = (await readText(writer, address)) ?? String(SDK_APP_SECTIONS['base']);
      return writeText(writer, address, await mergeObjects(before, String(call.body['content'])));
    });
    return { changed };
  },
);

const appReadme = textOperations({
  id: 'SdkAppReadme',
  path: `${APP_PATH}/readme`,
  params: APP_PARAMS,
  title: 'the readme of a custom app',
  types: ['text/markdown'],
  findOwner: ownApp,
  section: README,
  initial: () => '',
});

function assertJsonObject(content: string): void {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  } catch {
    // Refused below.
  }
  throw badRequest([invalidParameter('body', 'must be a JSON object')]);
}

const appCommon = textOperations({
  id: 'SdkAppCommon',
  path: `${APP_PATH}/common`,
  params: APP_PARAMS,
  title: 'the common data of a custom app',
  types: ['application/json'],
  findOwner: ownApp,
  section: COMMON,
  initial: () => '{}',
  check: assertJsonObject,
});

/** Width and height of a PNG image. [src] */
const ICON_SIZE = 512;

function assertIcon(content: string): void {
  const bytes = Buffer.from(content, 'base64');
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'));
  if (isPng && bytes.readUInt32BE(16) === ICON_SIZE && bytes.readUInt32BE(20) === ICON_SIZE) return;
  throw badRequest([invalidParameter('body', `must be a PNG image of ${ICON_SIZE} x ${ICON_SIZE} pixels`)]);
}

const ICON_TYPES = { types: ['image/png'], encoding: 'base64' } as const;
const [, setIcon] = textOperations({
  ...ICON_TYPES,
  id: 'SdkAppIcon',
  path: `${APP_PATH}/icon`,
  params: APP_PARAMS,
  title: 'the icon of a custom app',
  findOwner: ownApp,
  section: ICON,
  initial: () => undefined,
  check: assertIcon,
});
const [getIcon] = textOperations({
  ...ICON_TYPES,
  id: 'SdkAppIcon',
  path: `${APP_PATH}/icon/{size}`,
  // Images are not scaled. [choice]
  params: { ...APP_PARAMS, size: integer({ minimum: 16, maximum: ICON_SIZE }) },
  title: 'the icon of a custom app, in its full size',
  findOwner: ownApp,
  section: ICON,
  initial: () => undefined,
});

const getChecksum = define(
  {
    ...READ,
    id: 'getSdkAppChecksum',
    method: 'GET',
    path: `${APP_PATH}/checksum`,
    params: APP_PARAMS,
    summary: 'Shows the MD5 of every section of a custom app.',
    response: freeForm(),
  },
  async (call) => {
    const { store } = call.services;
    return readChecksums(store, await findApp(store, call.caller, call));
  },
);

const getChange = define(
  {
    ...READ,
    id: 'getSdkAppChange',
    method: 'GET',
    path: `${APP_PATH}/changes/{changeId}`,
    params: { ...APP_PARAMS, changeId: integer({ minimum: 1 }) },
    summary: 'Shows the text before and after a pending change.',
    response: object({ oldValue: nullable(text()), newValue: text() }),
  },
  async (call) => {
    const { store } = call.services;
    const changes = await readChanges(store, await findApp(store, call.caller, call));
    const change = changes.find(({ id }) => id === call.changeId);
    if (!change) throw notFound('Change');
    return { oldValue: change.oldValue, newValue: change.newValue };
  },
);

/** Ends pending changes: their texts become the committed ones, or are dropped. */
function settleChanges(
  call: SdkCall,
  chosen: readonly number[] | undefined,
  change: (newValue: string) => { readonly text?: string; readonly pending: null },
): Promise<void> {
  return call.services.store.transaction(async (writer) => {
    const app = await findApp(writer, call.caller, call);
    const changes = await readChanges(writer, app);
    const unknown = chosen?.filter((id) => !changes.some((one) => one.id === id)) ?? [];
    if (unknown.length > 0)
      throw badRequest([invalidParameter('changeIds', 'must be ids of pending changes')]);
    for (const { id, newValue } of changes) {
      if (chosen === undefined || chosen.includes(id))
        await writer.update('sdkTexts', { id }, change(newValue));
    }
  });
}

const commit = define(
  {
    ...WRITE,
    id: 'commitSdkApp',
    method: 'POST',
    path: `${APP_PATH}/commit`,
    params: APP_PARAMS,
    summary: 'Commits pending changes of an approved app; without `changeIds` all.',
    body: object(
      { message: text({ minLength: 1, maxLength: 1000 }) },
      { notify: flag(), changeIds: list(integer({ minimum: 1 }), { maxItems: 10_000 }) },
    ),
    response: OK_SCHEMA,
  },
  async (call) => {
    const { changeIds } = call.body;
    const chosen = Array.isArray(changeIds) ? changeIds.map(Number) : undefined;
    await settleChanges(call, chosen, (newValue) => ({ text: newValue, pending: null }));
    return OK;
  },
);

const rollback = define(
  {
    ...WRITE,
    id: 'rollbackSdkApp',
    method: 'POST',
    path: `${APP_PATH}/rollback`,
    params: APP_PARAMS,
    summary: 'Drops all pending changes of an approved app.',
    response: OK_SCHEMA,
  },
  async (call) => {
    await settleChanges(call, undefined, () => ({ pending: null }));
    return OK;
  },
);

/** The address of the platform is not public. [choice] */
const approve = define(
  {
    tag: TAG,
    scopes: ['admin:write'],
    administrators: true,
    id: 'approveSdkApp',
    method: 'POST',
    path: `/admin${APP_PATH}/approve`,
    params: APP_PARAMS,
    summary: 'Approves a custom app; its later changes are pending until they are committed.',
    response: OK_SCHEMA,
  },
  async (call) => {
    await changeApp(call, async () => ({ approved: true }));
    return OK;
  },
);

function componentOperations(shape: SdkKindShape): readonly StoreOperation[] {
  const { id, path, member, required, optional, changes, record, sections, types } = shape;
  const isAccount = shape.name === undefined;
  const title = id === 'Rpc' ? 'RPC' : shape.kind;
  const article = /^[aeiR]/.test(title) ? 'an' : 'a';
  const listPath = isAccount ? `/sdk/apps/{appName}/${path}` : `${APP_PATH}/${path}`;
  const listParams: SchemaMap = isAccount ? { appName: APP_PARAMS.appName } : APP_PARAMS;
  const onePath = isAccount ? `/sdk/apps/${path}/{componentName}` : `${listPath}/{componentName}`;
  const oneParams: SchemaMap = isAccount ? NAME_PARAM : { ...APP_PARAMS, ...NAME_PARAM };
  const operationId = (verb: string, end = ''): RestOperation['id'] =>
    `${verb}Sdk${id}${end}` as RestOperation['id'];
  const show = ({ name, record: own }: SdkPartRow): PlainObject => ({ name, ...own });

  const find = async (
    reader: RestWriter | RestServices['store'],
    call: SdkCall,
  ): Promise<{ readonly app: SdkAppRow; readonly part: SdkPartRow }> => {
    if (isAccount) return findAccount(reader, shape, { caller: call.caller, name: call.component });
    const app = await findApp(reader, call.caller, call);
    return { app, part: await findPart(reader, shape, { appId: app.id, name: call.component }) };
  };
  const change = (call: SdkCall, body: PlainObject): Promise<SdkPartRow> =>
    call.services.store.transaction(async (writer) =>
      changePart(writer, { ...(await find(writer, call)), body, nowMs: call.nowMs }),
    );

  const lists = define(
    {
      ...READ,
      id: operationId('list', 's'),
      method: 'GET',
      path: listPath,
      params: listParams,
      summary: `Lists the ${title}s of a custom app.`,
      response: wrapped(`${member}s`, list(record)),
    },
    async (call) => {
      const { store } = call.services;
      const app = await findApp(store, call.caller, call);
      const parts = await store.find('sdkParts', { where: { appId: app.id, kind: shape.kind } });
      return { [`${member}s`]: parts.map(show) };
    },
  );
  const create = define(
    {
      ...WRITE,
      id: operationId('create'),
      method: 'POST',
      path: listPath,
      params: listParams,
      summary: `Creates ${article} ${title}${isAccount ? '; the response has its name' : ''}.`,
      body: object(
        { ...(shape.name !== undefined && { name: text({ pattern: shape.name }) }), ...required },
        optional,
      ),
      response: wrapped(member, record),
    },
    async (call) => {
      const part = await call.services.store.transaction(async (writer) => {
        const app = await findApp(writer, call.caller, call);
        return addPart(writer, shape, { app, body: call.body, nowMs: call.nowMs });
      });
      return { [member]: show(part) };
    },
  );
  const get = define(
    {
      ...READ,
      id: operationId('get'),
      method: 'GET',
      path: onePath,
      params: oneParams,
      summary: `Shows ${article} ${title}.`,
      response: wrapped(member, record),
    },
    async (call) => ({ [member]: show((await find(call.services.store, call)).part) }),
  );
  const update = define(
    {
      ...WRITE,
      id: operationId('update'),
      method: 'PATCH',
      path: onePath,
      params: oneParams,
      summary: `Changes the description of ${article} ${title}.`,
      body: object({}, changes),
      response: wrapped(member, record),
    },
    async (call) => ({ [member]: show(await change(call, call.body)) }),
  );
  const remove = define(
    {
      ...WRITE,
      id: operationId('delete'),
      method: 'DELETE',
      path: onePath,
      params: oneParams,
      summary: `Deletes ${article} ${title}.`,
      response: OK_SCHEMA,
    },
    async (call) => {
      await call.services.store.transaction(async (writer) => {
        const { part } = await find(writer, call);
        await removePart(writer, part);
      });
      return OK;
    },
  );
  const jsonc = Object.keys(sections).filter((section) => section !== COMMON);
  const texts = textOperations({
    id: `Sdk${id}Section`,
    path: `${onePath}/{section}`,
    params: { ...oneParams, section: oneOf(jsonc) },
    title: `a section of ${article} ${title}`,
    types,
    findOwner: find,
    initial: (section) => sections[section],
  });
  const common = Object.hasOwn(sections, COMMON)
    ? textOperations({
        id: `Sdk${id}Common`,
        path: `${onePath}/common`,
        params: oneParams,
        title: `the common data of ${article} ${title}`,
        types: ['application/json'],
        findOwner: find,
        section: COMMON,
        initial: () => '{}',
        check: assertJsonObject,
      })
    : [];
  const visibility = shape.hasVisibility
    ? VISIBILITY.map(([word, ending, isPublic]) =>
        define(
          {
            ...WRITE,
            id: operationId('set', ending),
            method: 'POST',
            path: `${onePath}/${word}`,
            params: oneParams,
            summary: `Makes ${article} ${title} ${word}.`,
            response: OK_SCHEMA,
          },
          async (call) => {
            await change(call, { public: isPublic });
            return OK;
          },
        ),
      )
    : [];
  const updates = Object.keys(changes).length > 0 ? [update] : [];
  return [lists, create, get, ...updates, remove, ...texts, ...common, ...visibility];
}

/** The development of custom apps. Source: the public clients. [src] */
export const SDK_OPERATIONS: readonly StoreOperation[] = [
  listApps,
  createApp,
  getApp,
  updateApp,
  deleteApp,
  ...appVisibility,
  ...appSections,
  updateBase,
  ...appReadme,
  ...appCommon,
  ...[getIcon, setIcon].flatMap((operation) => operation ?? []),
  getChecksum,
  getChange,
  commit,
  rollback,
  approve,
  ...SDK_KIND_SHAPES.flatMap(componentOperations),
];

import type { ParseError } from 'jsonc-parser';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { flag, freeForm, integer, list, nullable, object, oneOf, text } from '../../shared/schema/build.js';
import { OK, OK_SCHEMA, wrapped } from '../call/fields.js';
import { type ColumnChoice, pickColumns } from '../call/lists.js';
import { columnsSchema, SHAPES, shapeSchema } from '../call/shapes.js';
import { badRequest, blocked, invalidParameter, notFound, refused } from '../problems.js';
import type { StoreOperation } from '../services/store-operation.js';
import type { RestWriter, SdkAppRow } from '../store/tables.js';
import { SDK_APP_SECTIONS } from './sdk-kinds.js';
import {
  APP_PARAMS,
  APP_PATH,
  assertJsonObject,
  CHANGED,
  define,
  type FindOwner,
  READ,
  type SdkCall,
  TAG,
  textOperations,
  VISIBILITY,
  WRITE,
} from './sdk-operation.js';
import {
  COMMON,
  findApp,
  ICON,
  README,
  readChanges,
  readChecksums,
  readText,
  writeText,
} from './sdk-rows.js';

const MAX_APP_NAME = 30;
const SUFFIX_LENGTH = 6;
const LABEL = text({ minLength: 1, maxLength: 255 });
const APP_MEMBERS = {
  description: text({ maxLength: 5000 }),
  theme: text({ pattern: '^#[0-9a-fA-F]{6}$' }),
  language: text({ pattern: '^[a-z]{2}$' }),
  countries: nullable(list(text({ pattern: '^[a-z]{2}$' }), { maxItems: 300 })),
};
const AUDIENCE = text({ minLength: 1, maxLength: 64, pattern: '^[\\w-]+$' });

const APP_SCHEMA = columnsSchema('SdkApp');
const APP_COLUMNS: ColumnChoice = {
  all: Object.keys(SHAPES.SdkApp),
  default: ['name', 'label', 'description', 'version', 'theme', 'public', 'approved'],
};

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
    response: shapeSchema('SdkChange'),
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

/** The development of custom apps. Source: the public clients. [src] */
export const SDK_APP_OPERATIONS: readonly StoreOperation[] = [
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
];

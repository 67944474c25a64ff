import type { PlainObject } from '../../shared/plain-object.js';
import { list, object, oneOf, type SchemaMap, text } from '../../shared/schema/build.js';
import { OK, OK_SCHEMA, wrapped } from '../call/fields.js';
import type { RestOperation } from '../call/operation.js';
import { shapeSchema } from '../call/shapes.js';
import type { RestServices } from '../services/services.js';
import type { StoreOperation } from '../services/store-operation.js';
import type { RestWriter, SdkAppRow, SdkPartRow } from '../store/tables.js';
import { SDK_KIND_SHAPES, type SdkKindShape } from './sdk-kinds.js';
import {
  APP_PARAMS,
  APP_PATH,
  assertJsonObject,
  define,
  NAME_PARAM,
  READ,
  type SdkCall,
  textOperations,
  VISIBILITY,
  WRITE,
} from './sdk-operation.js';
import { addPart, COMMON, changePart, findAccount, findApp, findPart, removePart } from './sdk-rows.js';

function componentOperations(shape: SdkKindShape): readonly StoreOperation[] {
  const { id, path, member, required, optional, changes, sections, types } = shape;
  const record = shapeSchema(`Sdk${id}`);
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

/** The components of custom apps. Source: the public clients. [src] */
export const SDK_COMPONENT_OPERATIONS: readonly StoreOperation[] =
  SDK_KIND_SHAPES.flatMap(componentOperations);

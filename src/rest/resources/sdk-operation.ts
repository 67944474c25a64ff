import type { PlainObject } from '../../shared/plain-object.js';
import { flag, integer, object, type Schema, type SchemaMap, text } from '../../shared/schema/build.js';
import type { RestOperation } from '../call/operation.js';
import { badRequest, invalidParameter, notFound } from '../problems.js';
import type { RestServices } from '../services/services.js';
import type { StoreBackendCall, StoreOperation } from '../services/store-operation.js';
import type { RestWriter } from '../store/tables.js';
import { readText, type TextAddress, writeText } from './sdk-rows.js';

export const TAG: string = 'sdk';

/** Options of operations that read, and of those that change something. */
export const READ: Pick<RestOperation, 'tag' | 'scopes'> = { tag: TAG, scopes: ['sdk-apps:read'] };
export const WRITE: Pick<RestOperation, 'tag' | 'scopes'> = { tag: TAG, scopes: ['sdk-apps:write'] };

/** Names of apps. [src] */
const APP_NAME = '^[a-z][0-9a-z-]{1,28}[0-9a-z]$';
const COMPONENT_NAME = '^[a-zA-Z][0-9a-zA-Z-]{0,127}$';

export const APP_PATH: string = '/sdk/apps/{appName}/{appVersion}';
export const APP_PARAMS: { readonly appName: Schema<string>; readonly appVersion: Schema<number> } = {
  appName: text({ pattern: APP_NAME }),
  appVersion: integer({ minimum: 1, maximum: 1000 }),
};
export const NAME_PARAM: SchemaMap = { componentName: text({ pattern: COMPONENT_NAME }) };

export const CHANGED: Schema<unknown> = object({ changed: flag() });

type Description = Omit<RestOperation, 'params' | 'requiredQuery' | 'optionalQuery' | 'body' | 'subject'> & {
  readonly params?: SchemaMap;
  readonly optionalQuery?: SchemaMap;
  readonly body?: Schema<unknown>;
};

/** A validated call, with the parameters of its path as texts. */
export interface SdkCall extends Pick<StoreBackendCall, 'caller' | 'columns' | 'nowMs'> {
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
export function define(
  description: Description,
  handler: (call: SdkCall) => Promise<unknown>,
): StoreOperation {
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

export const VISIBILITY = [
  ['public', 'Public', true],
  ['private', 'Private', false],
] as const;

/** Finds the owner of a text: an app, or a component of one. */
export type FindOwner = (
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
export function textOperations(options: TextOperations): readonly StoreOperation[] {
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

export function assertJsonObject(content: string): void {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  } catch {
    // Refused below.
  }
  throw badRequest([invalidParameter('body', 'must be a JSON object')]);
}

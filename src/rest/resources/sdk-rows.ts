import { createHash } from 'node:crypto';
import type { PlainObject } from '../../shared/plain-object.js';
import { badRequest, blocked, invalidParameter, limitExceeded, notFound, refused } from '../problems.js';
import type { Caller } from '../services/identify-call.js';
import type { RestReader, RestWriter, SdkAppRow, SdkPartRow } from '../store/tables.js';
import { SDK_APP_SECTIONS, SDK_CHECKSUM_MEMBERS, SDK_KIND_SHAPES, type SdkKindShape } from './sdk-kinds.js';

/** Maximum number of components of an app. [choice] */
const MAX_PARTS = 2000;

/** Maximum length of the code of a function. Source: custom functions, limits. [doc] */
const MAX_CODE = 5000;

/** Names of text that is not a section: their responses have other content types. */
export const README = 'readme';
export const COMMON = 'common';
export const ICON = 'icon';

/**
 * The app at an address. Users see their own apps, administrators all.
 *
 * @throws RestError 404
 */
export async function findApp(
  reader: Pick<RestReader, 'get'>,
  caller: Caller,
  address: { readonly name: string; readonly version?: number },
): Promise<SdkAppRow> {
  const { name, version = 1 } = address;
  const app = await reader.get('sdkApps', { name, version });
  if (!app || !maySee(caller, app)) throw notFound('App');
  return app;
}

function maySee({ user }: Caller, { userId }: SdkAppRow): boolean {
  return userId === user.id || user.usersAdminsRoleId !== null;
}

/** Connections and webhooks have one name on the instance, all other components one per app. */
function scopeOf({ name }: SdkKindShape, appId: number): number {
  return name === undefined ? 0 : appId;
}

/** The component of an app. @throws RestError 404 */
export async function findPart(
  reader: Pick<RestReader, 'get'>,
  shape: SdkKindShape,
  { appId, name }: { readonly appId: number; readonly name: string },
): Promise<SdkPartRow> {
  const part = await reader.get('sdkParts', { kind: shape.kind, scopeId: scopeOf(shape, appId), name });
  if (!part || (appId !== 0 && part.appId !== appId)) throw notFound(shape.id);
  return part;
}

/** The connection or webhook of a name, and its app. @throws RestError 404 */
export async function findAccount(
  reader: Pick<RestReader, 'get'>,
  shape: SdkKindShape,
  { caller, name }: { readonly caller: Caller; readonly name: string },
): Promise<{ readonly app: SdkAppRow; readonly part: SdkPartRow }> {
  const part = await findPart(reader, shape, { appId: 0, name });
  const app = await reader.get('sdkApps', { id: part.appId });
  if (!app || !maySee(caller, app)) throw notFound(shape.id);
  return { app, part };
}

/**
 * Adds a component. The server makes the names of connections and webhooks: `acme`, `acme2`.
 *
 * @throws RestError 400 for a taken name or an unknown reference
 */
export async function addPart(
  writer: RestWriter,
  shape: SdkKindShape,
  { app, body, nowMs }: { readonly app: SdkAppRow; readonly body: PlainObject; readonly nowMs: number },
): Promise<SdkPartRow> {
  if ((await writer.count('sdkParts', { appId: app.id })) >= MAX_PARTS) {
    throw limitExceeded(`An app has at most ${MAX_PARTS} components.`);
  }
  const scopeId = scopeOf(shape, app.id);
  const isTaken = async (name: string): Promise<boolean> =>
    (await writer.count('sdkParts', { kind: shape.kind, scopeId, name })) > 0;
  let name = typeof body['name'] === 'string' ? body['name'] : app.name;
  if (shape.name === undefined) {
    for (let number = 2; await isTaken(name); number++) name = `${app.name}${number}`;
  } else if (await isTaken(name)) {
    throw refused('IM005', {
      message: 'Invalid input parameters',
      detail: `The app already has a ${shape.kind} with the name ${name}.`,
    });
  }
  const { name: _name, moduleInitMode: _mode, subtype: _subtype, ...members } = body;
  const times =
    shape.kind === 'endpoint'
      ? { createdAt: new Date(nowMs).toISOString(), updatedAt: new Date(nowMs).toISOString() }
      : {};
  await assertReferences(writer, app, members);
  const record = { ...shape.initial, ...members, ...times };
  return writer.insert('sdkParts', { appId: app.id, kind: shape.kind, scopeId, name, record });
}

/** Changes members of a component. @throws RestError 400 for an unknown reference */
export async function changePart(
  writer: RestWriter,
  {
    app,
    part,
    body,
    nowMs,
  }: {
    readonly app: SdkAppRow;
    readonly part: SdkPartRow;
    readonly body: PlainObject;
    readonly nowMs: number;
  },
): Promise<SdkPartRow> {
  await assertReferences(writer, app, body);
  const time = part.kind === 'endpoint' ? { updatedAt: new Date(nowMs).toISOString() } : {};
  const record = { ...part.record, ...body, ...time };
  await writer.update('sdkParts', { id: part.id }, { record });
  return { ...part, record };
}

/** Members that name another component of the app, and its kind. */
const REFERENCES = { connection: 'connection', altConnection: 'connection', webhook: 'webhook' } as const;

async function assertReferences(writer: RestWriter, app: SdkAppRow, members: PlainObject): Promise<void> {
  const attached = Array.isArray(members['attachedAccounts']) ? members['attachedAccounts'] : [];
  const wanted: (readonly [member: string, kind: string, name: unknown])[] = [
    ...Object.entries(REFERENCES).map(([member, kind]) => [member, kind, members[member]] as const),
    ...attached.map((name: unknown) => ['attachedAccounts', 'connection', name] as const),
  ];
  for (const [member, kind, name] of wanted) {
    if (typeof name !== 'string') continue;
    const found = await writer.count('sdkParts', { appId: app.id, kind, name });
    if (found === 0) throw badRequest([invalidParameter(member, `must be the name of a ${kind} of the app`)]);
  }
}

/** Removes a component, its texts and the references to it. */
export async function removePart(writer: RestWriter, part: SdkPartRow): Promise<void> {
  const { id, appId, kind, name } = part;
  await writer.remove('sdkTexts', { appId, partId: id });
  await writer.remove('sdkParts', { id });
  if (kind !== 'connection' && kind !== 'webhook') return;
  for (const other of await writer.find('sdkParts', { where: { appId } })) {
    const record = { ...other.record };
    for (const [member, of] of Object.entries(REFERENCES)) {
      if (of === kind && record[member] === name) record[member] = null;
    }
    const { attachedAccounts } = other.record;
    if (kind === 'connection' && Array.isArray(attachedAccounts)) {
      record['attachedAccounts'] = attachedAccounts.filter((account) => account !== name);
    }
    await writer.update('sdkParts', { id: other.id }, { record });
  }
}

/** Address of a text: the app itself has the part 0. */
export interface TextAddress {
  readonly app: SdkAppRow;
  readonly part: SdkPartRow | undefined;
  readonly section: string;
}

/** The text of a section, with pending changes; undefined if it was never set. */
export async function readText(
  reader: Pick<RestReader, 'get'>,
  { app, part, section }: TextAddress,
): Promise<string | undefined> {
  const row = await reader.get('sdkTexts', { appId: app.id, partId: part?.id ?? 0, section });
  return row && (row.pending ?? row.text ?? undefined);
}

/**
 * Sets the text of a section, byte by byte as sent. Changes of approved apps are pending until they are committed. [rt]
 *
 * @returns whether the text is another one than before
 * @throws RestError 400
 */
export async function writeText(writer: RestWriter, address: TextAddress, content: string): Promise<boolean> {
  const { app, part, section } = address;
  if (part?.kind === 'function' && content.length > MAX_CODE) {
    const detail = `The code of a function has at most ${MAX_CODE} characters.`;
    throw refused('IM005', { message: 'Invalid input parameters', detail });
  }
  const isApproved = app.record['approved'] === true;
  if (isApproved && section === COMMON) throw blocked('Common data of an approved app cannot be changed.');
  const where = { appId: app.id, partId: part?.id ?? 0, section };
  const row = await writer.get('sdkTexts', where);
  if ((row?.pending ?? row?.text) === content) return false;
  const isPending = isApproved && section !== ICON;
  // A pending text that equals the committed one is no change.
  const change = isPending
    ? { pending: row?.text === content ? null : content }
    : { text: content, pending: null };
  if (row) await writer.update('sdkTexts', { id: row.id }, change);
  else await writer.insert('sdkTexts', { ...where, text: null, ...change });
  if (part?.kind === 'function' && section === 'code') {
    const record = { ...part.record, args: readArguments(content) };
    await writer.update('sdkParts', { id: part.id }, { record });
  }
  return true;
}

/** Parameters of a function as written: `(first, second)`. */
function readArguments(code: string): string {
  const start = code.indexOf('(');
  const end = code.indexOf(')', start);
  return start < 0 || end < 0 ? '()' : code.slice(start, end + 1).slice(0, 500);
}

/** A pending change of an approved app. Members [inf]. */
export interface SdkChange {
  readonly id: number;
  readonly group: string;
  readonly item: string | null;
  readonly code: string;
  readonly oldValue: string | null;
  readonly newValue: string;
}

/** The pending changes of an app. */
export async function readChanges(
  reader: Pick<RestReader, 'find'>,
  app: SdkAppRow,
): Promise<readonly SdkChange[]> {
  if (app.record['approved'] !== true) return [];
  const [texts, parts] = await Promise.all([
    reader.find('sdkTexts', { where: { appId: app.id } }),
    reader.find('sdkParts', { where: { appId: app.id } }),
  ]);
  const named = new Map(parts.map((part) => [part.id, part]));
  return texts.flatMap(({ id, partId, section, text, pending }): SdkChange[] => {
    const part = named.get(partId);
    if (pending === null) return [];
    const where = { group: part?.kind ?? 'app', item: part?.name ?? null, code: section };
    return [{ id, ...where, oldValue: text, newValue: pending }];
  });
}

const MD5 = (value: string): string => createHash('md5').update(value).digest('hex');

/** MD5 of every text and member of an app, null for what was never set. [src] */
export async function readChecksums(reader: Pick<RestReader, 'find'>, app: SdkAppRow): Promise<PlainObject> {
  const [texts, parts] = await Promise.all([
    reader.find('sdkTexts', { where: { appId: app.id } }),
    reader.find('sdkParts', { where: { appId: app.id } }),
  ]);
  const hashed = new Map(
    texts.map(({ partId, section, text, pending }) => {
      const current = pending ?? text;
      return [`${partId} ${section}`, current === null ? null : MD5(current)];
    }),
  );
  const columns = (partId: number, sections: readonly string[], isJson: boolean): PlainObject => {
    const entries = sections.flatMap((section) => {
      const name = section.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const value = hashed.get(`${partId} ${section}`) ?? null;
      // The text is kept with its comments, so both columns are of the same text. [choice]
      return isJson ? [[name, value] as const, [`${name}_jsonc`, value] as const] : [[name, value] as const];
    });
    return Object.fromEntries(entries);
  };
  const members = (record: PlainObject): PlainObject =>
    Object.fromEntries(
      Object.entries(SDK_CHECKSUM_MEMBERS).flatMap(([member, column]) => {
        const value = record[member];
        return value === undefined ? [] : [[column, value === null ? null : MD5(String(value))] as const];
      }),
    );
  const lists = SDK_KIND_SHAPES.map(({ kind, checksum, sections }) => {
    const ofKind = parts.filter((part) => part.kind === kind);
    const entries = ofKind.map(({ id, name, record }) => ({
      name,
      checksum: { ...columns(id, Object.keys(sections), kind !== 'function'), ...members(record) },
    }));
    return [checksum, entries] as const;
  });
  const own = {
    ...columns(0, Object.keys(SDK_APP_SECTIONS), true),
    ...columns(0, [README, COMMON, ICON], false),
    ...members(app.record),
  };
  return { ...Object.fromEntries(lists), app: [{ name: app.name, checksum: own }] };
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { COMPONENT_KINDS } from '../../../engine/loading/code-types.js';
import { isEngineError, TransportError } from '../../../shared/errors/engine-error.js';
import { problemOfKeyFile, sentencesOfOrigin } from '../../check/subject/wanted-by-files.js';
import { problemOfLinks } from '../../life/app-files.js';
import { type Manifest, withMember } from '../../life/new-files.js';
import { listOrigins, type ManifestOrigin } from '../../life/remote/local-app.js';
import { isNameFor, type MakeApi, openMakeApi, readZone } from '../../life/remote/make-api.js';
import { type Arguments, type OptionSpecs, usageError } from '../command.js';
import { configFolder } from '../connections/private-file.js';
import { openTokenFiles } from '../connections/token-store.js';
import type { Io } from '../io.js';
import { confirmFolder, noteConfirmed, TRUST_OPTION } from './confirm-folder.js';

export const ORIGIN_OPTIONS: OptionSpecs = {
  origin: { value: 'LABEL', help: 'Origin of the manifest. Default: its only one.' },
  'api-url': {
    value: 'URL',
    help: 'Address of the API for a new origin, for example https://eu1.make.com/api.',
    group: 'Network',
  },
  'app-id': { value: 'NAME', help: 'Name of the app in Make, for a new origin.', group: 'Network' },
  ...TRUST_OPTION,
};

export const TOKEN_NOTE =
  'Reads the token from the environment variable MAKE_API_KEY, or MAKE_API_KEY_LABEL for the origin LABEL; else from the file in apikeyFile of the origin, else the one that iml login stored. An origin of the manifest is used after you confirmed it once for its folder.';

/** An origin of an app, and its API. */
interface OpenedOrigin {
  /** With the origin of the options, if it is new. */
  readonly manifest: Manifest;
  readonly origin: ManifestOrigin;
  readonly api: MakeApi;
  /** Opens the API of the app under another name. */
  readonly reopen: (appId: string) => Promise<MakeApi>;
}

/**
 * Opens the API of the origin that the options name.
 *
 * @throws EngineError (USAGE) without such an origin, its confirmation, or a token
 */
export async function openOrigin(
  { root, manifest: given }: { readonly root: string; readonly manifest: Manifest },
  { args, io, mayAdd }: { readonly args: Arguments; readonly io: Io; readonly mayAdd: boolean },
): Promise<OpenedOrigin> {
  const { manifest, origin } = chooseOrigin(given, args, { mayAdd });
  await confirmOrigin(root, origin, { args, io });
  const token = await readToken(root, origin, io);
  const reopen = (appId: string): Promise<MakeApi> => openMakeApi({ ...origin, appId }, token);
  return { manifest, origin, api: await reopen(origin.appId), reopen };
}

/** The origin of the options, added to the manifest if it is new. @throws EngineError (USAGE) */
function chooseOrigin(
  manifest: Manifest,
  args: Arguments,
  { mayAdd }: { readonly mayAdd: boolean },
): { readonly manifest: Manifest; readonly origin: ManifestOrigin } {
  const origins = listOrigins(manifest);
  const [label, zone, appId] = [args.text('origin'), args.text('api-url'), args.text('app-id')];
  if ((zone === undefined) !== (appId === undefined)) throw usageError('--api-url and --app-id go together.');
  if (zone !== undefined && appId !== undefined) {
    readZone(zone);
    const ofZone = origins.filter((one) => one.baseUrl === zone);
    const known =
      ofZone.find((one) => one.appId === appId) ?? ofZone.find((one) => isNameFor(appId, one.appId));
    if (known !== undefined) return { manifest, origin: known };
    if (!mayAdd) throw usageError('The manifest has no such origin. iml push and iml pull add one.');
    const list = manifest.value['origins'];
    const index = Array.isArray(list) ? list.length : 0;
    const origin = {
      ...(label !== undefined && { label }),
      baseUrl: zone,
      appId,
      appVersion: 1,
      idMapping: Object.fromEntries(COMPONENT_KINDS.map((kind) => [kind, []])),
    };
    const changed = withMember(manifest, ['origins'], [...(Array.isArray(list) ? list : []), origin]);
    return chooseByIndex(changed, index);
  }
  const named =
    label === undefined ? origins : origins.filter((one) => one.label === label || one.appId === label);
  const [first, second] = named;
  const names = origins.map((one) => one.label ?? one.appId).join(', ');
  if (origins.length === 0)
    throw usageError('The manifest has no origin. Name one with --api-url and --app-id.');
  if (first === undefined) throw usageError(`There is no origin "${label}". There are ${names}.`);
  if (second !== undefined) throw usageError(`There are several origins. Name one with --origin: ${names}.`);
  return { manifest, origin: first };
}

function chooseByIndex(manifest: Manifest, index: number): { manifest: Manifest; origin: ManifestOrigin } {
  const origin = listOrigins(manifest).find((one) => one.index === index);
  if (origin === undefined) throw usageError('The origins of the manifest are not a list.');
  return { manifest, origin };
}

/**
 * Confirms an origin that only the manifest names: another author may have written it. One of the command line counts as
 * confirmed.
 */
async function confirmOrigin(
  root: string,
  origin: ManifestOrigin,
  { args, io }: { readonly args: Arguments; readonly io: Io },
): Promise<void> {
  const sentences = sentencesOfOrigin(origin);
  if (args.text('api-url') !== undefined) await noteConfirmed({ root, sentences: sentences.slice(0, 1) }, io);
  await confirmFolder({ root, sentences }, { args, io });
}

/**
 * The token of a confirmed origin.
 *
 * @throws EngineError (USAGE) without a token, or for one that no header can carry; StoreError (STORE_FAILED)
 */
async function readToken(root: string, origin: ManifestOrigin, io: Io): Promise<string> {
  const { label, baseUrl } = origin;
  const own =
    label === undefined ? undefined : `MAKE_API_KEY_${label.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
  const general = [
    own === undefined ? undefined : io.env[own],
    io.env['MAKE_API_KEY'],
    await readKeyFile(root, origin),
  ];
  const given = general.map((text) => text?.trim() ?? '').find((text) => text !== '');
  const token = given ?? (await openTokenFiles(configFolder(io.env)).read(readZone(baseUrl).zone));
  if (token === undefined) {
    const names = own === undefined ? 'MAKE_API_KEY' : `${own} or MAKE_API_KEY`;
    throw usageError(`There is no token. Set ${names}, or store one: iml login ${baseUrl}`);
  }
  assertToken(token);
  return token;
}

async function readKeyFile(root: string, { apikeyFile }: ManifestOrigin): Promise<string | undefined> {
  if (apikeyFile === undefined) return undefined;
  const file = apikeyFile.replaceAll('\\', '/');
  const [above = ''] = /^(?:\.\.\/)*/.exec(file) ?? [];
  const folder = path.join(root, above);
  const problem = problemOfKeyFile(file) ?? (await problemOfLinks(folder, file.slice(above.length)));
  if (problem !== undefined) throw usageError(`The file "${apikeyFile}" in apikeyFile ${problem}.`);
  return readFile(path.join(root, file), 'utf8').catch(() => undefined);
}

/** Errors of fetch quote an invalid header. @throws EngineError (USAGE) */
export function assertToken(token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageError('Invalid token: expected ASCII without white space.');
}

/**
 * Refusals of the API are not errors of the command.
 *
 * @param appId undefined for requests without an app
 */
export function refusalOf(
  error: unknown,
  { appId, baseUrl }: { readonly appId?: string; readonly baseUrl: string },
): unknown {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  const { host } = new URL(baseUrl);
  const where = appId === undefined ? host : `the app "${appId}" at ${host}`;
  if (status === 404 && appId !== undefined)
    return usageError(`There is no app "${appId}" at ${host}. iml push --create creates it.`, error);
  if (status === 401 || status === 403) return usageError(`The token has no access to ${where}.`, error);
  if (typeof status === 'number')
    return usageError(`Make refused ${where}: ${(error as Error).message}`, error);
  if (isEngineError(error, TransportError)) return usageError(error.message, error);
  return error;
}

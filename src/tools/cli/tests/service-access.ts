import { listConnections } from '../../../engine/component/run-subject.js';
import { createEngine } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import { fillPlaceholders, listPlaceholders, secretPlaceholder } from '../../testing/cases/placeholders.js';
import type { ReadCase } from '../../testing/cases/read-case.js';
import type { LiveOptions } from '../../testing/suite/run-live.js';
import type { Arguments } from '../command.js';
import {
  identifyOwner,
  isConnectionName,
  openConnectionFiles,
  storeForApp,
} from '../connections/connection-store.js';
import { configFolder } from '../connections/private-file.js';
import { findEntry } from '../input/component-input.js';
import { readEngineOptions } from '../input/engine-options.js';
import { readDataObject } from '../input/input-data.js';
import type { Io } from '../io.js';

/** Access of cases to the API: network options and credentials. */
export interface ServiceAccess {
  readonly engine: LiveOptions['engine'];
  /**
   * The case with its secrets, or the reason why a secret is missing.
   *
   * @throws AppError, StoreError for a connection that cannot be opened
   */
  readonly fill: (read: ReadCase, app: App) => Promise<FilledForService>;
  /** Redacts the secrets of the cases. */
  readonly redact: Redactor['text'];
}

/** A case ready to send requests, or a sentence about what it lacks. */
export type FilledForService =
  | Extract<FilledCase, { readonly ok: true }>
  | { readonly ok: false; readonly problem: string };

/** One `--connection`: data, or the name of a stored connection. */
type GivenConnection = { readonly data: PlainObject } | { readonly name: string; readonly component: string };

/**
 * Reads the network options and credentials. Placeholders without a connection are read from the environment:
 * `{{secret:api-key}}` is `IML_SECRET_API_KEY`.
 *
 * @throws EngineError (USAGE); StoreError for a connection that cannot be opened
 */
export async function openService(args: Arguments, io: Io): Promise<ServiceAccess> {
  const { timezone: _, ...engine } = readEngineOptions(args);
  const files = openConnectionFiles(configFolder(io.env));
  const given: GivenConnection[] = [];
  for (const text of args.texts('connection')) {
    if (isConnectionName(text)) {
      const { stored } = await findEntry(files, text);
      given.push({ name: text, component: stored.component });
    } else given.push({ data: await readDataObject(text, '--connection', io) });
  }
  const redactor = createRedactor({ secrets: [] });
  const opened = new Map<string, Promise<PlainObject>>();
  const open = (name: string, app: App): Promise<PlainObject> => {
    const key = `${app.identity} ${name}`;
    const connections = storeForApp(files, identifyOwner(app));
    const opening = opened.get(key) ?? openConnection(name, { app, connections, ...engine });
    opened.set(key, opening);
    return opening;
  };
  /** The parameters of a case of a connection, from the data that it created. */
  const openOwn = async (read: ReadCase, app: App): Promise<(name: string) => string | undefined> => {
    const { type, name } = readComponent(read);
    const one =
      type === 'connection' ? given.find((other) => 'data' in other || other.component === name) : undefined;
    const data = one === undefined ? {} : 'data' in one ? one.data : await open(one.name, app);
    return (member) => {
      const value = Object.hasOwn(data, member) ? data[member] : undefined;
      return typeof value === 'string' ? value : undefined;
    };
  };
  return {
    engine,
    redact: redactor.text,
    fill: async (read, app) => {
      const allowed = listAccepted(read, app);
      const chosen = given.find(
        (one) => allowed.length > 0 && ('data' in one || allowed.includes(one.component)),
      );
      const connection =
        chosen === undefined ? undefined : 'data' in chosen ? chosen.data : await open(chosen.name, app);
      const own = await openOwn(read, app);
      const find = (name: string): string | undefined => io.env[nameVariable(name)] ?? own(name);
      const filled = fillSecrets(read, { connection, find });
      if (!filled.ok) return { ok: false, problem: describeMissing(filled.missing, allowed.length > 0) };
      const { input = {}, common } = filled.case.played;
      redactor.collect(collectSecrets(input.connection, input.parameters, input.data, common));
      return filled;
    },
  };
}

async function openConnection(
  name: string,
  options: Parameters<typeof createEngine>[0],
): Promise<PlainObject> {
  const engine = createEngine(options);
  try {
    const { stored } = await engine.openConnection(name).orThrow();
    return stored.connection;
  } finally {
    await engine.close();
  }
}

/** Names of the connections that the component of a case accepts. */
function listAccepted(read: ReadCase, app: App): readonly string[] {
  const { type, name } = readComponent(read);
  if (type === 'endpoint') return app.endpoints.get(name)?.connections ?? [];
  const found = { module: app.modules, rpc: app.rpcs, webhook: app.webhooks }[type]?.get(name);
  return found === undefined ? [] : listConnections(found);
}

function readComponent({ played: { component = '' } }: ReadCase): {
  readonly type: string;
  readonly name: string;
} {
  if (typeof component === 'object') return component;
  const at = component.indexOf(':');
  return { type: component.slice(0, at), name: component.slice(at + 1) };
}

/** Environment variable of a secret placeholder. */
function nameVariable(name: string): string {
  return `IML_SECRET_${name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}`;
}

function describeMissing(names: readonly string[], takesConnection: boolean): string {
  const variables = names.map(nameVariable).join(' and ');
  const other = takesConnection ? 'pass --connection NAME, or set' : 'set';
  const noun = names.length === 1 ? 'the secret' : 'the secrets';
  return `The case needs ${noun} ${names.map((name) => `"${name}"`).join(', ')}: ${other} ${variables}.`;
}

/** Source of the secrets for the placeholders of a case. */
interface SecretSource {
  /** Replaces the connection of the case. */
  readonly connection?: PlainObject | undefined;
  /** The secret of a name; undefined if unknown. */
  readonly find: (name: string) => string | undefined;
}

/** A case with its secrets, or the names of missing ones. */
type FilledCase =
  | {
      readonly ok: true;
      readonly case: ReadCase;
      /** By placeholder name. */
      readonly secrets: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Replaces placeholders in the input of a case. Its exchanges keep the fake values. */
function fillSecrets(read: ReadCase, { connection, find }: SecretSource): FilledCase {
  const { input = {}, common } = read.written;
  const given = connection === undefined ? input : { ...input, connection };
  const asked = JSON.stringify([{ ...given, connection: connection ? undefined : input.connection }, common]);
  const secrets = new Map<string, string>();
  const missing: string[] = [];
  for (const name of listPlaceholders(asked)) {
    const value = find(name);
    if (value === undefined) missing.push(name);
    else secrets.set(name, value);
  }
  if (missing.length > 0) return { ok: false, missing };
  const values = Object.fromEntries(secrets);
  const { connection: own, ...rest } = fillPlaceholders(input, values) as typeof input;
  const used = connection ?? own;
  return {
    ok: true,
    secrets: new Map([...secrets, ...nameMembers(input.connection, connection)]),
    case: {
      ...read,
      played: {
        ...read.played,
        input: { ...rest, ...(used !== undefined && { connection: used }) },
        ...(common !== undefined && { common: fillPlaceholders(common, values) }),
      },
    },
  };
}

/** Placeholder names of the members of a connection. */
function nameMembers(
  written: PlainObject = {},
  given: PlainObject = {},
): readonly (readonly [string, string])[] {
  return Object.entries(written).flatMap(([member, text]) => {
    const [name, other] = listPlaceholders(String(text));
    const value = given[member];
    const isWhole = name !== undefined && other === undefined && text === secretPlaceholder(name);
    return isWhole && typeof value === 'string' ? [[name, value] as const] : [];
  });
}

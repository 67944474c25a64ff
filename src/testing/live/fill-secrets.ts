import type { PlainObject } from '../../util/plain-object.js';
import type { ReadCase } from '../cases/read-case.js';
import { listPlaceholders } from '../cases/restore-placeholders.js';
import { fillPlaceholders, secretPlaceholder } from '../cases/secret-placeholders.js';

/** Where the secrets come from that a case has placeholders for. */
export interface SecretSource {
  /** Takes the place of the connection of the case. */
  readonly connection?: PlainObject | undefined;
  /** The secret of a name; undefined where it is not known. */
  readonly find: (name: string) => string | undefined;
}

/** A case with its secrets in place, or the names of those that are missing. */
export type FilledCase =
  | {
      readonly ok: true;
      readonly case: ReadCase;
      /** By the names of their placeholders. */
      readonly secrets: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Puts the secrets into what a case gives to its run. Its exchanges keep what stands for them. */
export function fillSecrets(read: ReadCase, { connection, find }: SecretSource): FilledCase {
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

/** The names that a case has for what a connection gives. */
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

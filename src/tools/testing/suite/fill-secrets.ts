import type { PlainObject } from '../../../shared/plain-object.js';
import { fillPlaceholders, listPlaceholders, secretPlaceholder } from '../cases/placeholders.js';
import type { ReadCase } from '../cases/read-case.js';

/** Source of the secrets for the placeholders of a case. */
export interface SecretSource {
  /** Replaces the connection of the case. */
  readonly connection?: PlainObject | undefined;
  /** The secret of a name; undefined if unknown. */
  readonly find: (name: string) => string | undefined;
}

/** A case with its secrets, or the names of missing ones. */
export type FilledCase =
  | {
      readonly ok: true;
      readonly case: ReadCase;
      /** By placeholder name. */
      readonly secrets: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Replaces placeholders in the input of a case. Its exchanges keep the fake values. */
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

import type { PlainObject } from '../../shared/plain-object.js';
import { dateTime, list, named, object, oneOf, type Schema, text } from '../../shared/schema/build.js';
import { type ApiScope, SCOPE_NAMES } from '../call/access.js';
import { wrapped } from '../call/fields.js';
import { forbidden, limitExceeded, notFound } from '../problems.js';
import { hashToken } from '../services/identify-call.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readAllRows } from '../store/read-rows.js';
import type { RestWriter, TokenRow } from '../store/tables.js';

const TAG = 'API tokens';

/** Source: https://developers.make.com/api-documentation (users, teams, enums). [doc] */
const TOKEN_SCHEMA: Schema<unknown> = named(
  'ApiToken',
  object({ token: text(), scope: list(text()), created: dateTime(), label: text() }),
);

const HINT_LENGTH = 8;

/** Maximum per user: one response lists all of them. [choice] */
const MAX_TOKENS = 1000;

const listTokens: StoreOperation = defineOperation({
  id: 'listApiTokens',
  method: 'GET',
  path: '/users/me/api-tokens',
  tag: TAG,
  summary: 'Lists the API tokens of the caller; shows only the beginning of each token.',
  scopes: ['user:read'],
  response: wrapped('apiTokens', list(TOKEN_SCHEMA)),
  handler: async ({ services, caller }) => {
    const rows = await readAllRows(services.store, 'tokens', {
      columns: ['hint', 'scopes', 'label', 'createdAt'],
      where: { userId: caller.user.id },
      sortBy: 'createdAt',
    });
    return { apiTokens: rows.map((row) => tokenRecord(row, `${row.hint}-****`)) };
  },
});

const createToken: StoreOperation = defineOperation({
  id: 'createApiToken',
  method: 'POST',
  path: '/users/me/api-tokens',
  tag: TAG,
  summary: 'Creates an API token; only this response shows it.',
  scopes: ['user:write'],
  body: object({
    label: text({ minLength: 1, maxLength: 128 }),
    scope: list(oneOf(SCOPE_NAMES), { minItems: 1, maxItems: 200 }),
  }),
  response: wrapped('apiToken', TOKEN_SCHEMA),
  handler: async ({ services, caller, body, nowMs }) => {
    // A token cannot create a token with more scopes than its own. [inf]
    const exceeds = body.scope.some((scope) => !caller.granted.has(scope));
    if (exceeds) throw forbidden('A token cannot create a token with more scopes.');
    const { label, scope: scopes } = body;
    const wanted = { userId: caller.user.id, label, scopes, token: services.uuid(), nowMs };
    const row = await services.store.transaction((writer) => addToken(writer, wanted));
    return { apiToken: tokenRecord(row, wanted.token) };
  },
});

const deleteToken: StoreOperation = defineOperation({
  id: 'deleteApiToken',
  method: 'DELETE',
  path: '/users/me/api-tokens/{timestamp}',
  tag: TAG,
  summary: 'Deletes the API token of the caller that was created at a moment.',
  scopes: ['user:write'],
  params: { timestamp: dateTime() },
  response: wrapped('apiToken', text()),
  handler: async ({ services, caller, params }) => {
    const createdAt = Date.parse(params.timestamp);
    const where = { userId: caller.user.id, createdAt };
    const removed = await services.store.transaction((writer) => writer.remove('tokens', where));
    if (removed === 0) throw notFound('API token');
    return { apiToken: params.timestamp };
  },
});

export interface NewToken {
  readonly userId: number;
  readonly label: string;
  readonly scopes: readonly ApiScope[];
  /** UUID v4, lower case. */
  readonly token: string;
  readonly nowMs: number;
}

/**
 * The millisecond of its creation identifies a token of a user, so a second one in the same millisecond gets the
 * next.
 */
export async function addToken(writer: RestWriter, wanted: NewToken): Promise<TokenRow> {
  const { userId, label, scopes, token, nowMs } = wanted;
  if ((await writer.count('tokens', { userId })) >= MAX_TOKENS) {
    throw limitExceeded(`A user has at most ${MAX_TOKENS} API tokens.`);
  }
  const newest = await writer.find('tokens', {
    where: { userId },
    sortBy: 'createdAt',
    descending: true,
    limit: 1,
  });
  const createdAt = Math.max(nowMs, (newest[0]?.createdAt ?? 0) + 1);
  const hint = token.slice(0, HINT_LENGTH);
  return writer.insert('tokens', { userId, hash: hashToken(token), hint, scopes, label, createdAt });
}

function tokenRecord(
  { scopes, createdAt, label }: Pick<TokenRow, 'scopes' | 'createdAt' | 'label'>,
  token: string,
): PlainObject {
  return { token, scope: scopes, created: new Date(createdAt).toISOString(), label };
}

export const API_TOKEN_OPERATIONS: readonly StoreOperation[] = [listTokens, createToken, deleteToken];

import { dateTime, list, object, oneOf, text } from '../../shared/schema/build.js';
import { type ApiScope, SCOPE_NAMES } from '../call/access.js';
import type { ApiToken } from '../call/answers.js';
import { wrapped } from '../call/fields.js';
import { forbidden, limitExceeded, notFound } from '../problems.js';
import { hashToken } from '../services/identify-call.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readAllRows } from '../store/read-rows.js';
import type { RestWriter, TokenRow } from '../store/tables.js';
import { createResource, memberMaker, requireMembers, sentSchemas } from './resource.js';

const TAG = 'API tokens';

const member = memberMaker<'tokens', string>();

/** The fact is the text that stands for the token. Source: https://developers.make.com/api-documentation (users, teams, enums). [doc] */
const RESOURCE = createResource<ApiToken, 'tokens', string, 'ApiToken'>('ApiToken', 'tokens', {
  token: member(text(), [], (_, shown) => shown),
  scope: member(list(text()), ['scopes'], (row) => row.scopes),
  created: member(dateTime(), ['createdAt'], (row) => new Date(row.createdAt).toISOString()),
});

const TOKEN_SCHEMA = requireMembers('ApiToken', RESOURCE, RESOURCE.columns);

const SENT = sentSchemas('tokens', 'createApiToken');

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
      columns: ['hint', ...RESOURCE.reads(RESOURCE.columns)],
      where: { userId: caller.user.id },
      sortBy: 'createdAt',
    });
    return { apiTokens: rows.map((row) => RESOURCE.record(row, `${row.hint}-****`)) };
  },
});

const createToken: StoreOperation = defineOperation({
  id: 'createApiToken',
  method: 'POST',
  path: '/users/me/api-tokens',
  tag: TAG,
  summary: 'Creates an API token; only this response shows it.',
  scopes: ['user:write'],
  body: object({ ...SENT.required, scope: list(oneOf(SCOPE_NAMES), { minItems: 1, maxItems: 200 }) }),
  response: wrapped('apiToken', TOKEN_SCHEMA),
  handler: async ({ services, caller, body, nowMs }) => {
    // A token cannot create a token with more scopes than its own. [inf]
    const exceeds = body.scope.some((scope) => !caller.granted.has(scope));
    if (exceeds) throw forbidden('A token cannot create a token with more scopes.');
    const { label, scope: scopes } = body;
    const wanted = { userId: caller.user.id, label, scopes, token: services.uuid(), nowMs };
    const row = await services.store.transaction((writer) => addToken(writer, wanted));
    return { apiToken: RESOURCE.record(row, wanted.token) };
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

export const API_TOKEN_OPERATIONS: readonly StoreOperation[] = [listTokens, createToken, deleteToken];

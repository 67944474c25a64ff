import { id } from '../../src/rest/call/fields.js';
import { defineOperation } from '../../src/rest/services/store-operation.js';
import { flag, object, text } from '../../src/shared/schema/build.js';

const TEAM = {
  id: 'deleteTeam',
  method: 'DELETE',
  path: '/teams/{teamId}',
  tag: 'teams',
  summary: 'Deletes a team.',
  scopes: [],
  params: { teamId: id() },
  response: object({}),
  handler: async (): Promise<unknown> => ({}),
} as const;

// @ts-expect-error `OperationInputs` documents the optional member `confirmed`.
defineOperation(TEAM);

const BOTH = { confirmed: flag() };
defineOperation({ ...TEAM, optionalQuery: BOTH });

// @ts-expect-error `OperationInputs` documents that `confirmed` is optional.
defineOperation({ ...TEAM, requiredQuery: BOTH });

// @ts-expect-error `OperationInputs` documents no member `reason`.
defineOperation({ ...TEAM, optionalQuery: { ...BOTH, reason: text() } });

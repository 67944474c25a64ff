import { id, wrapped } from '../../src/rest/call/fields.js';
import { defineOperation } from '../../src/rest/services/store-operation.js';
import { flag, text } from '../../src/shared/schema/build.js';

const TEAM = {
  id: 'deleteTeam',
  method: 'DELETE',
  path: '/teams/{teamId}',
  tag: 'teams',
  summary: 'Deletes a team.',
  scopes: [],
  params: { teamId: id() },
  response: wrapped('team', id()),
  handler: async (): Promise<unknown> => ({ team: 1 }),
} as const;

// @ts-expect-error `OperationInputs` documents the optional member `confirmed`.
defineOperation(TEAM);

const BOTH = { confirmed: flag() };
defineOperation({ ...TEAM, optionalQuery: BOTH });

// @ts-expect-error `OperationInputs` documents that `confirmed` is optional.
defineOperation({ ...TEAM, requiredQuery: BOTH });

// @ts-expect-error `OperationInputs` documents no member `reason`.
defineOperation({ ...TEAM, optionalQuery: { ...BOTH, reason: text() } });

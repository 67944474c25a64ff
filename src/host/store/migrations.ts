import type { Migrations } from '../../shared/store/migrate.js';

/**
 * The migrations of the tables of a host. The tables are literal: `HOST_TABLES` describes the present version, and a
 * released step must not change with it.
 */
export const HOST_MIGRATIONS: Migrations = {
  owner: 'host',
  steps: {
    '001-tables': (schema) =>
      schema.addTables({
        connections: { columns: { name: 'text', sealed: 'text' }, unique: [['name']] },
        hooks: {
          columns: {
            ...{ kind: 'text', name: 'text', token: 'text?', app: 'text', webhook: 'text', uid: 'text?' },
            ...{ connection: 'text?', parameters: 'json?', data: 'json?', attachedWith: 'json?' },
            ...{ enabled: 'flag', createdAtMs: 'whole' },
          },
          unique: [['token'], ['name']],
          indexes: [['app', 'webhook', 'uid']],
        },
        events: {
          columns: {
            ...{ hookId: 'whole', scenarioId: 'whole?', status: 'text', bundles: 'json?', request: 'json?' },
            ...{ bytes: 'whole', attempts: 'whole', crashes: 'whole', crashesAlone: 'whole' },
            ...{
              notBeforeMs: 'whole?',
              turn: 'text?',
              error: 'json?',
              receivedAtMs: 'whole',
              finishedAtMs: 'whole?',
            },
          },
          apart: { table: 'payloads', columns: ['bundles', 'request'] },
          indexes: [['status', 'hookId', 'id', 'bytes']],
        },
        scenarios: {
          columns: {
            ...{ name: 'text', definition: 'json', hookId: 'whole?', lane: 'text' },
            ...{
              isSequential: 'flag',
              isTimed: 'flag',
              tenant: 'text',
              state: 'json',
              triggerState: 'json?',
            },
            ...{ scheduledMs: 'whole?', nextRunMs: 'whole?', attempts: 'whole', crashes: 'whole' },
            ...{ crashesAlone: 'whole', lastRunMs: 'whole?', lastError: 'json?' },
          },
          unique: [['name']],
          indexes: [['hookId'], ['nextRunMs']],
        },
        incompletes: {
          columns: {
            ...{ scenarioId: 'whole', status: 'text', execution: 'json', bytes: 'whole', attempts: 'whole' },
            ...{ crashes: 'whole', crashesAlone: 'whole', error: 'json?', createdAtMs: 'whole' },
            ...{ retryAtMs: 'whole?', turn: 'text?', finishedAtMs: 'whole?' },
          },
          apart: { table: 'executions', columns: ['execution'] },
          indexes: [
            ['status', 'scenarioId', 'retryAtMs'],
            ['status', 'retryAtMs'],
          ],
        },
        settings: { columns: { name: 'text', value: 'json' }, unique: [['name']] },
      }),
  },
};

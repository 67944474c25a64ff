import type { AppDefinition } from '../../src/app/assembling/app-definition.js';

/**
 * The app of the service: a search module `listContacts` over all its pages, each named by the one before; and
 * `listByNumber`, which knows by the first page how many there are.
 */
export function contactsApp(origin: string, size: string): AppDefinition {
  const request = {
    url: `/${size}/contacts`,
    qs: { page: 1 },
    response: {
      iterate: '{{body.items}}',
      output: {
        id: '{{item.id}}',
        email: '{{item.email}}',
        name: '{{item.first_name}} {{item.last_name}}',
        city: '{{item.city}}',
        amount: '{{item.amount}}',
      },
    },
  };
  const byNumber = {
    condition: '{{body.pages >= pagination.page}}',
    qs: { page: '{{pagination.page}}' },
  };
  return {
    name: 'bench',
    base: { baseUrl: origin },
    modules: {
      listContacts: {
        type: 'search',
        communication: {
          ...request,
          pagination: { condition: '{{body.next}}', qs: { page: '{{body.next}}' } },
        },
      },
      listByNumber: { type: 'search', communication: { ...request, pagination: byNumber } },
    },
  };
}

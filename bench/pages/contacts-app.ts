import type { AppDefinition } from '../../src/engine/loading/define-app.js';

/** An app with the search module `listContacts`, which follows the page number in each response. */
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
    },
  };
}

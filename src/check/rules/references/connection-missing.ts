import type { Rule } from '../../rule.js';
import { findingAt } from '../../subject/site-finding.js';

export const connectionMissing: Rule = {
  id: 'connection-missing',
  level: 'error',
  summary: 'A component reads `connection` and names no connection.',
  why: 'It runs without one, so `connection` is undefined.',
  bad: '"getUser": { "moduleType": "action", "connection": null }',
  good: '"getUser": { "moduleType": "action", "connection": "account" }',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      const { owner } = site.in;
      if (owner === undefined || owner.kind === 'connection' || owner.connections.length > 0) continue;
      // An RPC of a connection's own form, and an endpoint, are given the connection of their caller.
      if (owner.kind === 'endpoint' || subject.app.connections.size === 0) continue;
      for (const { root } of site.paths) {
        if (root.name !== 'connection' || root.form !== 'plain') continue;
        const message = `The ${owner.kind} "${owner.name}" reads connection and names none.`;
        report(findingAt(site, root, message));
      }
    }
  },
};

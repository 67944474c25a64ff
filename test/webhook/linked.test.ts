import { expect, it } from 'vitest';
import { defineApp } from '../../src/index.js';

// Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks: an instant trigger always
// has a webhook. [doc]
it('warns about an instant trigger without a webhook', () => {
  const watch = { type: 'instant_trigger' as const };
  const { warnings } = defineApp({ name: 'a', modules: { watch } });
  expect(warnings).toMatchObject([
    { code: 'unknown-reference', message: expect.stringContaining('"watch" names no webhook') },
  ]);
});

it('warns about an instant trigger of an unknown webhook', () => {
  const watch = { type: 'instant_trigger' as const, webhook: 'evens' };
  const { warnings } = defineApp({
    name: 'a',
    modules: { watch },
    webhooks: { events: { communication: {} } },
  });
  expect(warnings).toMatchObject([
    { code: 'unknown-reference', message: expect.stringMatching(/"evens".*Did you mean "events"/) },
  ]);
});

// Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks: the webhook and its
// connection define the uid. [doc]
it.each([
  ['both', { uid: '{{body.account}}' }, { url: '/me', response: { uid: '{{body.id}}' } }, []],
  ['missing in the webhook', {}, { url: '/me', response: { uid: '{{body.id}}' } }, ['"events" has no uid']],
  [
    'missing in the connection',
    { uid: '{{body.account}}' },
    { url: '/me' },
    ['"account" to find its recipients'],
  ],
  [
    'present in an OAuth chain',
    { uid: '{{body.account}}' },
    { info: [{ url: '/a' }, { url: '/b', response: { uid: '{{body.id}}' } }] },
    [],
  ],
])('requires a uid in a shared webhook and its connection: %s', (_name, webhook, connection, told) => {
  const { warnings } = defineApp({
    name: 'a',
    connections: { account: { type: 'oauth', communication: connection } },
    webhooks: { events: { type: 'web-shared', connection: 'account', communication: webhook } },
  });
  const uids = warnings.filter(({ code }) => code === 'missing-uid');
  expect(uids.map(({ message }) => message)).toEqual(told.map((part) => expect.stringContaining(part)));
});

it('requires no uid in a dedicated webhook', () => {
  const { warnings } = defineApp({ name: 'a', webhooks: { events: { type: 'web', communication: {} } } });
  expect(warnings).toEqual([]);
});

import { expect, it } from 'vitest';
import { defineApp } from '../../src/app/define-app.js';

// Source: specification/001 (What the service does): an instant trigger is always linked to a webhook. [doc]
it('an instant trigger without a webhook is warned of', () => {
  const watch = { type: 'instant_trigger' as const };
  const { warnings } = defineApp({ name: 'a', modules: { watch } });
  expect(warnings).toMatchObject([
    { code: 'unknown-reference', message: expect.stringContaining('"watch" names no webhook') },
  ]);
});

it('an instant trigger of a webhook the app does not have is warned of', () => {
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

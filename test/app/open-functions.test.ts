import { expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { openWhenNamed } from '../../src/app/engine/open-functions.js';

const app = defineApp({ name: 'test', functions: { own: { code: 'function own() { return 1 }' } } });

it('functions that are opened while they are closed are closed, too', async () => {
  const heard: string[] = [];
  const functions = openWhenNamed(app, async () => {
    heard.push('open');
    return { table: {}, warnings: [], close: () => void heard.push('closed') };
  });
  const asked = functions.tableFor(['{{own()}}']);
  functions.close();
  await asked;
  expect(heard).toEqual(['open', 'closed']);
});

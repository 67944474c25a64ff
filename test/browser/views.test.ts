import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addWebhook } from '../dev/add-webhook.js';
import {
  expectAccessibleEverywhere,
  hasNoBrowser,
  type OpenPage,
  startBrowser,
  type TestBrowser,
  WHOLE_MS,
} from './open-page.js';

const FINDING = '{"url": "/books/{{formatdate(parameters.isbn)}}"}';

/** A webhook, one case that passes and one that does not, and a module that the check finds something in. */
function prepare(root: string): void {
  addWebhook(root);
  writeFileSync(path.join(root, 'modules/get-book/get-book.communication.iml.json'), FINDING);
  const folder = path.join(root, 'tests/listGenres');
  mkdirSync(folder, { recursive: true });
  const exchanges = [{ response: { body: { genres: [{ id: 'crime', name: 'Crime' }] } } }];
  const expected = { passes: [{ value: 'crime', label: 'Crime' }], fails: [] };
  for (const [name, result] of Object.entries(expected)) {
    const text = JSON.stringify({ component: 'rpc:listGenres', exchanges, expect: { result } });
    writeFileSync(path.join(folder, `${name}.test.json`), text);
  }
}

/** Content of the views: two runs of a list, a failed run, a webhook call. */
type Runs = Readonly<Record<'list' | 'other' | 'failed' | 'call', string>>;

interface View {
  readonly name: string;
  readonly route: (runs: Runs) => string;
  /** Text that appears when a view is complete. */
  readonly shows: (page: Page) => Locator;
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first();
const text = (shown: string | RegExp) => (page: Page) => page.getByText(shown).first();

const VIEWS: readonly View[] = [
  { name: 'home', route: () => '', shows: heading('bookshop') },
  { name: 'module', route: () => 'module/createBook', shows: (page) => page.getByLabel('Price in euros') },
  { name: 'rpc', route: () => 'rpc/listGenres', shows: text('No parameters.') },
  { name: 'connection', route: () => 'connection/bookshopKey', shows: text('Test shop') },
  { name: 'webhook', route: () => 'webhook/sold', shows: text('Send a call') },
  { name: 'send-a-call', route: () => 'call/sold', shows: heading('Send a call') },
  { name: 'findings', route: () => 'findings', shows: text(/formatdate/) },
  { name: 'run', route: ({ list }) => `run/${list}`, shows: text('The Quiet Lighthouse') },
  {
    name: 'error',
    route: ({ failed }) => `run/${failed}`,
    shows: (page) => page.getByRole('region', { name: 'Error' }),
  },
  { name: 'call', route: ({ call }) => `run/${call}`, shows: text('The list of iterate is empty.') },
  { name: 'edit-and-run', route: ({ list }) => `module/listBooks/${list}`, shows: text('responses') },
  { name: 'save', route: ({ list }) => `save/${list}`, shows: heading('Files to write') },
  { name: 'diff', route: ({ list, other }) => `diff/${list}/${other}`, shows: text(/^\[\d+\]/) },
  { name: 'test-passed', route: () => 'test/tests%2FlistGenres%2Fpasses.test.json', shows: text('1 bundle') },
  {
    name: 'test-failed',
    route: () => 'test/tests%2FlistGenres%2Ffails.test.json',
    shows: (page) => page.getByRole('region', { name: 'Differences' }),
  },
  { name: 'gone', route: () => 'run/gone', shows: heading('This run is not in the history any more.') },
];

/** The parts of a run, by the names of their tabs. */
const TABS = { Bundles: 'The Quiet Lighthouse', Expressions: '{{item.title}}', Input: 'connection' };

// Needs Chromium (IML_TEST_CHROMIUM). CI fails if this test is skipped.
describe.skipIf(hasNoBrowser)('every view', { timeout: WHOLE_MS }, () => {
  let started: TestBrowser;
  let opened: OpenPage;
  let page: Page;
  let runs: Runs;
  beforeAll(async () => {
    started = await startBrowser({ prepare });
    const { dev } = started;
    const [list, other, failed] = [
      await dev.run({ name: 'listBooks', parameters: { limit: 3 } }),
      await dev.run({ name: 'listBooks', parameters: { limit: 4 } }),
      await dev.run({ name: 'getBook', parameters: { isbn: 'none' } }),
    ];
    const { id: call } = await dev.post<{ id: string }>('/api/calls', {
      webhook: 'sold',
      body: '{"sales": []}',
    });
    runs = { list: list.id, other: other.id, failed: failed.id, call };
    opened = await started.open();
    page = opened.page;
    await page.getByText('1 failed').waitFor();
    // CI may still be installing a browser.
  }, WHOLE_MS);
  afterAll(async () => {
    // The browser logs the 404 of a removed run.
    expect((await opened?.close())?.filter((said) => !said.includes('404'))).toEqual([]);
    await started?.close();
  });

  it.each(VIEWS)(
    '$name: has no accessibility violations in light and dark themes, wide and narrow',
    async (view) => {
      // In the same document, because axe is loaded once per document.
      await page.evaluate(`location.hash = '/${view.route(runs)}'`);
      await view.shows(page).waitFor();
      await expectAccessibleEverywhere(page, view.name);
    },
  );

  it.each(Object.entries(TABS))('part "%s" of a run: has no accessibility violations', async (tab, shown) => {
    await page.evaluate(`location.hash = '/run/${runs.list}'`);
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('tabpanel').getByText(shown).first().waitFor();
    await expectAccessibleEverywhere(page, tab.toLowerCase());
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSteps } from '../dev/add-steps.js';
import { addWebhook } from '../dev/add-webhook.js';
import { hasNoBrowser, type OpenPage, startBrowser, type TestBrowser, WHOLE_MS } from './open-page.js';

/** A dropped call, attach, a polling trigger, six tests that pass and one that fails. */
function prepare(root: string): void {
  addWebhook(root);
  addSteps(root);
  const folder = path.join(root, 'tests/listGenres');
  mkdirSync(folder, { recursive: true });
  const exchanges = [{ response: { body: { genres: [{ id: 'crime', name: 'Crime' }] } } }];
  for (let index = 0; index <= 5; index++) {
    const result = index === 0 ? [] : [{ value: 'crime', label: 'Crime' }];
    const text = JSON.stringify({ component: 'rpc:listGenres', exchanges, expect: { result } });
    writeFileSync(path.join(folder, `case-${index}.test.json`), text);
  }
}

const WIDTHS = [1280, 400];

/** Entries of lists: of components, runs and tests in the sidebar, of last runs, and of a timeline. */
const ENTRIES = '.nav-item, .run-item, .rows a, .step';

/** Texts and controls of a view outside of regions that scroll. */
const UNCUT = 'h1, h2, .button, .tabs button, .state, .tag, .meter-text, label, .lead';

interface Box {
  readonly text: string;
  readonly height: number;
  readonly left: number;
  readonly right: number;
}

function measure(page: Page, selector: string): Promise<readonly Box[]> {
  return page.evaluate<readonly Box[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((element) => element.checkVisibility())
    .map((element) => {
      const { height, left, right } = element.getBoundingClientRect();
      return { text: element.textContent.trim().slice(0, 60), height, left, right };
    })`);
}

// Needs Chromium (IML_TEST_CHROMIUM). CI fails if this test is skipped.
describe.skipIf(hasNoBrowser)('the layout', { timeout: WHOLE_MS }, () => {
  let started: TestBrowser;
  let opened: OpenPage;
  let page: Page;
  const runs: Record<string, string> = {};
  beforeAll(async () => {
    started = await startBrowser({ prepare });
    const { dev } = started;
    const call = { webhook: 'sold', body: '{"sales": []}' };
    runs['dropped'] = (await dev.post<{ id: string }>('/api/calls', call)).id;
    runs['list'] = (await dev.run({ name: 'listBooks', parameters: {} })).id;
    runs['failed'] = (await dev.run({ name: 'getBook', parameters: { isbn: 'none' } })).id;
    const attach = { step: 'attach', name: 'signed', connection: 'shop', parameters: {} };
    runs['attached'] = (await dev.step(attach)).id;
    opened = await started.open();
    page = opened.page;
    await page.getByText('6 passed').waitFor({ timeout: WHOLE_MS / 2 });
  }, WHOLE_MS);
  afterAll(async () => {
    expect(await opened?.close()).toEqual([]);
    await started?.close();
  });

  const show = async (route: string, width: number): Promise<void> => {
    await page.setViewportSize({ width, height: 860 });
    await page.evaluate(`location.hash = ${JSON.stringify(`/${route}`)}`);
  };

  const VIEWS: readonly (readonly [name: string, route: () => string, shows: string])[] = [
    ['home', () => '', 'bookshop'],
    ['module with runs', () => 'module/getBook', 'Last runs'],
    ['webhook with calls', () => 'webhook/sold', 'Last runs'],
    ['list run', () => `run/${runs['list']}`, 'Why it stopped'],
    ['failed run', () => `run/${runs['failed']}`, 'DataError'],
    ['dropped call', () => `run/${runs['dropped']}`, 'The list of iterate is empty.'],
    ['attach run', () => `run/${runs['attached']}`, 'attached'],
  ];

  for (const width of WIDTHS) {
    it.each(VIEWS)(`has low entries and nothing cut at ${width} px: %s`, async (_, route, shows) => {
      await show(route(), width);
      await page.locator('main').getByText(shows).first().waitFor();
      for (const { text, height } of await measure(page, ENTRIES))
        expect({ text, isLow: height <= 60 }).toEqual({ text, isLow: true });
      for (const { text, left, right } of await measure(page, UNCUT))
        expect({ text, isInside: left >= 0 && right <= width }).toEqual({ text, isInside: true });
      for (const { text, height } of await measure(page, '.run-title, .state'))
        expect({ text, isLow: height <= 100 }).toEqual({ text, isLow: true });
    });
  }

  it('shows modules first, failed tests next, and folds those that pass', async () => {
    await show('', 1280);
    const [module] = await measure(page, '.nav-item[href="#/module/listBooks"]');
    expect(module?.height).toBeGreaterThan(0);
    const order = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.components > details > summary')].map(({ textContent }) => textContent.split(' ')[0])`,
    );
    expect(order.slice(0, 3)).toEqual(['Modules', 'Triggers', 'Tests']);
    expect((await measure(page, '.tests .nav-item')).map(({ text }) => text)).toEqual([
      expect.stringContaining('case-0'),
    ]);
    await page.getByText('6 passed').click();
    expect(await measure(page, '.tests .nav-item')).toHaveLength(7);
  });

  it('shows the bundles of a list as a table of the width of the page', async () => {
    await show(`run/${runs['list']}`, 1280);
    const bundles = page.getByRole('region', { name: 'Bundles of this page' });
    await bundles.getByRole('table').waitFor();
    const [main] = await measure(page, 'main > article');
    const [table] = await measure(page, '.column.whole');
    expect(table?.left).toBe(main?.left);
    expect(table?.right).toBe(main?.right);
    for (const { right, left } of await measure(page, '.value-table td'))
      expect(right - left).toBeGreaterThanOrEqual(60);
  });

  it('shows attach and detach as runs with requests, not as calls', async () => {
    await show(`run/${runs['attached']}`, 1280);
    await page.getByRole('tab', { name: 'Requests 1' }).waitFor();
    await page.getByRole('region', { name: 'Response' }).getByText('200').waitFor();
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByRole('tabpanel').getByText('"listed"').waitFor();
    expect(await page.getByRole('region', { name: 'Call' }).count()).toBe(0);
    expect(await page.getByText('undefined').count()).toBe(0);
  });

  it('shows the headers of a call by name', async () => {
    await show(`run/${runs['dropped']}`, 1280);
    const { id } = await started.dev.post<{ id: string }>('/api/calls', {
      webhook: 'sold',
      headers: [['x-shop', 'north']],
      body: '{"sales": []}',
    });
    await show(`run/${id}`, 1280);
    const call = page.getByRole('region', { name: 'Call' });
    await call.getByRole('row', { name: 'x-shop north' }).waitFor();
  });

  it('numbers the requests of a run', async () => {
    await show(`run/${runs['list']}`, 1280);
    const options = page.getByRole('listbox', { name: 'Requests and events' }).getByRole('option');
    await options.nth(2).waitFor();
    const places = await page.locator('.step-place').allTextContents();
    expect(places.slice(0, 3)).toEqual(['1', '2 · page 2', '3 · page 3']);
  });
});

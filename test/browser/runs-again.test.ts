import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addWebhook } from '../dev/add-webhook.js';
import type { TestDev } from '../dev/start-dev.js';
import {
  expectAccessibleEverywhere,
  hasNoBrowser,
  type OpenPage,
  startBrowser,
  type TestBrowser,
  takePicture,
  WHOLE_MS,
} from './open-page.js';

/** A field that shows others, and one with a condition. */
function addFields(root: string): void {
  addWebhook(root);
  const file = path.join(root, 'modules/create-book/create-book.mappable-params.iml.json');
  const fields = JSON.parse(readFileSync(file, 'utf8')) as unknown[];
  const binding = {
    name: 'binding',
    label: 'Binding',
    type: 'select',
    options: [
      { label: 'Paper', value: 'paper' },
      { label: 'Digital', value: 'digital', nested: [{ name: 'format', label: 'Format', type: 'text' }] },
    ],
  };
  const drm = { name: 'drm', label: 'Protected', type: 'boolean', visible: "{{format = 'epub'}}" };
  writeFileSync(file, JSON.stringify([...fields, binding, drm]));
}

// Needs Chromium (IML_TEST_CHROMIUM). CI fails if this test is skipped.
describe.skipIf(hasNoBrowser)('repeated runs and calls', { timeout: WHOLE_MS }, () => {
  let started: TestBrowser;
  let dev: TestDev;
  let opened: OpenPage;
  let page: Page;
  beforeAll(async () => {
    started = await startBrowser({ prepare: addFields });
    dev = started.dev;
    // CI may still be installing a browser.
  }, WHOLE_MS);
  afterAll(() => started?.close());
  beforeEach(async () => {
    opened = await started.open();
    page = opened.page;
  });
  afterEach(async () => expect(await opened.close()).toEqual([]));

  it('sends requests from a chosen page, and replays an edited run with recorded responses', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: {} });
    // Requests of the form are not part of a run.
    const countPages = (): number =>
      dev.shop.requests.filter(({ url }) => url.startsWith('/v1/books')).length;
    const before = countPages();
    await page.locator(`a[href="#/run/${run.id}"]`).first().press('Enter');
    const from = page.getByLabel('First page that is sent to the API');
    await from.fill('4');
    await takePicture(page, 'from-page');
    await from.press('Enter');
    await page.getByText('replay with recorded responses').waitFor();
    await expect.poll(() => countPages() - before).toBe(2);
    await page.getByText('42 bundles ·').nth(1).waitFor();
    await page.goto(`${dev.server.origin}/#/module/listBooks/${run.id}`);
    await page.getByLabel('responses').selectOption({ label: 'recorded; nothing is sent' });
    await page.getByLabel('Limit').fill('5');
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    await page.getByText('5 bundles ·').first().waitFor();
    expect(countPages() - before).toBe(2);
  });

  it('shows fields that depend on values, and reports invalid values before a run', async () => {
    await page.goto(`${dev.server.origin}/#/module/createBook`);
    await page.getByLabel('Binding').selectOption({ label: 'Digital' });
    await page.getByLabel('Format').fill('epub');
    await page.getByLabel('Protected').waitFor();
    await page.getByLabel('Price in euros').fill('cheap');
    const price = page.getByLabel('Price in euros');
    const message = page.locator('.field-error', { hasText: 'price' });
    await message.waitFor();
    expect(await price.getAttribute('aria-invalid')).toBe('true');
    expect((await price.getAttribute('aria-describedby'))?.split(' ')).toContain(
      await message.getAttribute('id'),
    );
    expect(await page.getByText('Title', { exact: false }).locator('.field-error').count()).toBe(0);
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    const refused = page.getByRole('alert');
    await refused.getByText('These values are not valid, so nothing is sent:').waitFor();
    await refused.getByText(/title/i).waitFor();
    await expectAccessibleEverywhere(page, 'form-refused');
    await page.getByLabel('Binding').selectOption({ label: 'Paper' });
    await page.getByLabel('Format').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run anyway' }).press('Enter');
    await page.getByRole('region', { name: 'Error' }).getByText('BundleValidationError').waitFor();
  });

  it('sends and edits a call, shows its bundles and response, and saves it as a test', async () => {
    await page.getByRole('link', { name: 'sold' }).first().press('Enter');
    await page.getByRole('link', { name: 'Send a call' }).press('Enter');
    await page.getByLabel('Body').fill('{"sales": [{"isbn": "a"}]}');
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter');
    const answer = page.getByRole('region', { name: 'Response' });
    await answer.getByText('200').waitFor();
    await page.getByText('The call created an event.').waitFor();
    await page
      .getByRole('region', { name: 'Bundles of the call' })
      .getByRole('cell', { name: 'a', exact: true })
      .waitFor();
    await page.getByRole('link', { name: 'Edit and send' }).press('Enter');
    await page.getByLabel('Body').fill('{"sales": [{"isbn": "a"}, {"isbn": "edited"}]}');
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter');
    await page
      .getByRole('region', { name: 'Bundles of the call' })
      .getByRole('cell', { name: 'edited' })
      .waitFor();
    await page.getByRole('link', { name: 'Save as test' }).press('Enter');
    await page.getByLabel('Name').fill('edited');
    await page.getByLabel('Name').press('Enter');
    await page.getByRole('heading', { name: 'sold/edited' }).waitFor();
    await page.getByRole('img', { name: 'passed' }).first().waitFor({ state: 'attached' });
  });
});

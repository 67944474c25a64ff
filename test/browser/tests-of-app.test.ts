import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runFixtures } from '../../src/tools/testing/index.js';
import { API_KEY, type TestDev } from '../dev/start-dev.js';
import {
  expectAccessibleEverywhere,
  hasNoBrowser,
  type OpenPage,
  startBrowser,
  type TestBrowser,
  WAIT_MS,
  WHOLE_MS,
} from './open-page.js';

/** Opens the list of passed tests, which is folded. */
const openPassed = (on: Page): Promise<void> => on.getByText(/^\d+ passed/).click();

const SPEC = 'modules/list-books/list-books.communication.iml.json';

// Needs Chromium (IML_TEST_CHROMIUM). CI fails if this test is skipped.
describe.skipIf(hasNoBrowser)('tests on the page', { timeout: WHOLE_MS }, () => {
  let started: TestBrowser;
  let dev: TestDev;
  let opened: OpenPage;
  let page: Page;
  beforeAll(async () => {
    started = await startBrowser();
    dev = started.dev;
    // CI may still be installing a browser.
  }, WHOLE_MS);
  afterAll(() => started?.close());
  beforeEach(async () => {
    opened = await started.open();
    page = opened.page;
  });
  afterEach(async () => expect(await opened.close()).toEqual([]));

  it('saves a run as a test with the keyboard only, and confirms before it replaces one', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: { limit: 2 } });
    await page.locator(`a[href="#/run/${run.id}"]`).first().press('Enter');
    await page.getByRole('link', { name: 'Save as test' }).press('Enter');
    const draft = page.getByRole('region', { name: 'Files to write' });
    await draft.getByText('"{{secret:apiKey}}"').first().waitFor();
    await draft.getByText('Secrets replaced by placeholders: apiKey.').waitFor();
    expect(await page.content()).not.toContain(API_KEY);
    await page.getByLabel('Name').fill('two books');
    await page.getByText('tests/listBooks/two books.test.json').waitFor();
    await page.getByLabel('Name').press('Enter');
    await page.getByRole('heading', { name: 'listBooks/two books' }).waitFor();
    await openPassed(page);
    await page.getByRole('link', { name: 'passed listBooks/two books' }).waitFor();
    const file = path.join(dev.root, 'tests/listBooks/two books.test.json');
    expect(await runFixtures(file)).toMatchObject({ ok: true, passed: 1 });
    await page.goto(`${dev.server.origin}/#/save/${run.id}`);
    await page.getByLabel('Name').fill('two books');
    const write = page.getByRole('button', { name: 'Write the file' });
    await expect.poll(() => write.isDisabled()).toBe(true);
    await page.getByLabel('Replace the existing case of this name').check();
    expect(await write.isDisabled()).toBe(false);
    await expectAccessibleEverywhere(page, 'save-taken');
  });

  it('shows on the page which change of a spec broke a test', async () => {
    await openPassed(page);
    await page.getByRole('link', { name: 'passed listBooks/two books' }).waitFor();
    const text = dev.read(SPEC);
    dev.write(SPEC, text.replace('"{{item.title}}"', '"{{item.titel}}"'));
    await page.getByText('1 failed').waitFor();
    await page.getByRole('link', { name: 'failed listBooks/two books' }).press('Enter');
    const differences = page.getByRole('region', { name: 'Differences' });
    await differences.getByText('bundles[0].title').waitFor();
    await differences.getByText('"The Quiet Lighthouse"').first().waitFor();
    await differences.getByText('{{item.titel}}').first().waitFor();
    await differences
      .getByText(/list-books\.communication\.iml\.json:\d+:\d+/)
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Response' }).waitFor();
    await page.getByRole('link', { name: 'What changed since it passed' }).press('Enter');
    const saved = page.getByRole('region', { name: 'Changed files' });
    await saved.locator('del', { hasText: '{{item.title}}' }).waitFor();
    await saved.locator('ins', { hasText: '{{item.titel}}' }).waitFor();
    await expectAccessibleEverywhere(page, 'test-changed');
    await page.goBack();
    await differences.waitFor();
    await expectAccessibleEverywhere(page, 'test-broken');
    dev.write(SPEC, text);
    await differences.waitFor({ state: 'detached' });
    await page.getByRole('img', { name: 'passed' }).first().waitFor({ state: 'attached' });
  });

  it('loads events that occurred before its connection', async () => {
    const { tests } = dev.server.backend;
    let hear = (): void => {};
    const hearing = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const late = await started.open((other) =>
      other.route('**/api/live', async (route) => {
        await hearing;
        await route.continue();
      }),
    );
    await openPassed(late.page);
    await late.page.getByRole('link', { name: 'passed listBooks/two books' }).waitFor();
    const text = dev.read(SPEC);
    dev.write(SPEC, text.replace('"{{item.title}}"', '"{{item.titel}}"'));
    const state = async (): Promise<string> => {
      const { tests: shown, isRunning } = await tests.state();
      return isRunning ? 'running' : shown.map(({ status }) => status).join();
    };
    await expect.poll(state, { timeout: WAIT_MS }).toContain('failed');
    // Change events arrive later.
    await late.page.waitForTimeout(500);
    hear();
    await late.page.getByRole('link', { name: 'failed listBooks/two books' }).waitFor();
    dev.write(SPEC, text);
    await late.page.getByRole('link', { name: 'passed listBooks/two books' }).waitFor();
    expect(await late.close()).toEqual([]);
  });
});

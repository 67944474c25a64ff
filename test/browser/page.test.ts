import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, type TestDev } from '../dev/start-dev.js';
import {
  expectAccessible,
  hasNoBrowser,
  type OpenPage,
  startBrowser,
  type TestBrowser,
  takePicture,
  WHOLE_MS,
} from './open-page.js';

const SPEC = 'modules/list-books/list-books.communication.iml.json';

// Needs Chromium (IML_TEST_CHROMIUM). CI fails if this test is skipped.
describe.skipIf(hasNoBrowser)('the page', { timeout: WHOLE_MS }, () => {
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
  afterEach(async () => {
    await dev.restore(SPEC);
    expect(await opened.close()).toEqual([]);
  });

  /** Retries, because rendering may move the text away from the pointer. */
  const pointAt = (part: Locator, shown: Locator): Promise<void> =>
    vi.waitFor(
      async () => {
        await page.mouse.move(0, 0);
        await part.hover();
        await shown.waitFor({ timeout: 2000 });
      },
      { timeout: WHOLE_MS / 4 },
    );

  it('opens, removes the token from its address, runs a module and shows the request, response and bundles', async () => {
    expect(page.url()).toBe(`${dev.server.origin}/#/`);
    await page
      .getByRole('link', { name: /List books/ })
      .first()
      .click();
    await page.getByLabel('Genre').selectOption({ label: 'Crime' });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Why it stopped:').waitFor();
    await page
      .getByRole('option', { name: /per_page=10&genre=crime/ })
      .first()
      .waitFor();
    const request = page.getByRole('region', { name: 'Request' });
    await request.getByText('[SANITIZED]').waitFor();
    await page.getByRole('region', { name: 'Response' }).getByText('books:').waitFor();
    await page
      .getByRole('region', { name: 'Bundles of this page' })
      .getByText('The Quiet Lighthouse')
      .waitFor();
    expect(await page.content()).not.toContain(API_KEY);
  });

  it('walks through the pages of a run with the keyboard, and shows the value of each expression', async () => {
    await dev.run({ name: 'listBooks', parameters: {} });
    await page
      .getByRole('link', { name: /listBooks.*42 bundles/ })
      .first()
      .click();
    const timeline = page.getByRole('listbox', { name: 'Requests and events' });
    await timeline.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { selected: true, name: /page=2/ }).waitFor();
    await page.getByRole('region', { name: 'Request' }).getByText('page=2').waitFor();
    await page.getByRole('tab', { name: 'Expressions' }).click();
    await page.locator('.item-choice').getByRole('spinbutton').fill('3');
    const title = page.getByRole('button', { name: /item\.title/ });
    await title.getByText('"The Copper Lighthouse"').waitFor();
    await title.click();
    await page
      .getByRole('complementary', { name: 'Value of the expression' })
      .getByText('"The Copper Lighthouse"')
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Expression' }).fill('{{upper(item.title)}} {{pagination.page}}');
    await page.getByText('"THE COPPER LIGHTHOUSE 2"').waitFor();
    await page.getByRole('radio', { name: 'before the request' }).check();
    await page.getByText('" 2"', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'before the next page' }).check();
    await page.getByText('" 3"', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^statusCode/ }).press('Enter');
    await page.locator('output').getByText('200', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit in the playground' }).press('Enter');
    await page.locator('output').getByText('"The Copper Lighthouse"').waitFor();
    expect(await page.getByRole('radio', { name: 'in an item' }).isChecked()).toBe(true);
    await takePicture(page, 'moments');
  });

  it('shows the value of a part of an expression on hover and on focus, until Escape', async () => {
    const text = dev.read(SPEC);
    dev.write(SPEC, text.replace('{{item.title}}', '{{upper(item.title)}}'));
    await dev.server.backend.look();
    const { id } = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    await page.goto(`${dev.server.origin}/#/run/${id}`);
    await page.getByRole('tab', { name: 'Expressions' }).click();
    const button = page.getByRole('button', { name: /upper\(item\.title\)/ });
    const tip = page.getByRole('tooltip');
    await pointAt(button.getByText('item', { exact: true }), tip.getByText('"isbn"'));
    // It can be reached, and read there.
    await tip.hover();
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'hidden' });
    await page.mouse.move(0, 0);
    // Keyboard focus: the previous element, then Tab.
    await button.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await tip.getByText('THE QUIET LIGHTHOUSE').waitFor();
    await page.keyboard.press('ArrowRight');
    await tip.getByText('"The Quiet Lighthouse"').waitFor();
    expect(await button.getAttribute('aria-describedby')).toBe(await tip.getAttribute('id'));
    await page
      .getByText('item.title: "The Quiet Lighthouse"', { exact: true })
      .waitFor({ state: 'attached' });
    await expectAccessible(page);
    await takePicture(page, 'tip');
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'hidden' });
    expect(await button.getAttribute('aria-describedby')).toBeNull();
  });

  it('shows an error with its line, in the dark theme and on a phone', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await dev.run({ name: 'getBook', parameters: { isbn: 'none' } });
    await page
      .getByRole('link', { name: /getBook.*DataError/ })
      .first()
      .click();
    const error = page.getByRole('region', { name: 'Error' });
    await error.getByText('There is no book none.').waitFor();
    await error.getByText(/base\.iml\.json:\d+:\d+/).waitFor();
    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByRole('button', { name: 'App and runs' }).click();
    await page.getByRole('link', { name: /Get a book/ }).click();
    await page.getByLabel('ISBN').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await page.goBack();
    await error.waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
  });

  it('shows new bundles and their differences when a file is saved, without a request', async () => {
    const { id } = await dev.run({ name: 'listBooks', parameters: { limit: 2 } });
    await page.evaluate(`location.hash = '/run/${id}'`);
    const asked = dev.shop.requests.length;
    const text = dev.read(SPEC);
    dev.write(SPEC, text.replace('"title": "{{item.title}}"', '"title": "{{upper(item.title)}}"'));
    await page.getByRole('link', { name: 'New bundles from the recorded responses' }).click();
    await page
      .getByRole('region', { name: 'Bundles of this page' })
      .getByText('THE QUIET LIGHTHOUSE')
      .waitFor();
    expect(dev.shop.requests.length).toBe(asked);
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByText('[1].title').first().waitFor();
    await page.evaluate(`location.hash = '/run/${id}'`);
    dev.write(SPEC, text.replace('"url": "/books"', '"url": "/book"'));
    const banner = page.getByText('The app would now send other requests');
    await banner.waitFor();
    await page.getByRole('button', { name: 'Close this message' }).click();
    await banner.waitFor({ state: 'detached' });
    dev.write(SPEC, text.replace('"url"', '"url'));
    await page.getByRole('alert').getByText('The saved app does not load').waitFor();
    dev.write(SPEC, text);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('explains why there is one bundle instead of ten, and shows the diagnostic at its line', async () => {
    const text = dev.read(SPEC);
    dev.write(
      SPEC,
      text.replace('"{{body.books}}"', '"{{body}}"').replace('{{item.title}}', '{{titl(item)}}'),
    );
    await dev.server.backend.look();
    const { id } = await dev.run({ name: 'listBooks', parameters: {} });
    await page.goto(`${dev.server.origin}/#/run/${id}`);
    await page.getByRole('button', { name: 'Show the request and the response' }).click();
    await page.getByRole('region', { name: 'Response' }).getByText('books:').waitFor();
    await page.getByRole('tab', { name: 'Expressions' }).click();
    await page
      .getByText(/^error: .*titl/)
      .first()
      .waitFor();
    await expectAccessible(page);
    await takePicture(page, 'finding');
    dev.write(
      SPEC,
      '{"url": "/books", "response": {"iterate": "{{body}}", "output": {"n": "{{item.total}}"}}}',
    );
    await dev.server.backend.look();
    const one = await dev.run({ name: 'listBooks', parameters: {} });
    await page.goto(`${dev.server.origin}/#/run/${one.id}`);
    const made = page.getByRole('region', { name: 'Bundles of this page' });
    await made.getByText('{{body}} returned one collection, which is one item.').waitFor();
    await made.getByText('Arrays in this response: {{body.books}} (10)').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 800 });
    await takePicture(page, 'one-bundle-400-dark');
  });

  it('opens the line of a warning', async () => {
    dev.write(SPEC, dev.read(SPEC).replace('"qs": {', '"headers": { "Content-Length": "3" },\n  "qs": {'));
    await dev.server.backend.look();
    const { id } = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    await page.goto(`${dev.server.origin}/#/run/${id}`);
    const warnings = page.getByRole('list', { name: 'Warnings' });
    await warnings.getByText('header-ignored').waitFor();
    await warnings.getByRole('button', { name: `${SPEC}:3` }).press('Enter');
    await expect
      .poll(() => page.evaluate<string>("document.activeElement?.textContent ?? ''"))
      .toBe("warning: The header Content-Length is the transport's to set. header-ignored");
  });

  it('filters the runs by text, and imports a dropped trace', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    await page.keyboard.press('/');
    await page.keyboard.type('quiet lighthouse');
    await page.locator(`.runs a[href="#/run/${run.id}"]`).waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('no run has this text');
    await page.getByText('No run matches the filter.').waitFor();
    const trace = await (await dev.fetch(`/api/runs/${run.id}/trace`)).text();
    // A string, because this file has no types of the DOM.
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(trace)}], 'run.jsonl'));
      return transfer;
    })()`);
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    await page.getByText('run.jsonl is now in the history.').waitFor();
    await page.getByRole('region', { name: 'Request' }).waitFor();
  });

  it('reports that the server was restarted with another token', async () => {
    const stale = await page.context().newPage();
    await stale.goto(`${dev.server.origin}/#token=old`);
    await stale.getByRole('alert').getByText('The token of this page is not valid').waitFor();
    // The address of this start, pasted where the page of another one was.
    await stale.goto(dev.server.address);
    await stale.getByText('● live').waitFor();
    await stale.close();
  });

  it('serves ten tabs with a history of a thousand runs, and renders only visible rows', async () => {
    const { history } = dev.server.backend;
    const [known] = await history.list({ limit: 1 });
    const detail = known && (await history.find(known.id));
    if (detail === undefined) throw new Error('No run is in the history.');
    const { limits, input, documents, ...summary } = detail;
    const rest = {
      limits,
      input,
      documents,
      replayOf: undefined,
      failure: undefined,
      allWarnings: [],
      bundleList: undefined,
      canReplay: false,
    };
    for (let index = 0; index < 990; index++) {
      await history.saveRun(
        { ...summary, id: `old-${index}`, startedAt: 1000 + index, state: 'running' },
        rest,
      );
    }
    const tabs = await Promise.all(Array.from({ length: 9 }, () => page.context().newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(dev.server.address)));
    await Promise.all(tabs.map((tab) => tab.getByText('● live').waitFor()));
    const name = 'getBook';
    const run = await dev.run({ name, parameters: { isbn: 'every tab hears of this one' } });
    await Promise.all(
      [page, ...tabs].map((tab) => tab.locator(`a[href="#/run/${run.id}"]`).first().waitFor()),
    );
    expect(await page.locator('.run-item').count()).toBeLessThanOrEqual(60);
    await Promise.all(tabs.map((tab) => tab.close()));
  });
});

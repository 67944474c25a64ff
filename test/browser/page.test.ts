import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, startDev, type TestDev } from '../dev/start-dev.js';
import { findBrowser, openBrowser } from './open-browser.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = path.join(ROOT, 'dist/page');
const AXE = path.join(ROOT, 'node_modules/axe-core/axe.min.js');

/** Where pictures are put for a person to look at; none are taken without it. */
const SHOTS = process.env['IML_SHOTS'];

const executable = findBrowser();
// In CI a browser has to be there: a suite that is left out there would never run.
const isRequired = process.env['CI'] !== undefined;
if (executable === undefined && !isRequired) {
  console.warn(
    'No Chromium was found, so the page is not tested: apt-get install chromium, or IML_TEST_CHROMIUM=PATH.',
  );
}

const WAIT = { timeout: Number(process.env['IML_TEST_WAIT_MS'] ?? 60_000) };

let dev: TestDev;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];

describe.skipIf(executable === undefined && !isRequired)('the page', () => {
  beforeAll(async () => {
    if (!existsSync(path.join(PAGE, 'index.html'))) throw new Error('The page is not built: npm run build.');
    if (executable === undefined) throw new Error('CI needs a Chromium: apt-get install chromium.');
    if (SHOTS !== undefined) mkdirSync(SHOTS, { recursive: true });
    [dev, browser] = await Promise.all([startDev({ pageFolder: PAGE }), openBrowser(executable)]);
  });
  afterAll(async () => {
    await browser?.close();
    await dev?.close();
  });
  beforeEach(async () => {
    complaints.length = 0;
    context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
    page = await context.newPage();
    page.setDefaultTimeout(WAIT.timeout);
    page.on('pageerror', (error) => complaints.push(error.message));
    // What the policy refuses is told here as well.
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(dev.server.address);
    await page.getByText('● live').waitFor();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  it('opens, takes the token out of its address, runs a module and shows request, answer and bundles', async () => {
    expect(page.url()).toBe(`${dev.server.origin}/#/`);
    await picture('home');
    await page
      .getByRole('link', { name: /List books/ })
      .first()
      .click();
    await page.getByLabel('Genre').selectOption({ label: 'Crime' });
    await expectAccessible();
    await picture('form');
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
      .getByText('"The Quiet Lighthouse"')
      .waitFor();
    expect(await page.content()).not.toContain(API_KEY);
    await expectAccessible();
    await picture('run');
  });

  it('walks through the pages of a run with the keyboard, and says what each expression was', async () => {
    await dev.run({ name: 'listBooks', parameters: {} });
    await page
      .getByRole('link', { name: /listBooks.*42 bundles/ })
      .first()
      .click();
    const timeline = page.getByRole('listbox', { name: 'What happened' });
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
    await expectAccessible();
    await picture('expressions');
  });

  it('shows an error with its line, in the dark and on a phone', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await dev.run({ name: 'getBook', parameters: { isbn: 'none' } });
    await page
      .getByRole('link', { name: /getBook.*DataError/ })
      .first()
      .click();
    const error = page.getByRole('region', { name: 'Error' });
    await error.getByText('There is no book none.').waitFor();
    await error.getByText(/base\.iml\.json:\d+:\d+/).waitFor();
    await expectAccessible();
    await picture('error-dark');
    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByRole('button', { name: 'App and runs' }).click();
    await page.getByRole('link', { name: /Get a book/ }).click();
    await page.getByLabel('ISBN').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await expectAccessible();
    await picture('form-400-dark');
    await page.goBack();
    await error.waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await picture('error-400-dark');
  });

  it('shows new bundles when a file is saved, without a request, and what has changed', async () => {
    await dev.run({ name: 'listBooks', parameters: { limit: 2 } });
    const asked = dev.shop.requests.length;
    const file = 'modules/list-books/list-books.communication.iml.json';
    const text = readFileSync(path.join(dev.root, file), 'utf8');
    dev.write(file, text.replace('"title": "{{item.title}}"', '"title": "{{upper(item.title)}}"'));
    await page.getByRole('link', { name: 'New bundles over the last answers' }).click();
    await page
      .getByRole('region', { name: 'Bundles of this page' })
      .getByText('"THE QUIET LIGHTHOUSE"')
      .waitFor();
    expect(dev.shop.requests.length).toBe(asked);
    await page.getByRole('link', { name: 'What changed' }).click();
    await page.getByText('[1].title').first().waitFor();
    await expectAccessible();
    await picture('diff');
    dev.write(file, text.replace('"url": "/books"', '"url": "/book"'));
    await page.getByText('The last run would ask for something else now').waitFor();
    dev.write(file, text.replace('"url"', '"url'));
    await page.getByRole('alert').getByText('The app does not load since it was saved').waitFor();
    dev.write(file, text);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('says why there is one bundle instead of ten, and what the check says of it, in its line', async () => {
    const file = 'modules/list-books/list-books.communication.iml.json';
    const text = readFileSync(path.join(dev.root, file), 'utf8');
    dev.write(
      file,
      text.replace('"{{body.books}}"', '"{{body}}"').replace('{{item.title}}', '{{titl(item)}}'),
    );
    await dev.server.bench.look();
    const { id } = await dev.run({ name: 'listBooks', parameters: {} });
    await page.goto(`${dev.server.origin}/#/run/${id}`);
    await page.getByRole('button', { name: 'Show the request and the answer it came from' }).click();
    await page.getByRole('region', { name: 'Response' }).getByText('books:').waitFor();
    await page.getByRole('tab', { name: 'Expressions' }).click();
    await page.getByText(/^error: .*titl/).waitFor();
    await expectAccessible();
    await picture('finding');
    dev.write(
      file,
      '{"url": "/books", "response": {"iterate": "{{body}}", "output": {"n": "{{item.total}}"}}}',
    );
    await dev.server.bench.look();
    const one = await dev.run({ name: 'listBooks', parameters: {} });
    await page.goto(`${dev.server.origin}/#/run/${one.id}`);
    const made = page.getByRole('region', { name: 'Bundles of this page' });
    await made.getByText('{{body}} gave one collection, no array: it is one item.').waitFor();
    await made.getByText('Arrays in this answer: {{body.books}} (10)').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 800 });
    await expectAccessible();
    await picture('one-bundle-400-dark');
    dev.write(file, text);
    await dev.server.bench.look();
  });

  it('finds a text in all runs, and takes a trace that is dropped', async () => {
    const run = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
    await page.keyboard.press('/');
    await page.keyboard.type('quiet lighthouse');
    await page.keyboard.press('Enter');
    await page
      .getByRole('article', { name: 'Search' })
      .getByRole('link', { name: /Quiet Lighthouse/ })
      .first()
      .waitFor();
    await expectAccessible();
    await picture('search');
    const trace = await (await dev.fetch(`/api/runs/${run.id}/trace`)).text();
    // As text: the names of the browser are none of this file.
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(trace)}], 'run.jsonl'));
      return transfer;
    })()`);
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    await page.getByText('run.jsonl is in the history now.').waitFor();
    await page.getByRole('region', { name: 'Request' }).waitFor();
  });

  it('says that it is not the page of this start', async () => {
    const stale = await browser.newPage();
    await stale.goto(`${dev.server.origin}/#token=old`);
    await stale
      .getByRole('alert')
      .getByText('This page is not the one that was opened at this start.')
      .waitFor(WAIT);
    // The address of this start, pasted where the page of another one was.
    await stale.goto(dev.server.address);
    await stale.getByText('● live').waitFor(WAIT);
    await stale.close();
  });

  it('serves ten tabs at once over a history of a thousand runs, and draws few of many rows', async () => {
    const { history } = dev.server.bench;
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
    const tabs = await Promise.all(Array.from({ length: 9 }, () => context.newPage()));
    for (const tab of tabs) tab.setDefaultTimeout(WAIT.timeout);
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

async function picture(name: string): Promise<void> {
  if (SHOTS === undefined) return;
  // What is fetched when it is shown has to be there.
  await page.waitForTimeout(500);
  await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

async function expectAccessible(): Promise<void> {
  // By the debugger, as the policy of the page lets no other script in.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))])).toEqual([]);
}

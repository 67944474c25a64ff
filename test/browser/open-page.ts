import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type StartOptions, startDev, type TestDev } from '../dev/start-dev.js';
import { findBrowser, openBrowser } from './open-browser.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = path.join(ROOT, 'dist/page');
const AXE = path.join(ROOT, 'node_modules/axe-core/axe.min.js');

/** Where pictures are put for a person to look at; none are taken without it. */
const SHOTS = process.env['IML_SHOTS'];

const WAIT_MS = Number(process.env['IML_TEST_WAIT_MS'] ?? 60_000);

/** One test waits for many things, each of which may take long on a busy machine. */
export const WHOLE_MS = 600_000;

/** Whether tests in a browser are left out: never in CI, where one has to be there. */
export const hasNoBrowser: boolean = findBrowser() === undefined && process.env['CI'] === undefined;

/** A browser over a copy of the bookshop's app. */
export interface TestBrowser {
  readonly dev: TestDev;
  /** Opens the page, 1280 wide, and waits until it hears of what happens. */
  readonly open: () => Promise<OpenPage>;
  readonly close: () => Promise<void>;
}

export interface OpenPage {
  readonly page: Page;
  /** Ends with what the page complained about, which should be nothing. */
  readonly close: () => Promise<readonly string[]>;
}

export async function startBrowser(options: Omit<StartOptions, 'pageFolder'> = {}): Promise<TestBrowser> {
  if (!existsSync(path.join(PAGE, 'index.html'))) throw new Error('The page is not built: npm run build.');
  const executable = findBrowser();
  if (executable === undefined) throw new Error('CI needs a Chromium: apt-get install chromium.');
  if (SHOTS !== undefined) mkdirSync(SHOTS, { recursive: true });
  const [dev, browser]: [TestDev, Browser] = await Promise.all([
    startDev({ ...options, pageFolder: PAGE }),
    openBrowser(executable),
  ]);
  return {
    dev,
    open: async () => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 860 },
        colorScheme: 'light',
      });
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      // What the policy refuses is told here as well.
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(dev.server.address);
      await page.getByText('● live').waitFor();
      return {
        page,
        close: async () => {
          await context.close();
          return complaints;
        },
      };
    },
    close: async () => {
      await browser.close();
      await dev.close();
    },
  };
}

/** Takes a picture where somebody has asked for them. */
export async function takePicture(page: Page, name: string): Promise<void> {
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

/** Nothing that axe finds, and nothing that makes a person scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  // By the debugger, as the policy of the page lets no other script in.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))])).toEqual([]);
  const width = page.viewportSize()?.width ?? 0;
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type StartOptions, startDev, type TestDev } from '../dev/start-dev.js';
import { findBrowser, openBrowser, untilInstalled } from './open-browser.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = path.join(ROOT, 'dist/page');
const AXE = path.join(ROOT, 'node_modules/axe-core/axe.min.js');

/** Folder for screenshots. Default: none are taken. */
const SHOTS = process.env['IML_SHOTS'];

/** Maximum time until an element appears. */
export const WAIT_MS: number = Number(process.env['IML_TEST_WAIT_MS'] ?? 60_000);

/** A test waits for many elements, each of which can be slow on a busy machine. */
export const WHOLE_MS = 600_000;

/** Whether tests in a browser are left out: never in CI, where a suite that is left out would never run. */
export const hasNoBrowser: boolean = findBrowser() === undefined && process.env['CI'] === undefined;
if (hasNoBrowser) {
  console.warn(
    'No Chromium was found, so the page is not tested: apt-get install chromium, or IML_TEST_CHROMIUM=PATH.',
  );
}

/** A browser over a copy of the bookshop's app. */
export interface TestBrowser {
  readonly dev: TestDev;
  /** Opens the page, 1280 pixels wide, and waits until it is connected. */
  readonly open: (prepare?: (page: Page) => Promise<unknown>) => Promise<OpenPage>;
  readonly close: () => Promise<void>;
}

export interface OpenPage {
  readonly page: Page;
  /** Closes the page and returns its errors. */
  readonly close: () => Promise<readonly string[]>;
}

/** One for all files of a worker, which ends it with itself. */
let shared: Promise<Browser> | undefined;

function shareBrowser(executable: string): Promise<Browser> {
  shared ??= openBrowser(executable);
  return shared;
}

export async function startBrowser(options: Omit<StartOptions, 'pageFolder'> = {}): Promise<TestBrowser> {
  if (!existsSync(path.join(PAGE, 'index.html'))) throw new Error('The page is not built: npm run build.');
  await untilInstalled();
  const executable = findBrowser();
  if (executable === undefined) throw new Error('CI needs a Chromium: apt-get install chromium.');
  if (SHOTS !== undefined) mkdirSync(SHOTS, { recursive: true });
  const [dev, browser] = await Promise.all([
    startDev({ ...options, pageFolder: PAGE }),
    shareBrowser(executable),
  ]);
  return {
    dev,
    open: async (prepare) => {
      const context = await browser.newContext({
        viewport: DESK,
        colorScheme: 'light',
      });
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS);
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      // The console includes violations of the content security policy.
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await prepare?.(page);
      await page.goto(dev.server.address);
      await page.getByText('● live').waitFor();
      return {
        page,
        close: async () => {
          await context.close();
          return errors;
        },
      };
    },
    close: () => dev.close(),
  };
}

/** Takes a screenshot if `IML_SHOTS` is set. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  // Waits for lazily loaded content.
  await page.waitForTimeout(500);
  await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
}

const DESK = { width: 1280, height: 860 };
const PHONE = { width: 400, height: 800 };

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Nothing that axe finds, and nothing that makes a person scroll sideways, or the bar away. */
export async function expectAccessible(page: Page): Promise<void> {
  // Once a document. By the debugger, as the policy of the page lets no other script in.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))])).toEqual([]);
  const width = page.viewportSize()?.width ?? 0;
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  // The main part scrolls, the bar stays.
  const height = page.viewportSize()?.height ?? 0;
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(height);
}

/** Checks light on a desktop and dark on a phone. Screenshots show all four combinations. */
export async function expectAccessibleEverywhere(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  await takePicture(page, name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await takePicture(page, `${name}-dark`);
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await takePicture(page, `${name}-400-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await takePicture(page, `${name}-400`);
  await page.setViewportSize(DESK);
}

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Loopback, listen } from '../http/loopback.js';
import { findBrowser, openBrowser, untilInstalled } from './open-browser.js';
import { hasNoBrowser, WAIT_MS, WHOLE_MS } from './open-page.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SITE = path.join(ROOT, 'dist/site');
const PAGE = path.join(SITE, 'playground.html');
const THEME = path.join(ROOT, 'docs/.vitepress/theme');
const AXE = path.join(ROOT, 'node_modules/axe-core/axe.min.js');
const BASE = '/iml-runtime/';

/** VitePress writes inline scripts and styles. Nothing may compile code from text or load from other hosts. */
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Builds the site if it is absent or older than the playground. */
function buildSite(): void {
  const sources = [
    path.join(ROOT, 'docs/playground.md'),
    path.join(ROOT, 'src/language/functions/signatures.ts'),
    ...readdirSync(THEME).map((name) => path.join(THEME, name)),
  ];
  const builtMs = existsSync(PAGE) ? statSync(PAGE).mtimeMs : 0;
  if (sources.every((file) => statSync(file).mtimeMs < builtMs)) return;
  execFileSync('npm', ['run', '-s', 'site'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

function serveSite(): Promise<Loopback> {
  return listen(
    createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://site');
      const file = path.join(SITE, decodeURIComponent(pathname).slice(BASE.length));
      if (!pathname.startsWith(BASE) || !existsSync(file) || !statSync(file).isFile()) {
        response.writeHead(404).end();
        return;
      }
      const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY });
      response.end(readFileSync(file));
    }),
  );
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

// Needs Chromium (IML_TEST_CHROMIUM). CI fails if this test is skipped.
describe.skipIf(hasNoBrowser)('the playground of the site', { timeout: WHOLE_MS }, () => {
  let site: Loopback;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  const hosts = new Set<string>();

  beforeAll(async () => {
    buildSite();
    await untilInstalled();
    site = await serveSite();
    browser = await openBrowser(findBrowser() ?? '');
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  }, WHOLE_MS);

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const open = async (hash = ''): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${site.origin}${BASE}playground.html${hash}`);
    await page.getByRole('tablist').waitFor();
  };
  const hashOf = (values: Readonly<Record<string, string>>): string => `#${new URLSearchParams(values)}`;
  const text = (id: string): Promise<string | null> => page.getByTestId(id).first().textContent();

  it('shows value, type and parse tree of the template in the address', async () => {
    await open(hashOf({ template: '{{1 + user.age}}', context: '{"user": {"age": 2}}' }));
    expect(await text('value')).toBe('3');
    expect(await text('type')).toBe('number');
    expect(await text('tree')).toBe('operator +\n  number 1\n  member age\n    name user');
  });

  it('shows the message of an error, its line and its column', async () => {
    await open(hashOf({ template: 'a\n{{uper("x")}}' }));
    expect(await text('message')).toContain("Function 'uper' not found!");
    expect(await text('message')).toContain('upper');
    expect(await text('place')).toBe('At line 2, column 3.');
  });

  it('applies semantics', async () => {
    const values = { template: '{{1 = "1"}}', context: '{}' };
    await open(hashOf(values));
    expect(await text('value')).toBe('true');
    await open(hashOf({ ...values, semantics: 'documented' }));
    expect(await text('value')).toBe('false');
  });

  it('shows the bundles of a response up to the limit, and whether a page follows', async () => {
    const response = {
      limit: 2,
      iterate: { container: 'body.items', condition: '{{item > 1}}' },
      output: '{{item * 10}}',
    };
    const module = JSON.stringify({ response, pagination: { condition: '{{body.next}}' } });
    const show = async (body: object): Promise<readonly string[]> => {
      await open(hashOf({ tab: 'module', module, body: JSON.stringify(body) }));
      await page.getByTestId('paging').waitFor();
      return page.getByTestId('bundle').allTextContents();
    };
    expect(await show({ items: [1, 2, 3, 4] })).toEqual(['20', '30']);
    expect(await text('paging')).toBe('The limit is reached: the run ends.');
    expect(await show({ items: [1, 2], next: 'x' })).toEqual(['20']);
    expect(await text('paging')).toBe('The module requests the next page.');
    expect(await show({ items: [1, 2] })).toEqual(['20']);
    expect(await text('paging')).toBe('pagination.condition is false: the run ends.');
  });

  it('names the directive of a module that fails', async () => {
    const module = JSON.stringify({ response: { iterate: '{{body}}', output: { id: '{{first(item)}}' } } });
    await open(hashOf({ tab: 'module', module, body: '[1]' }));
    expect(await text('place')).toBe('At /response/output/id, line 1, column 3.');
  });

  it('opens an example of the function reference', async () => {
    await page.goto(`${site.origin}${BASE}functions/text.html`);
    await page.getByRole('link', { name: 'try' }).first().click();
    await page.getByTestId('value').waitFor();
    expect(await text('value')).toBe('"luouk"');
    expect(await page.locator('#playground-template').inputValue()).toBe('{{ascii("Žluťoučký")}}');
  });

  it('is used with the keyboard alone, and the address follows the inputs', async () => {
    await open();
    await page.getByTestId('value').waitFor();
    const focus = (): Promise<string> => page.evaluate<string>('document.activeElement.id');
    for (let presses = 0; presses < 80 && (await focus()) !== 'tab-template'; presses++) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('ArrowRight');
    expect(await focus()).toBe('tab-module');
    await page.getByTestId('bundle').first().waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Tab');
    expect(await focus()).toBe('playground-template');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('{{1 + 1}}');
    await expect.poll(() => text('value')).toBe('2');
    const { hash } = new URL(page.url());
    expect(new URLSearchParams(hash.slice(1)).get('template')).toBe('{{1 + 1}}');
  });

  it.each([
    ['a value', {}],
    ['an error', { template: '{{1 +}}' }],
    ['bundles', { tab: 'module' }],
  ])(
    'has no violation of axe and no sideways scrolling with %s, at 1280 and 400 pixels',
    async (_, values) => {
      for (const width of [1280, 400]) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await open(hashOf(values));
          await page.locator('.results h2').first().waitFor();
          await page.evaluate(readFileSync(AXE, 'utf8'));
          const { violations } = await page.evaluate<AxeResults>(
            "axe.run('.playground', { resultTypes: ['violations'] })",
          );
          expect(
            violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]),
          ).toEqual([]);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
            width,
          );
        }
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    },
  );

  it('is readable without JavaScript and says what it needs', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${site.origin}${BASE}playground.html`);
    expect(await plain.locator('body').innerText()).toContain('The playground needs JavaScript.');
    await context.close();
  });

  it('loads nothing from other hosts and breaks no policy', () => {
    expect([...hosts].filter((origin) => origin !== 'null')).toEqual([site.origin]);
    expect(errors).toEqual([]);
  });
});

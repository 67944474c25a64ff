import { accessSync, constants, existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';

/** Usual paths of Chromium. The variable names another one. */
const PLACES = [
  process.env['IML_TEST_CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The browser the tests of the page run in; undefined where this machine has none. */
export function findBrowser(): string | undefined {
  return PLACES.find((place) => {
    try {
      if (place === undefined || place === '') return false;
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Waits until the file of `IML_TEST_INSTALLING`, which exists while CI installs a browser, is deleted. */
export async function untilInstalled(): Promise<void> {
  const file = process.env['IML_TEST_INSTALLING'];
  while (file !== undefined && existsSync(file)) await setTimeout(200);
}

/** @param executablePath the result of `findBrowser` */
export function openBrowser(executablePath: string): Promise<Browser> {
  // Containers rarely permit the sandbox of the browser. The opened pages are trusted.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  });
}

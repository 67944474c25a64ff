import { accessSync, constants, existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and others put it; a variable names any other. */
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

/** Waits while somebody installs a browser: as long as the file is there that `IML_TEST_INSTALLING` names. */
export async function untilInstalled(): Promise<void> {
  const file = process.env['IML_TEST_INSTALLING'];
  while (file !== undefined && existsSync(file)) await setTimeout(200);
}

/** @param executablePath what `findBrowser` found */
export function openBrowser(executablePath: string): Promise<Browser> {
  // The sandbox of the browser needs what a container seldom allows; what it opens here is ours.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  });
}

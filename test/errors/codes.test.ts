import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EngineError, ERROR_CODES, formatLocation } from '../../src/index.js';
import { sourceFiles } from '../structure/source-imports.js';
import { APPS } from './cases/apps.js';
import type { ErrorCase } from './cases/error-case.js';
import { HOSTS } from './cases/hosts.js';
import { LANGUAGE } from './cases/language.js';
import { NETWORK } from './cases/network.js';
import { REST } from './cases/rest.js';
import { STORES } from './cases/stores.js';
import { WEBHOOKS } from './cases/webhooks.js';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

/** Causes every public code: `docs/errors.md` is generated from this table. */
const CASES: readonly ErrorCase[] = [
  ...LANGUAGE,
  ...APPS,
  ...NETWORK,
  ...REST,
  ...WEBHOOKS,
  ...STORES,
  ...HOSTS,
];

async function provoke(known: ErrorCase): Promise<EngineError> {
  try {
    await known.provoke();
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

/** Our code, the code of Node.js, or the name of the error. */
function nameCause({ cause }: EngineError): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

/** The printed template, up to a length; empty for a template outside of an app. */
function describePlace({ place }: EngineError): string | undefined {
  const printed = place && formatLocation(place);
  if (printed === undefined || printed === '#') return undefined;
  return printed.length > 80 ? `${printed.slice(0, 19)}...` : printed;
}

/** The error without parts that differ between machines and runs. */
function describeError(error: EngineError): string {
  const folder = /(?:[/][\w.-]+)+[/](?=no-such-folder|data\.sqlite)/g;
  const message = error.message.replace(folder, '').replace(/127\.0\.0\.1:\d{4,}/g, '127.0.0.1:8080');
  const detail = 'detail' in error && error.detail !== undefined ? ` (${error.detail})` : '';
  const at = describePlace(error);
  const place = at === undefined ? '' : ` At \`${at}\`.`;
  const cause = nameCause(error);
  const said = `${message}${detail}`.replace(/[^.]$/, '$&.');
  return `${said}${place}${cause === undefined ? '' : ` Cause: ${cause}.`}`;
}

describe('every error code', () => {
  it('is thrown somewhere', async () => {
    const files = sourceFiles.filter((file) => file !== 'shared/errors/codes.ts');
    const source = (await Promise.all(files.map((file) => readFile(SOURCE + file, 'utf8')))).join('\n');
    expect(Object.keys(ERROR_CODES).filter((code) => !source.includes(`'${code}'`))).toEqual([]);
  });

  it('is thrown by a case of the table', () => {
    const provoked = new Set<string>(CASES.map(({ code }) => code));
    expect(Object.keys(ERROR_CODES).filter((code) => !provoked.has(code))).toEqual([]);
  });

  it('is listed in docs/errors.md with its cause', async () => {
    const parts: string[] = [];
    for (const [code, meaning] of Object.entries(ERROR_CODES)) {
      parts.push(`## ${code}\n\n${meaning}\n`);
      for (const known of CASES.filter((one) => one.code === code)) {
        parts.push(`- ${known.title}: ${describeError(await provoke(known))}\n`);
      }
    }
    const page = `# Errors\n\nEvery error has a stable \`code\`. Compare it rather than the message, which may change in any version.\n\n${parts.join('\n')}`;
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });
});

describe('the error code', () => {
  it.each(CASES)('of $title is $code', async (known) => {
    const error = await provoke(known);
    expect(error.code).toBe(known.code);
    expect(error.message).not.toBe('');
    expect(describePlace(error)).toBe(known.place);
    expect(nameCause(error)).toBe(known.cause);
  });
});

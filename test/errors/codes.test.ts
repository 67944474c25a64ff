import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import { loadApp } from '../../src/app/loading/load-app.js';
import { ERROR_CODES, type ErrorCode } from '../../src/errors/codes.js';
import { EngineError } from '../../src/errors/engine-error.js';
import { evaluate } from '../../src/iml/compile.js';
import { engineOf, respond } from '../run/helpers.js';
import { sourceFiles } from '../structure/source-imports.js';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const MISSING_FOLDER = fileURLToPath(new URL('./no-such-folder', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The error of a run against a transport that fails, or is answered so that something fails. */
const runFailure = async (communication: unknown): Promise<unknown> => {
  const transport = async () => respond({ status: 404, json: {} });
  const report = await engineOf(communication, { transport }).run();
  throw report.error;
};

const networked = async (url: string): Promise<unknown> => {
  const app = defineApp({ name: 'test', modules: { m: { type: 'action', communication: { url } } } });
  await using engine = createEngine({ app, limits: { timeoutMs: 5000 } });
  const report = await engine.module('m').run();
  throw report.error?.cause;
};

interface Case {
  readonly code: ErrorCode;
  readonly title: string;
  readonly provoke: () => unknown;
  /** JSON pointer of its place, where it has one. */
  readonly pointer?: string;
  /** Code of its cause, where it has one of ours. */
  readonly cause?: ErrorCode;
}

const CASES: readonly Case[] = [
  { code: 'IML_SYNTAX', title: '`{{1 +}}`', provoke: () => evaluate('{{1 +}}', {}) },
  { code: 'IML_UNTERMINATED_EXPRESSION', title: '`{{a`', provoke: () => evaluate('{{a', {}) },
  { code: 'IML_UNTERMINATED_STRING', title: '`{{"a}}`', provoke: () => evaluate('{{"a}}', {}) },
  {
    code: 'IML_UNKNOWN_FUNCTION',
    title: '`{{formatdate(now)}}`',
    provoke: () => evaluate('{{formatdate(now)}}', {}),
  },
  {
    code: 'IML_FUNCTION',
    title: '`{{parseDate(a)}}` of a collection',
    provoke: () => evaluate('{{parseDate(a)}}', { a: {} }),
  },
  {
    code: 'SPEC_MISSING',
    title: '`loadApp` of a folder that is not there',
    provoke: () => loadApp(MISSING_FOLDER),
  },
  {
    code: 'SPEC_MISSING',
    title: 'a module the app does not have',
    provoke: () => createEngine({ app: defineApp({ name: 'test' }) }).module('m'),
  },
  {
    code: 'APP_ERROR',
    title: 'a response of status 404',
    provoke: () => runFailure({ url: '/x' }),
    pointer: '/modules/m/communication/url',
  },
  {
    code: 'APP_ERROR',
    title: 'an expression that fails',
    provoke: () => runFailure({ url: '/{{nope(1)}}' }),
    pointer: '/modules/m/communication/url',
    cause: 'IML_UNKNOWN_FUNCTION',
  },
  {
    code: 'APP_ERROR',
    title: 'a header that cannot be sent',
    provoke: () => runFailure({ url: '/x', headers: { 'x y': '1' } }),
    pointer: '/modules/m/communication/headers/x y',
    cause: 'REQUEST_INVALID',
  },
  {
    code: 'NETWORK_REFUSED',
    title: 'an address of the own machine',
    provoke: () => networked('http://127.0.0.1:9/'),
  },
  {
    code: 'USAGE',
    title: 'a limit that is none',
    provoke: () => createEngine({ app: defineApp({ name: 'test' }), limits: { maxPages: -1 } }),
  },
];

async function caught(provoke: () => unknown): Promise<EngineError> {
  try {
    await provoke();
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

describe('every code', () => {
  it('is thrown somewhere', async () => {
    const files = sourceFiles.filter((file) => file !== 'errors/codes.ts');
    const source = (await Promise.all(files.map((file) => readFile(SOURCE + file, 'utf8')))).join('\n');
    expect(Object.keys(ERROR_CODES).filter((code) => !source.includes(`'${code}'`))).toEqual([]);
  });

  it('is a row of docs/errors.md, with an example where one is easily had', async () => {
    const rows: string[] = [];
    for (const [code, meaning] of Object.entries(ERROR_CODES)) {
      rows.push(`## ${code}\n\n${meaning}\n`);
      for (const { title, provoke } of CASES.filter((known) => known.code === code)) {
        const { message } = await caught(provoke);
        rows.push(`- ${title}: ${message.replaceAll(REPOSITORY, '')}\n`);
      }
    }
    const page = `# Errors\n\nEvery error has a stable \`code\`. This page is made by \`test/errors/codes.test.ts\`; \`npx vitest run -u\` on that file\nwrites it anew.\n\n${rows.join('\n')}`;
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });
});

describe('an error', () => {
  it.each(CASES)('of $title is $code', async ({ code, provoke, pointer, cause }) => {
    const error = await caught(provoke);
    expect(error.code).toBe(code);
    expect(error.message).not.toBe('');
    if (pointer !== undefined) expect(error.place?.pointer).toBe(pointer);
    const inner = error.cause instanceof EngineError ? error.cause.code : undefined;
    if (cause !== undefined) expect(inner).toBe(cause);
  });
});

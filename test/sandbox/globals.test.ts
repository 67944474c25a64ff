import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createEngine, defineApp } from '../../src/index.js';
import { checkApp } from '../../src/tools/check/check-app.js';

const PAGE = readFileSync(path.join(import.meta.dirname, '../../docs/app-files.md'), 'utf8');
const SECTION = PAGE.slice(PAGE.indexOf('### Globals of custom functions'));
/** First column of the table; the text names `import` only in the second. */
const MISSING = [...SECTION.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
);

function appOf(code: string): ReturnType<typeof defineApp> {
  const output = '{{check()}}';
  return defineApp({
    name: 'globals',
    functions: { check: { code } },
    modules: { get: { type: 'universal', communication: { response: { output } } } },
  });
}

async function call(body: string): Promise<unknown> {
  const engine = createEngine({ app: appOf(`function check() { ${body} }`), timezone: 'Europe/Prague' });
  const { bundles, error } = await engine.module('get').run();
  await engine.close();
  return bundles?.[0] ?? error?.message;
}

it('has none of the globals that docs/app-files.md lists as missing', async () => {
  expect(MISSING.length).toBeGreaterThan(15);
  expect(
    await call(
      `return { found: [${MISSING.map((name) => `typeof ${name}`)}].filter((is) => is !== 'undefined') }`,
    ),
  ).toEqual({ found: [] });
});

it('has the globals that docs/app-files.md names', async () => {
  const names = [
    'JSON',
    'Math',
    'Date',
    'RegExp',
    'Map',
    'BigInt',
    'Buffer',
    'console',
    'debug',
    'environment',
    'iml',
    'Promise',
  ];
  const found = `[${names.map((name) => `typeof ${name}`)}].includes('undefined')`;
  expect(await call(`return { isMissing: ${found} }`)).toEqual({ isMissing: false });
});

it('ignores the language of toLocaleString', async () => {
  expect(await call("return { text: (1234.5).toLocaleString('de-DE') }")).toEqual({ text: '1234.5' });
});

it('is reported by the rule function-code for each missing global', async () => {
  const code = `function check() {\n${MISSING.map((name) => `${name}();\n`).join('')}return 1;\n}`;
  const found = (await checkApp(appOf(code))).filter(({ rule }) => rule === 'function-code');
  expect(found.map(({ place }) => place.line)).toEqual(MISSING.map((_, index) => index + 2));
});

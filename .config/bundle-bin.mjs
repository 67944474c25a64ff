// Bundles the command and its packages, except those of dist/packages, so that a process loads few files.
// Usage: `node .config/bundle-bin.mjs [FOLDER]`. Default: dist/bin.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { FOR_NODE, inLayers, packaged, REQUIRE, ROOT, saxes, writePackages } from './bundling.mjs';

/** Packages with native code or files of their own, and optional packages. */
const EXTERNAL = [
  'libsql',
  '@jitl/quickjs-wasmfile-release-sync',
  'pg',
  'pg-boss',
  '@opentelemetry/api',
  'iml-runtime',
];

/** Replacements of packages by the parts that the command uses. */
const SUBSTITUTES = {
  // The fallback of `loadUndici`: the dispatcher without fetch, WebSocket, caches and mocks.
  undici: `export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';`,
};

/** Files of packages that are loaded on first use, because they are slow to load and rarely needed. */
const LATE = {
  // The engine does not enable HTTP/2.
  './client-h2.js':
    "let loaded; module.exports = (...args) => (loaded ??= require('undici/lib/dispatcher/client-h2.js'))(...args);",
  // Compiles large regular expressions. Only tables need it.
  'string-width':
    "let loaded; export default (...args) => (loaded ??= require('string-width').default)(...args);",
  // Most commands need only the schema of cases, which is compiled at build time (see `CASE_CHECK`).
  'ajv/dist/2020.js': `export function Ajv2020(...args) { return new (require('ajv/dist/2020.js').Ajv2020)(...args); }
export const _ = (...args) => require('ajv/dist/2020.js')._(...args);`,
};

const late = {
  name: 'late',
  setup(bundler) {
    const names = new RegExp(`^(?:${Object.keys(LATE).join('|')})$`);
    bundler.onResolve({ filter: names }, ({ path: name, namespace }) =>
      namespace === 'late' ? undefined : { path: name, namespace: 'late' },
    );
    bundler.onLoad({ filter: /.*/, namespace: 'late' }, ({ path: name }) => ({
      contents: LATE[name],
      resolveDir: ROOT,
    }));
  },
};

const substitutes = {
  name: 'substitutes',
  setup(bundler) {
    const names = new RegExp(`^(?:${Object.keys(SUBSTITUTES).join('|')})$`);
    bundler.onResolve({ filter: names }, ({ path: name, namespace }) =>
      namespace === 'substitute' ? { path: name, external: true } : { path: name, namespace: 'substitute' },
    );
    bundler.onLoad({ filter: /.*/, namespace: 'substitute' }, ({ path: name }) => ({
      contents: SUBSTITUTES[name],
      resolveDir: ROOT,
    }));
  },
};

/** The module that compiles the schema of cases. The bundle contains the compiled schema instead. */
const CASE_CHECK = /\/src\/tools\/testing\/cases\/check-case-shape\.ts$/;

let isCaseCheckReplaced = false;

const compiledCaseCheck = {
  name: 'compiled case check',
  setup(bundler) {
    bundler.onLoad({ filter: CASE_CHECK }, () => {
      isCaseCheckReplaced = true;
      return {
        contents: `import validate from 'case-check'; import { toCheck } from '../../../shared/schema/schema-check.js';
export const checkCaseShape = toCheck(validate);`,
        loader: 'ts',
      };
    });
    bundler.onResolve({ filter: /^case-check$/ }, () => ({ path: 'case-check', namespace: 'case-check' }));
    bundler.onLoad({ filter: /.*/, namespace: 'case-check' }, async () => ({
      contents: await writeCaseCheck(),
      resolveDir: ROOT,
    }));
  },
};

/** Returns the compiled schema of cases as the source of a module. */
async function writeCaseCheck() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: {
      contents: `import { writeCheck } from './src/shared/schema/write-check.ts';
import { CASE_SCHEMA } from './src/tools/testing/cases/case-shape.ts';
export const code = writeCheck(CASE_SCHEMA, './src/shared/schema/formats.ts');`,
      resolveDir: ROOT,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const [{ contents }] = outputFiles;
  const { code } = await import(`data:text/javascript;base64,${Buffer.from(contents).toString('base64')}`);
  return code;
}

/** Each layer builds on the previous one; see `inLayers`. */
const LAYERS = [
  {
    base: 'src/tools/cli/run-cli.ts',
    entries: ['src/tools/cli/commands/eval.ts', 'src/tools/cli/commands/lsp.ts'],
  },
  {
    base: 'src/tools/cli/commands/eval.ts',
    entries: ['src/tools/cli/commands/info.ts'],
  },
  {
    base: 'src/tools/cli/commands/info.ts',
    entries: [
      'src/tools/cli/commands/check.ts',
      'src/tools/cli/output/print-error.ts',
      'src/engine/sandbox/create-sandbox.ts',
      'src/engine/sandbox/trusted-functions.ts',
    ],
  },
  {
    base: 'src/tools/cli/commands/check.ts',
    entries: ['src/tools/cli/commands/run.ts'],
  },
  {
    base: 'src/tools/cli/commands/run.ts',
    entries: [
      ...[
        'bench',
        'connect',
        'connections',
        'dev',
        'diff',
        'epoch',
        'events',
        'infer',
        'init',
        'rest',
        'rpc',
      ].map((name) => `src/tools/cli/commands/${name}.ts`),
      ...['scenarios', 'schemas', 'serve', 'test', 'webhook'].map(
        (name) => `src/tools/cli/commands/${name}.ts`,
      ),
      'src/tools/check/check-run.ts',
      'src/tools/cli/recording/recorder.ts',
      'src/tools/cli/tests/live-tests.ts',
      'src/tools/cli/tests/record-cases.ts',
      'src/tools/cli/tests/service-access.ts',
      'src/tools/lsp/serve-lsp.ts',
    ],
  },
];

/** Bundles the command into a folder. Empties the folder first. */
export async function bundleBin(folder) {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...FOR_NODE,
    entryPoints: { iml: 'src/tools/cli/bin.ts' },
    outdir: folder,
    // esbuild cannot resolve the imports of UMD files.
    mainFields: ['module', 'main'],
    external: EXTERNAL,
    plugins: [substitutes, late, compiledCaseCheck, packaged(folder), saxes, inLayers(LAYERS)],
    banner: REQUIRE,
  });
  if (!isCaseCheckReplaced) throw new Error(`No file matches ${CASE_CHECK}.`);
  writePackages(folder, metafile);
  dropForeignMaps(folder);
  return metafile;
}

/** Deletes source maps that contain only packages. Stack traces need those of our source. */
function dropForeignMaps(folder) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js.map'))) {
    const map = path.join(folder, name);
    const { sources } = JSON.parse(readFileSync(map, 'utf8'));
    if (sources.some((source) => source.startsWith('../../src/'))) continue;
    rmSync(map);
    const file = map.slice(0, -'.map'.length);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
  }
}

if (process.argv[1] === import.meta.filename) {
  await bundleBin(path.resolve(process.argv[2] ?? path.join(ROOT, 'dist/bin')));
}

// Bundles the command: `iml --version` loads two files instead of hundreds, and each command its own part.
// The library is not bundled. `node .config/bundle-bin.mjs [FOLDER]`, by default dist/bin.

import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Not in the bundle: what holds code for one machine, finds its own files, or is the user's choice to install. */
const EXTERNAL = ['libsql', '@jitl/quickjs-wasmfile-release-sync', 'pg', '@opentelemetry/api', 'iml-runtime'];

/** What stands in the place of a package: less of it. */
const SUBSTITUTES = {
  // The dispatcher alone: fetch, web sockets, caches and mocks are half of the package.
  undici: `export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';`,
};

/** Files of packages that another file asks for too early: what they need takes long to load, and few runs get there. */
const LATE = {
  // HTTP/2 is spoken where it is allowed, which it is not.
  './client-h2.js':
    "let loaded; module.exports = (...args) => (loaded ??= require('undici/lib/dispatcher/client-h2.js'))(...args);",
  // The schema of cases is compiled below, and few commands have another one.
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

/**
 * What the library loads at first use, as a file more costs it less than what nobody uses. Here it is the other way round: nearly
 * every command loads an app, and a piece of its own costs more than what is in it.
 */
const AT_ONCE =
  /\/src\/(?:app\/(?:engine\/(?:create-engine|engine-components|load-builtins)|loading\/load-app)|component\/(?:begin-run|start-run)|connection\/connection|iml\/functions\/panels|parameters\/check\/validate-parameters|trigger\/run-trigger|webhook\/create-webhook)\.ts$/;

const atOnce = {
  name: 'at once',
  setup(bundler) {
    bundler.onLoad({ filter: AT_ONCE }, ({ path: file }) => {
      const imports = [];
      const text = readFileSync(file, 'utf8').replace(/(?<!typeof )\bimport\(('[^']+')\)/g, (_, from) => {
        imports.push(`import * as loaded${imports.length} from ${from};`);
        return `Promise.resolve(loaded${imports.length - 1})`;
      });
      if (imports.length === 0) throw new Error(`${file} loads nothing at first use any more.`);
      return { contents: `${imports.join(' ')} ${text}`, loader: 'ts' };
    });
  },
};

const substitutes = {
  name: 'substitutes',
  setup(bundler) {
    const names = new RegExp(`^(?:${Object.keys(SUBSTITUTES).join('|')})$`);
    bundler.onResolve({ filter: names }, ({ path: name, namespace }) =>
      namespace === 'substitute' ? { path: name, external: true } : { path: name, namespace: 'substitute' },
    );
    // In a bundle one import gets it, whichever files it is made of.
    bundler.onLoad({ filter: /\/http\/transport\/load-undici\.ts$/ }, () => ({
      contents: "export const loadUndici = () => import('undici');",
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'substitute' }, ({ path: name }) => ({
      contents: SUBSTITUTES[name],
      resolveDir: ROOT,
    }));
  },
};

/** What the module of the case schema is in a bundle: to compile it took a process a third of the time of `iml test`. */
const READY = /\/src\/testing\/cases\/check-case-shape\.ts$/;

const ready = {
  name: 'ready',
  setup(bundler) {
    bundler.onLoad({ filter: READY }, () => ({
      contents: `import validate from 'case-check'; import { toCheck } from '../../schema/schema-check.js';
export const checkCaseShape = toCheck(validate);`,
      loader: 'ts',
    }));
    bundler.onResolve({ filter: /^case-check$/ }, () => ({ path: 'case-check', namespace: 'ready' }));
    bundler.onLoad({ filter: /.*/, namespace: 'ready' }, async () => ({
      contents: await writeCaseCheck(),
      resolveDir: ROOT,
    }));
  },
};

/** The check of the schema of cases as a module. */
async function writeCaseCheck() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: {
      contents: `import { writeCheck } from './src/schema/write-check.ts';
import { CASE_SCHEMA } from './src/testing/cases/case-shape.ts';
export const code = writeCheck(CASE_SCHEMA, './src/schema/formats.ts');`,
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

/**
 * Each file of a bundle costs a command about a millisecond, and files are split wherever two entries do not need the
 * same. So entries stand on layers: whoever needs most of what a layer holds takes all of it, and it comes in one piece.
 * What an entry holds by itself is the next piece. A layer stands on the one above it here.
 */
const LAYERS = [
  {
    base: 'src/cli/run-cli.ts',
    shared: 'runCli',
    entries: ['src/cli/commands/info.ts', 'src/cli/commands/lsp.ts'],
  },
  {
    base: 'src/cli/commands/info.ts',
    shared: 'INFO_COMMAND',
    entries: [
      'src/cli/commands/check.ts',
      'src/cli/commands/eval.ts',
      'src/cli/output/print-error.ts',
      'src/sandbox/create-sandbox.ts',
      'src/sandbox/trusted-functions.ts',
    ],
  },
  {
    base: 'src/cli/commands/check.ts',
    shared: 'CHECK_COMMAND',
    entries: ['src/cli/commands/run.ts'],
  },
  {
    base: 'src/cli/commands/run.ts',
    shared: 'RUN_COMMAND',
    entries: [
      ...['connect', 'connections', 'dev', 'epoch', 'events', 'init', 'rest', 'rpc'].map(
        (name) => `src/cli/commands/${name}.ts`,
      ),
      ...['scenarios', 'schemas', 'serve', 'test', 'webhook'].map((name) => `src/cli/commands/${name}.ts`),
      'src/check/check-run.ts',
      'src/cli/recording/recorder.ts',
      'src/cli/tests/live-tests.ts',
      'src/cli/tests/record-cases.ts',
      'src/cli/tests/service-access.ts',
      'src/lsp/serve-lsp.ts',
      'src/run/paging/look-ahead.ts',
    ],
  },
];

const layers = {
  name: 'layers',
  setup(bundler) {
    const below = new Map(
      LAYERS.flatMap(({ base, shared, entries }) =>
        entries.map((file) => [realpathSync(path.join(ROOT, file)), { base: path.join(ROOT, base), shared }]),
      ),
    );
    bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) => {
      const layer = below.get(file);
      if (layer === undefined) return undefined;
      const stand = `export { ${layer.shared} as shared } from ${JSON.stringify(layer.base)};`;
      return { contents: `${stand} ${readFileSync(file, 'utf8')}`, loader: 'ts' };
    });
  },
};

/** Bundles the command into a folder, which is emptied first. */
export async function bundleBin(folder) {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { iml: 'src/cli/bin.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // The UMD files that some packages have beside their modules hide what they ask for.
    mainFields: ['module', 'main'],
    minifySyntax: true,
    // Names stay: they are what a stack trace has.
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    external: EXTERNAL,
    plugins: [substitutes, atOnce, late, ready, layers],
    metafile: true,
    logLevel: 'warning',
    // Packages in CommonJS ask for modules of Node.
    banner: {
      js: "import{createRequire as __iml_require}from'node:module';const require=__iml_require(import.meta.url);",
    },
  });
  writeFileSync(path.join(folder, 'LICENSES.txt'), licensesOf(metafile));
  return metafile;
}

/** The licences of the packages in the bundle, as they ask for. */
export function licensesOf({ inputs }) {
  const packages = new Set(
    Object.keys(inputs).flatMap((file) => {
      const match = /(?:^|:)(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
      return match?.[1] === undefined ? [] : [match[1]];
    }),
  );
  return [...packages]
    .sort()
    .map((folder) => {
      const root = path.join(ROOT, folder);
      const { name, version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
      const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : readFileSync(path.join(root, file), 'utf8').trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] === import.meta.filename) {
  await bundleBin(path.resolve(process.argv[2] ?? path.join(ROOT, 'dist/bin')));
}

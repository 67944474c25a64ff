// Bundles the command, with its packages but those of dist/packages: `iml --version` loads two files instead of hundreds, and each command its own part.
// The library's bundle leaves packages out: `bundle-node.mjs`. `node .config/bundle-bin.mjs [FOLDER]`, by default dist/bin.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { AT_ONCE, FOR_NODE, inLayers, packaged, REQUIRE, ROOT, saxes } from './bundling.mjs';

/** Not in the bundle: what holds code for one machine, finds its own files, or is the user's choice to install. */
const EXTERNAL = [
  'libsql',
  'piscina',
  '@jitl/quickjs-wasmfile-release-sync',
  'pg',
  'pg-boss',
  '@opentelemetry/api',
  'iml-runtime',
];

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

/** A layer stands on the one above it here; see `inLayers`. */
const LAYERS = [
  {
    base: 'src/tools/cli/run-cli.ts',
    entries: ['src/tools/cli/commands/info.ts', 'src/tools/cli/commands/lsp.ts'],
  },
  {
    base: 'src/tools/cli/commands/info.ts',
    entries: [
      'src/tools/cli/commands/check.ts',
      'src/tools/cli/commands/eval.ts',
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
      ...['connect', 'connections', 'dev', 'diff', 'epoch', 'events', 'init', 'rest', 'rpc'].map(
        (name) => `src/tools/cli/commands/${name}.ts`,
      ),
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

/** Bundles the command into a folder, which is emptied first. */
export async function bundleBin(folder) {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...FOR_NODE,
    entryPoints: { iml: 'src/tools/cli/bin.ts' },
    outdir: folder,
    // The UMD files that some packages have beside their modules hide what they ask for.
    mainFields: ['module', 'main'],
    external: EXTERNAL,
    plugins: [
      substitutes,
      late,
      ready,
      packaged(folder),
      saxes,
      inLayers(LAYERS, [...AT_ONCE, 'engine/loading/load-app']),
    ],
    banner: REQUIRE,
  });
  writeFileSync(path.join(folder, 'LICENSES.txt'), licensesOf(metafile));
  dropForeignMaps(folder);
  return metafile;
}

/** Source maps are for stack traces that name our source; those of packages alone take a third of the space. */
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

// Bundles the entries of the library (dist/node) and packages that it uses (dist/packages), so that a process loads few
// files.
// Usage: `node .config/bundle-node.mjs [FOLDER]`. Default: dist.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { FOR_NODE, inLayers, PACKAGED, packaged, REQUIRE, ROOT, saxes, writePackages } from './bundling.mjs';

/** The entries of the package. One bundle for all, so that they share code and error classes. */
const ENTRIES = {
  index: 'src/index.ts',
  iml: 'src/language/index.ts',
  rest: 'src/rest/index.ts',
  parameters: 'src/engine/parameters/index.ts',
  scenario: 'src/scenario/index.ts',
  host: 'src/host/index.ts',
  testing: 'src/tools/testing/index.ts',
  // Entry of worker threads.
  'pool-worker': 'src/engine/pool/pool-worker.ts',
  // Entry of the workers of a host.
  'host-worker': 'src/host/host-worker.ts',
  // Entry of the worker of `iml dev`.
  'dev-worker': 'src/tools/dev/runs/dev-worker.ts',
  // Process of the mock service of `iml bench`.
  'bench-service': 'src/tools/testing/bench/mock-server.ts',
  conformance: 'src/tools/testing/conformance/main.ts',
  // The targets of `#moment` in package.json.
  'moment-at-first-use': 'src/language/date/moment-at-first-use.ts',
  'moment-at-once': 'src/language/date/moment-at-once.ts',
};

/** Scenarios, hosts and tests load the engine. The language and the REST API do not. */
const LAYERS = [
  { base: ENTRIES.iml, entries: [ENTRIES.index] },
  {
    base: ENTRIES.index,
    entries: [
      ENTRIES.scenario,
      ENTRIES['pool-worker'],
      // Not needed for apps from `defineApp`.
      'src/engine/loading/read-app.ts',
      'src/engine/sandbox/create-sandbox.ts',
      'src/engine/sandbox/trusted-functions.ts',
    ],
  },
  { base: ENTRIES.scenario, entries: [ENTRIES.host, 'src/scenario/redact-failure.ts'] },
  {
    base: ENTRIES.host,
    entries: [
      ENTRIES.testing,
      ENTRIES['host-worker'],
      'src/host/events/rejected-request.ts',
      'src/host/hooks/hook-secrets.ts',
    ],
  },
  // Small shared files join the layer of their other users.
  { base: 'src/shared/clock.ts', entries: [ENTRIES.iml] },
  { base: 'src/engine/sandbox/load-functions.ts', entries: [ENTRIES.index] },
];

/** Bundles the library into a folder. Empties the folder first. */
async function bundleLibrary(folder) {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...FOR_NODE,
    outdir: folder,
    packages: 'external',
    // `imports` of package.json selects its file. Only Node.js can load time zones on first use.
    external: ['#moment'],
    entryPoints: ENTRIES,
    plugins: [packaged(folder), saxes, inLayers(LAYERS)],
  });
  return metafile;
}

async function bundlePackages(folder) {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...FOR_NODE,
    outdir: folder,
    entryPoints: Object.keys(PACKAGED),
    mainFields: ['module', 'main'],
    sourcemap: false,
    minify: true,
    banner: REQUIRE,
    plugins: [
      {
        name: 'entries',
        setup(bundler) {
          bundler.onResolve({ filter: /./ }, ({ path: name, kind }) =>
            kind === 'entry-point' ? { path: name, namespace: 'entry' } : undefined,
          );
          bundler.onLoad({ filter: /./, namespace: 'entry' }, ({ path: name }) => ({
            contents: `export ${PACKAGED[name][1]} from '${PACKAGED[name][0]}';`,
            resolveDir: ROOT,
          }));
        },
      },
    ],
  });
  const { metafile: zones } = await build({
    ...FOR_NODE,
    splitting: false,
    format: 'cjs',
    outfile: path.join(folder, 'moment-timezone.cjs'),
    stdin: { contents: "module.exports = require('moment-timezone');", resolveDir: ROOT },
    sourcemap: false,
    minify: true,
    // webpack takes the AMD branch of UMD files, and requires locales that the package does not contain.
    define: { define: 'undefined' },
    plugins: [withoutLocales],
  });
  return { inputs: { ...metafile.inputs, ...zones.inputs } };
}

/** moment requires the files of its locales by computed names, which bundlers cannot resolve. */
const withoutLocales = {
  name: 'without locales',
  setup(bundler) {
    bundler.onLoad({ filter: /\/moment\/(?:min\/)?moment\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8');
      const changed = text.replace(
        "aliasedRequire('./locale/' + normalizedName);",
        "throw new Error('No locales.');",
      );
      if (changed === text) throw new Error(`${file} no longer loads locales as expected.`);
      return { contents: changed, loader: 'js' };
    });
  },
};

const dist = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist'));
const metafiles = [
  await bundleLibrary(path.join(dist, 'node')),
  await bundlePackages(path.join(dist, 'packages')),
];
const inputs = Object.assign({}, ...metafiles.map((metafile) => metafile.inputs));
writePackages(path.join(dist, 'packages'), { inputs });

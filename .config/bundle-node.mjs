// Bundles the entries of the library for Node, which loads each in a few files instead of hundreds. Their packages stay where
// they are, for their users to update. `node .config/bundle-node.mjs [FOLDER]`, by default dist/node.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { AT_ONCE, FOR_NODE, inLayers, ROOT } from './bundling.mjs';

/** The entries of the package; all in one bundle, so that what they share is there once. */
const ENTRIES = {
  index: 'src/index.ts',
  iml: 'src/iml/index.ts',
  rest: 'src/rest/index.ts',
  scenario: 'src/scenario/index.ts',
  host: 'src/host/index.ts',
  testing: 'src/testing/index.ts',
  // What worker threads start with: in the same bundle, so that errors are those of the other entries.
  'pool-worker': 'src/pool/pool-worker.ts',
  // What the workers of a host run.
  'host-worker': 'src/host/host-worker.ts',
  // What the worker of `iml dev` runs.
  'dev-worker': 'src/dev/runs/dev-worker.ts',
};

/** Whoever runs scenarios or a host, or tests, loads the engine as well. The language and the REST API stand alone. */
const LAYERS = [
  { base: ENTRIES.iml, entries: [ENTRIES.index] },
  {
    base: ENTRIES.index,
    entries: [
      ENTRIES.scenario,
      ENTRIES['pool-worker'],
      // Who defines an app reads no files, and needs no parser of JSON with comments.
      'src/app/loading/read-app.ts',
      'src/sandbox/create-sandbox.ts',
      'src/sandbox/trusted-functions.ts',
    ],
  },
  { base: ENTRIES.scenario, entries: [ENTRIES.host, 'src/scenario/flow/redact-failure.ts'] },
  {
    base: ENTRIES.host,
    entries: [
      ENTRIES.testing,
      ENTRIES['host-worker'],
      'src/host/events/rejected-request.ts',
      'src/host/hooks/hook-secrets.ts',
    ],
  },
  // Small things that entries share by chance go where others take them along.
  { base: 'src/util/clock.ts', entries: [ENTRIES.iml] },
  { base: 'src/sandbox/load-functions.ts', entries: [ENTRIES.index] },
];

/** Bundles the library into a folder, which is emptied first. */
async function bundleNode(folder) {
  rmSync(folder, { recursive: true, force: true });
  await build({
    ...FOR_NODE,
    outdir: folder,
    packages: 'external',
    // What Node finds by this name, whose file is not built yet where nothing is.
    alias: { '#moment': './src/iml/date/moment-at-first-use.ts' },
    entryPoints: ENTRIES,
    plugins: [inLayers(LAYERS, AT_ONCE)],
  });
}

await bundleNode(path.resolve(process.argv[2] ?? path.join(ROOT, 'dist/node')));

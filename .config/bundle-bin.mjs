// Bundles the command: `iml --version` loads two files instead of hundreds, and each command its own part.
// The library is not bundled. `node .config/bundle-bin.mjs [FOLDER]`, by default dist/bin.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Not in the bundle: what holds code for one machine, finds its own files, or is the user's choice to install. */
const EXTERNAL = ['libsql', '@jitl/quickjs-wasmfile-release-sync', 'pg', '@opentelemetry/api', 'iml-runtime'];

/** What stands in the place of a package: less of it, or the whole at first use. */
const SUBSTITUTES = {
  // The dispatcher alone: fetch, web sockets, caches and mocks are half of the package.
  undici: `export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';`,
  // Its data take longer to read than a short run, and few runs look a zone up: it stays outside and waits.
  'moment-timezone': `let moment;
export default { get tz() { moment ??= require('moment-timezone'); return moment.tz; } };`,
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
    plugins: [substitutes],
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

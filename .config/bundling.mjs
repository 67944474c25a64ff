// Shared by the bundles for Node.js: of the command (`bundle-bin.mjs`) and of the library (`bundle-node.mjs`).

import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(import.meta.dirname, '..');

/** Options of esbuild for the supported Node.js versions, with readable stack traces. */
export const FOR_NODE = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  // Identifiers stay readable in stack traces.
  minifyWhitespace: true,
  // Node.js prints the whole line of an uncaught error.
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  // `inLayers` adds bare imports. esbuild drops them but uses them to split files.
  logOverride: { 'ignored-bare-import': 'silent' },
};

/** CommonJS packages call `require` for built-in modules. */
export const REQUIRE = {
  js: "import{createRequire as __iml_require}from'node:module';const require=__iml_require(import.meta.url);",
};

/**
 * Reduces the number of files, each of which costs a process about a millisecond. esbuild splits files wherever two
 * entries need different modules. A layer is the file `base` with all its imports; its entries load all of it, in one
 * file.
 */
export function inLayers(layers) {
  const below = new Map();
  for (const { base, entries } of layers) {
    if (!existsSync(path.join(ROOT, base))) continue;
    const statement = `import ${JSON.stringify(resolveSource(base))}; `;
    for (const file of entries.map(resolveSource)) below.set(file, `${below.get(file) ?? ''}${statement}`);
  }
  return {
    name: 'layers',
    setup(bundler) {
      bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) => {
        const layer = below.get(file);
        return layer && { contents: layer + readFileSync(file, 'utf8'), loader: 'ts' };
      });
    },
  };
}

/** The path that esbuild passes to plugins. test/structure/imports.test.ts checks that the files exist. */
function resolveSource(name) {
  const file = path.join(ROOT, name);
  return existsSync(file) ? realpathSync(file) : file;
}

/**
 * Packages that `dist/packages` contains as one file each, with their exports. Installed packages are many times
 * larger. No published type refers to them.
 */
export const PACKAGED = {
  ajv: ['ajv/dist/2020.js', '{ _, Ajv2020 }'],
  croner: ['croner', '*'],
  hono: ['hono', '*'],
  jose: ['jose', '*'],
  jsonata: ['jsonata', '{ default }'],
  'prom-client': ['prom-client', '{ default }'],
  'quickjs-emscripten-core': ['quickjs-emscripten-core', '*'],
};

/** Small packages that are part of each bundle. */
const INLINED = {
  'decimal.js': 'decimal.js',
  // esbuild cannot resolve the imports of its UMD main file.
  'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  mime: 'mime',
  'p-limit': 'p-limit',
  'yocto-queue': 'yocto-queue',
};

const SAXES_LOADER = 'src/engine/http/body/load-saxes.ts';

/** Loads saxes on first use in a bundle, too. */
export const saxes = {
  name: 'saxes',
  setup(bundler) {
    bundler.onLoad({ filter: new RegExp(`/${SAXES_LOADER.replace('.', '\\.')}$`) }, () => ({
      contents: "export const loadSaxes = () => require('saxes').SaxesParser;",
      resolveDir: ROOT,
    }));
    bundler.onResolve({ filter: /^(?:saxes$|xmlchars\/)/ }, ({ path: name }) => ({
      path: createRequire(import.meta.url).resolve(name),
    }));
  },
};

/**
 * Redirects imports of `PACKAGED` to `dist/packages`. Other packages are resolved as installed.
 *
 * @param folder output folder of the bundle
 */
export function packaged(folder) {
  const packages = path.relative(folder, path.join(ROOT, 'dist/packages')).split(path.sep).join('/');
  return {
    name: 'packaged',
    setup(bundler) {
      for (const [file, [name]] of Object.entries(PACKAGED)) {
        bundler.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
          path: `${packages}/${file}.js`,
          external: true,
        }));
      }
      // CommonJS, because expressions load it synchronously.
      bundler.onResolve({ filter: /^moment-timezone$/ }, () => ({
        path: `${packages}/moment-timezone.cjs`,
        external: true,
      }));
      bundler.onResolve(
        { filter: new RegExp(`^(?:${Object.keys(INLINED).join('|')})$`) },
        ({ path: name }) => ({ path: fileURLToPath(import.meta.resolve(INLINED[name])) }),
      );
    },
  };
}

/** The file that lists the folders of the packages in a bundle, for `write-licenses.mjs`. */
export const PACKAGES_FILE = 'packages.json';

export function writePackages(folder, metafile) {
  writeFileSync(path.join(folder, PACKAGES_FILE), JSON.stringify(listPackages(metafile)));
}

/** Folders of the packages in a bundle. */
export function listPackages({ inputs }) {
  const packages = Object.keys(inputs).flatMap((file) => {
    const match = /(?:^|:)(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
    return match?.[1] === undefined ? [] : [match[1]];
  });
  return [...new Set(packages)];
}

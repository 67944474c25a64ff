// What the bundles for Node have in common: those of the command (`bundle-bin.mjs`) and of the library (`bundle-node.mjs`).

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(import.meta.dirname, '..');

/** For Node as the package asks for it, with stack traces that name the source. */
export const FOR_NODE = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  // Names stay: they are what a stack trace has.
  minifyWhitespace: true,
  // Node shows the whole line of an error that nobody catches.
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  // What `layers` writes into a file: packages may drop such imports, and esbuild does, but parts the files by them.
  logOverride: { 'ignored-bare-import': 'silent' },
};

/** Packages in CommonJS call `require` for modules of Node. */
export const REQUIRE = {
  js: "import{createRequire as __iml_require}from'node:module';const require=__iml_require(import.meta.url);",
};

/**
 * What the files of the library load at first use, as a file more costs them less than what nobody uses. In a bundle it is the
 * other way round: nearly every process loads an app and runs it, and a piece of its own costs more than what is in it.
 */
export const AT_ONCE = [
  'engine/create-engine',
  'engine/engine-components',
  'engine/assembling/load-builtins',
  'engine/component/check-and-connect',
  'engine/component/start-run',
  'engine/connection/connection',
  'language/functions/function-groups',
  'engine/parameters/validate-parameters',
  'engine/module/run-trigger',
  'engine/webhook/create-webhook',
];

/**
 * Each file of a bundle costs a process about a millisecond, and files are split wherever two entries do not need the
 * same. So entries stand on layers: whoever needs most of what a layer holds takes all of it, and it comes in one piece.
 * What an entry holds by itself is the next piece. A layer is the file `base` with all that it imports. Files of `src` named in
 * `atOnce` import what they otherwise load at first use.
 */
export function inLayers(layers, atOnce) {
  const eager = new Set(
    atOnce
      .map((name) => path.join(ROOT, `src/${name}.ts`))
      .filter(existsSync)
      .map((file) => realpathSync(file)),
  );
  const below = new Map();
  for (const { base, entries } of layers) {
    // A layer only saves files: one whose file has gone is no error.
    for (const entry of entries.filter((name) => existsSync(path.join(ROOT, name)))) {
      const file = realpathSync(path.join(ROOT, entry));
      below.set(file, `${below.get(file) ?? ''}import ${JSON.stringify(path.join(ROOT, base))}; `);
    }
  }
  return {
    name: 'layers and at once',
    setup(bundler) {
      bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) => {
        const layer = below.get(file);
        if (layer === undefined && !eager.has(file)) return undefined;
        const text = readFileSync(file, 'utf8');
        return { contents: (layer ?? '') + (eager.has(file) ? loadAtOnce(text) : text), loader: 'ts' };
      });
    },
  };
}

/** The text of a file with imports in the place of what it loads at first use. */
function loadAtOnce(text) {
  const imports = [];
  const changed = text.replace(/(?<!typeof )\bimport\(('[^']+')\)/g, (_, from) => {
    imports.push(`import * as loaded${imports.length} from ${from};`);
    return `Promise.resolve(loaded${imports.length - 1})`;
  });
  return `${imports.join(' ')} ${changed}`;
}

/**
 * Packages of which `dist/packages` has one file each, with what it exports: installed, they take many times
 * the space. No published type names them.
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

/** Small packages that become part of each bundle. */
const INLINED = {
  'decimal.js': 'decimal.js',
  // Its main file is UMD, which esbuild cannot read.
  'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  mime: 'mime',
  'p-limit': 'p-limit',
  'yocto-queue': 'yocto-queue',
};

/** In a bundle, `require` loads saxes at first use, too. */
export const saxes = {
  name: 'saxes',
  setup(bundler) {
    bundler.onLoad({ filter: /\/http\/body\/load-saxes\.ts$/ }, () => ({
      contents: "export const loadSaxes = () => require('saxes').SaxesParser;",
      resolveDir: ROOT,
    }));
    bundler.onResolve({ filter: /^(?:saxes$|xmlchars\/)/ }, ({ path: name }) => ({
      path: createRequire(import.meta.url).resolve(name),
    }));
  },
};

/**
 * Points imports of `PACKAGED` to `dist/packages`. All other packages stay where they are installed.
 *
 * @param folder where the bundle is written
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
      // A module of CommonJS, which expressions can load without waiting.
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

// What the bundles for Node have in common: those of the command (`bundle-bin.mjs`) and of the library (`bundle-node.mjs`).

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

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

/**
 * What the files of the library load at first use, as a file more costs them less than what nobody uses. In a bundle it is the
 * other way round: nearly every process loads an app and runs it, and a piece of its own costs more than what is in it.
 */
export const AT_ONCE = [
  'app/engine/create-engine',
  'app/engine/engine-components',
  'app/engine/load-builtins',
  'component/check-and-connect',
  'component/start-run',
  'connection/connection',
  'iml/functions/panels',
  'parameters/check/validate-parameters',
  'trigger/run-trigger',
  'webhook/create-webhook',
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
        return { contents: (layer ?? '') + (eager.has(file) ? loadAtOnce(file, text) : text), loader: 'ts' };
      });
    },
  };
}

/** The text of a file with imports in the place of what it loads at first use. */
function loadAtOnce(file, text) {
  const imports = [];
  const changed = text.replace(/(?<!typeof )\bimport\(('[^']+')\)/g, (_, from) => {
    imports.push(`import * as loaded${imports.length} from ${from};`);
    return `Promise.resolve(loaded${imports.length - 1})`;
  });
  return `${imports.join(' ')} ${changed}`;
}

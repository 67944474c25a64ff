import { createRequire } from 'node:module';
import type { SaxesParser } from 'saxes';

let loaded: typeof SaxesParser | undefined;

/** Loaded on first use, synchronously for expressions, as few APIs return XML. The bundler replaces this file. */
export function loadSaxes(): typeof SaxesParser {
  if (loaded === undefined) {
    const saxes = createRequire(import.meta.url)('saxes') as { readonly SaxesParser: typeof SaxesParser };
    loaded = saxes.SaxesParser;
  }
  return loaded;
}

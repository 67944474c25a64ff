import { createRequire } from 'node:module';
import type { SaxesParser } from 'saxes';

let loaded: typeof SaxesParser | undefined;

/** Few services answer in XML, and expressions that read it cannot wait. */
export function loadSaxes(): typeof SaxesParser {
  if (loaded === undefined) {
    const saxes = createRequire(import.meta.url)('saxes') as { readonly SaxesParser: typeof SaxesParser };
    loaded = saxes.SaxesParser;
  }
  return loaded;
}

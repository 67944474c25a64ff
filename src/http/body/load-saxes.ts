import { createRequire } from 'node:module';
import type { SaxesParser } from 'saxes';

const require: NodeJS.Require = createRequire(import.meta.url);

let loaded: typeof SaxesParser | undefined;

/** Few services answer in XML, and expressions that read it cannot wait. */
export function loadSaxes(): typeof SaxesParser {
  if (loaded === undefined) {
    const saxes = require('saxes') as { readonly SaxesParser: typeof SaxesParser };
    loaded = saxes.SaxesParser;
  }
  return loaded;
}

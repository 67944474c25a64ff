// Writes the JSON Schemas of app files. Needs the compiled source in dist.
// Usage: `node .config/write-schemas.mjs [FOLDER]`. Default: dist/schemas.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const DIST = path.resolve(import.meta.dirname, '../dist');
const folder = path.resolve(process.argv[2] ?? path.join(DIST, 'schemas'));

const { listSchemas } = await import(path.join(DIST, 'tools/lsp/list-schemas.js'));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { name, schema } of await listSchemas()) {
  writeFileSync(path.join(folder, `${name}.schema.json`), `${JSON.stringify(schema)}\n`);
}

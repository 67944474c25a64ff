// Copies the type declarations that the entries of the package need.
// Usage: `node .config/write-types.mjs [FOLDER]`. Default: dist/types.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');
const folder = path.resolve(process.argv[2] ?? path.join(DIST, 'types'));

const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const written = new Set();

function write(file) {
  if (written.has(file)) return;
  written.add(file);
  const text = readFileSync(path.join(DIST, file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
  for (const [, name] of text.matchAll(/(?:from |import\(|import )'(\.[^']+)\.js'/g)) {
    write(path.join(path.dirname(file), `${name}.d.ts`));
  }
}

rmSync(folder, { recursive: true, force: true });
for (const { types } of Object.values(exports)) {
  if (types !== undefined) write(types.replace('./dist/types/', ''));
}

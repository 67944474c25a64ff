// Copies the contract cases into the package.
// Usage: `node .config/write-contracts.mjs [FOLDER]`. Default: dist/contracts.

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const folder = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist/contracts'));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
copyFileSync(path.join(ROOT, 'spec-fixtures/rest-contract.json'), path.join(folder, 'rest.json'));

// Writes the license texts of the packages in the bundles to dist/THIRD-PARTY-LICENSES. Needs the bundles.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGES_FILE, ROOT } from './bundling.mjs';

/** The license texts of packages. */
export function printLicenses(folders) {
  const texts = [...new Set(folders)].map((folder) => {
    const root = path.join(ROOT, folder);
    const { name, version, license, author, repository } = JSON.parse(
      readFileSync(path.join(root, 'package.json'), 'utf8'),
    );
    const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
    const text =
      file === undefined
        ? `The package has no file with the license. Author: ${author?.name ?? author}. Source: ${repository?.url ?? repository}`
        : readFileSync(path.join(root, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}`;
  });
  return `${[...new Set(texts)].sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

if (process.argv[1] === import.meta.filename) {
  const dist = path.join(ROOT, 'dist');
  const folders = ['bin', 'packages', 'page'].flatMap((part) =>
    JSON.parse(readFileSync(path.join(dist, part, PACKAGES_FILE), 'utf8')),
  );
  writeFileSync(path.join(dist, 'THIRD-PARTY-LICENSES'), printLicenses(folders));
}

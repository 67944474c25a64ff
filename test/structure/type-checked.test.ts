import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Configurations in the script. */
function listConfigurations(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  return [...(scripts['typecheck'] ?? '').matchAll(/-p (\S+)/g)].map(([, file = '']) => file);
}

/** The files that a configuration checks, relative to the root. */
function listChecked(configuration: string): readonly string[] {
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const list = execFileSync(process.execPath, [compiler, '-p', configuration, '--listFilesOnly'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return list
    .split('\n')
    .map((file) => path.relative(ROOT, file.trim()).split(path.sep).join('/'))
    .filter((file) => !file.startsWith('node_modules/'));
}

/** The source files of a folder, without build output, which may change meanwhile. */
function listSources(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const place = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'dist' ? [] : listSources(place);
    return /\.tsx?$/.test(entry.name) ? [place] : [];
  });
}

it('npm run typecheck checks every source file', () => {
  const checked = new Set(listConfigurations().flatMap(listChecked));
  const sources = ['src', 'test', 'bench'].flatMap(listSources);
  expect(sources.filter((file) => !checked.has(file))).toEqual([]);
  expect(sources.length).toBeGreaterThan(1000);
});

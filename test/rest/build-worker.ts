import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Compiles the worker of the races for plain Node; answers its file. */
export async function build(folder: string): Promise<string> {
  const out = join(folder, 'built');
  const flags = [
    '--outDir',
    out,
    '--rootDir',
    ROOT,
    '--noCheck',
    '--declaration',
    'false',
    '--declarationMap',
    'false',
  ];
  const options = [
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--skipLibCheck',
    '--isolatedDeclarations',
    'false',
  ];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const file = join(ROOT, 'test/rest/race-worker.ts');
  await promisify(execFile)(process.execPath, [tsc, file, ...flags, ...options], { cwd: ROOT });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await promisify(execFile)('cp', [join(ROOT, 'package.json'), out]);
  return join(out, 'test/rest/race-worker.js');
}

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isBelow } from '../../shared/files.js';

/** Largest size of all files of a revision, in bytes. */
const MAX_BYTES = 200 * 2 ** 20;

/** Largest number of files of a revision. */
const MAX_FILES = 20_000;

/**
 * Passes the folder of a version to `use`: an existing folder, or the files of a git revision.
 *
 * @param given a folder; or a revision and a folder: `main:./app`, `v1.2:src`. `HEAD~3` alone means the working folder
 * @param cwd folder inside the repository, which `./` refers to
 * @throws EngineError (USAGE) if git does not know the revision or the folder, or if it is too large
 */
export async function withVersionFolder<T>(
  given: string,
  cwd: string,
  use: (folder: string, isRevision: boolean) => Promise<T>,
): Promise<T> {
  const folder = path.resolve(cwd, given);
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere ? use(folder, false) : withRevision(given, cwd, (temporary) => use(temporary, true));
}

/**
 * Writes the files of a git revision to a temporary folder, passes the folder to `use`, and deletes it. Hidden files,
 * links and submodules are left out.
 */
async function withRevision<T>(
  revision: string,
  cwd: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const name = revision.includes(':') ? revision : `${revision}:./`;
  const tree = await git(cwd, ['rev-parse', '--verify', '--quiet', '--end-of-options', name]).catch(
    (error: unknown) => {
      throw refuse(`"${revision}" is neither a folder nor a git revision with an app.`, error);
    },
  );
  const id = tree.toString().trim();
  const listed = await git(cwd, ['ls-tree', '-r', '-z', '--full-tree', id]).catch((error: unknown) => {
    throw refuse(`"${revision}" is not a folder of the repository.`, error);
  });
  const files = listed
    .toString()
    .split('\0')
    .flatMap((line) => readEntry(line));
  if (files.length > MAX_FILES) throw refuse(`"${revision}" has more than ${MAX_FILES} files.`);
  const contents = await git(
    cwd,
    ['cat-file', '--batch'],
    files.map((file) => `${file.id}\n`).join(''),
  ).catch((error: unknown) => {
    throw refuse(`The files of "${revision}" cannot be read, or are larger than ${MAX_BYTES} bytes.`, error);
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-revision-'));
  try {
    let at = 0;
    for (const file of files) {
      const end = contents.indexOf('\n', at);
      const size = Number(contents.subarray(at, end).toString().split(' ')[2]);
      const target = path.join(folder, file.path);
      if (isBelow(folder, target) && Number.isSafeInteger(size)) {
        await mkdir(path.dirname(target), { recursive: true });
        await writeFile(target, contents.subarray(end + 1, end + 1 + size));
      }
      at = end + 1 + size + 1;
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface TreeEntry {
  readonly id: string;
  readonly path: string;
}

/** `100644 blob ID<TAB>PATH`. */
function readEntry(line: string): readonly TreeEntry[] {
  const [, type, id, file] = /^100\d{3} (blob) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
  if (type === undefined || id === undefined || file === undefined) return [];
  const isHidden = file.split('/').some((name) => name.startsWith('.') || name === 'node_modules');
  return isHidden ? [] : [{ id, path: file }];
}

function git(cwd: string, args: readonly string[], input = ''): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { cwd, encoding: 'buffer' as const, maxBuffer: MAX_BYTES };
    const child = execFile('git', [...args], options, (error, output) => {
      if (error === null) resolve(output);
      else reject(error);
    });
    // A process that has ended already does not read.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function refuse(message: string, cause?: unknown): EngineError {
  return new EngineError('USAGE', message, { cause });
}

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../errors/engine-error.js';

/** A file of the page, ready to be sent. */
export interface PageFile {
  readonly type: string;
  readonly content: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built page, all of it: what is served are these files by their names, and no path leads anywhere else.
 *
 * @throws EngineError (USAGE) where the page was not built
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new EngineError(
      'USAGE',
      `The page of iml dev is not built: ${folder} is missing. npm run build makes it.`,
      {
        cause,
      },
    );
  });
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type !== undefined) files.set(`/${name}`, { type, content: await readFile(path.join(folder, name)) });
  }
  const index = files.get('/index.html');
  if (index !== undefined) files.set('/', index);
  return files;
}

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../errors/engine-error.js';

/** A file of the page, ready to be sent. */
export interface PageFile {
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** What a browser may do with it: a name that holds a hash has one content for ever. */
  readonly cache: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const HASHED = /-[A-Z0-9]{8}\.(?:js|css)$/;
const FOR_EVER = 'private, max-age=31536000, immutable';

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
    if (type === undefined) continue;
    const content = new Uint8Array(await readFile(path.join(folder, name)));
    files.set(`/${name}`, { type, content, cache: HASHED.test(name) ? FOR_EVER : 'no-store' });
  }
  const index = files.get('/index.html');
  if (index !== undefined) files.set('/', index);
  return files;
}

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../shared/errors/engine-error.js';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Cache-Control: names with a hash are immutable. */
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
 * Reads all files of the built page. Only these are served, by their names.
 *
 * @throws EngineError (USAGE) if the page was not built
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

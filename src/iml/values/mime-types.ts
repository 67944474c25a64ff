import mime, { Mime } from 'mime';

/** Common types that `mime` does not list. */
const additions = new Mime({
  'application/graphql': ['graphql'],
  'application/gzip': ['tgz', 'gzip'],
  'application/vnd.apache.parquet': ['parquet'],
  'application/vnd.sqlite3': ['sqlite', 'sqlite3'],
  'application/x-fictionbook+xml': ['fb2'],
  'application/x-ndjson': ['ndjson', 'jsonl'],
  'application/zstd': ['zst'],
  'image/vnd.microsoft.icon': ['cur'],
  'text/x-python': ['py'],
});

/** The media type of a file by the extension of its name, in any case; undefined for an unknown extension or none. */
export function findMediaType(fileName: string): string | undefined {
  const dot = fileName.lastIndexOf('.');
  if (dot === -1) return undefined;
  const extension = fileName.slice(dot + 1);
  return mime.getType(extension) ?? additions.getType(extension) ?? undefined;
}

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Folder of apps that the tests load. `IML_CORPUS` names another one, whose apps may be unknown. */
export const CORPUS: string = path.resolve(
  process.env['IML_CORPUS'] ?? path.join(import.meta.dirname, '../spec-fixtures/corpus'),
);

/** Folders of the corpus with a manifest, relative to it. */
export const CORPUS_APPS: readonly string[] = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
  .filter((file) => path.basename(file) === 'makecomapp.json')
  .map((file) => path.dirname(file))
  .sort();

/** Whether the corpus has a folder. Tables of expectations list apps of several corpora. */
export function isInCorpus(folder: string): boolean {
  return existsSync(path.join(CORPUS, folder));
}

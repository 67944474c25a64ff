import { existsSync } from 'node:fs';
import path from 'node:path';
import { CASE_SCHEMA_FILE } from '../../testing/cases/case-shape.js';
import { readVersion } from '../read-version.js';

/** Locations of the schema near an app: the installed package, or the folder of `iml schemas --write`. */
const PLACES = [`node_modules/iml-runtime/${CASE_SCHEMA_FILE}`, '.vscode/iml-schemas/test.schema.json'];

/**
 * The `$schema` of a new case: the file of the installed package, which needs no network and has the right version,
 * else its public address.
 *
 * @param caseFile absolute
 */
export function findCaseSchema(caseFile: string): string {
  const start = path.dirname(caseFile);
  for (const place of PLACES) {
    for (let folder = start; ; folder = path.dirname(folder)) {
      const schema = path.join(folder, place);
      if (existsSync(schema)) return path.relative(start, schema).split(path.sep).join('/');
      if (folder === path.dirname(folder)) break;
    }
  }
  return `https://unpkg.com/iml-runtime@${readVersion()}/${CASE_SCHEMA_FILE}`;
}

import { existsSync } from 'node:fs';
import path from 'node:path';
import { CASE_SCHEMA_FILE } from '../../testing/cases/case-shape.js';
import { readVersion } from '../read-version.js';

/** Where the schema lies beside an app: in the package it is tested with, or where `iml schemas --write` puts it. */
const PLACES = [`node_modules/iml-runtime/${CASE_SCHEMA_FILE}`, '.vscode/iml-schemas/test.schema.json'];

/**
 * What a new case names as its `$schema`: the file of the package that is installed above it, which needs no network and is
 * of the version in use; where there is none, its public address.
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

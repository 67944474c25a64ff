import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import type { SchemaFiles } from './schema-files.js';

/** Folder of the schemas in a workspace. */
export const SCHEMA_FOLDER = '.vscode/iml-schemas';

/** Files with comments. */
const ASSOCIATIONS = { '*.imljson': 'jsonc', '*.iml.json': 'jsonc', '*.iml.jsonc': 'jsonc' };

/** The merged settings, or why they cannot be merged. */
export type MergedSettings =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/**
 * Names schemas in the settings of a workspace. What stands there stays, with its comments: entries of others, and
 * associations somebody has chosen. Patterns of an earlier call for the same folder are replaced.
 *
 * @param text of `.vscode/settings.json`; undefined if absent
 * @param folder of the app below the workspace, with `/`; empty for the workspace itself
 */
export function mergeEditorSettings(
  text: string | undefined,
  files: readonly SchemaFiles[],
  folder: string,
): MergedSettings {
  const errors: ParseError[] = [];
  let settings = text === undefined || text.trim() === '' ? '{}' : text;
  const read = (): unknown => parse(settings, errors, { allowTrailingComma: true });
  const given = read();
  const [error] = errors;
  if (error !== undefined)
    return {
      ok: false,
      message: `it is not valid JSON: ${printParseErrorCode(error.error)} at offset ${error.offset}`,
    };
  if (!isPlainObject(given)) return { ok: false, message: 'it is not an object' };
  const schemas = ownMember(given, 'json.schemas') ?? [];
  if (!Array.isArray(schemas)) return { ok: false, message: 'its "json.schemas" is not a list' };
  const write = (path: JSONPath, value: unknown, isInsertion = false): void => {
    const formattingOptions = {
      insertSpaces: true,
      tabSize: 2,
      eol: settings.includes('\r\n') ? '\r\n' : '\n',
    };
    settings = applyEdits(
      settings,
      modify(settings, path, value, { formattingOptions, isArrayInsertion: isInsertion }),
    );
  };
  if (ownMember(given, 'json.schemas') === undefined) write(['json.schemas'], []);
  let count = schemas.length;
  for (const { name, patterns } of files) {
    const url = `./${SCHEMA_FOLDER}/${name}.schema.json`;
    const index = schemas.findIndex(
      (entry: unknown) => isPlainObject(entry) && ownMember(entry, 'url') === url,
    );
    if (index >= 0)
      write(['json.schemas', index, 'fileMatch'], [...othersIn(schemas[index], folder), ...patterns]);
    else write(['json.schemas', count++], { fileMatch: patterns, url }, true);
  }
  const associations = ownMember(given, 'files.associations');
  for (const [pattern, language] of Object.entries(ASSOCIATIONS)) {
    const isChosen = isPlainObject(associations) && ownMember(associations, pattern) !== undefined;
    if (!isChosen) write(['files.associations', pattern], language);
  }
  return { ok: true, text: settings.endsWith('\n') ? settings : `${settings}\n` };
}

/** Patterns of an entry for other folders. */
function othersIn(entry: unknown, folder: string): readonly string[] {
  const patterns: unknown = isPlainObject(entry) ? ownMember(entry, 'fileMatch') : undefined;
  const own = folder === '' ? '/' : `/${folder}/`;
  return (Array.isArray(patterns) ? patterns : [])
    .filter((pattern): pattern is string => typeof pattern === 'string')
    .filter((pattern) => !pattern.replace(/^!/, '').startsWith(own));
}

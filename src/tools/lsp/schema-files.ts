import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { App } from '../../engine/document/app.js';
import { CODE_TYPES, COMPONENT_KINDS, GENERAL_CODE_TYPES } from '../../engine/loading/code-types.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { isPlainObject, ownMember, readAt } from '../../shared/plain-object.js';
import { CONFIG_FILE } from '../check/settings.js';
import { listDocuments } from '../check/subject/checked-document.js';
import { chooseSchema, type SchemaName } from './list-schemas.js';

/** Paths and patterns of a schema for editors; `!` excludes. */
export interface SchemaFiles {
  readonly name: SchemaName;
  readonly patterns: readonly string[];
}

/** General files with other names: plain JSON. Source: https://github.com/integromat/vscode-apps-sdk#readme [src] */
const GENERAL_FILES: Readonly<Partial<Record<string, string>>> = {
  common: 'general/common.json',
  groups: 'modules/groups.json',
};

/**
 * The files of an app by their schemas: those it has, and those it may come to have, by the names the editor of the
 * platform gives.
 *
 * @param app undefined where it does not load
 * @param folder where it lies below the workspace, with `/`; empty for the workspace itself
 */
export function listSchemaFiles(app: App | undefined, folder: string): readonly SchemaFiles[] {
  const at = (path: string): string => `/${folder === '' ? '' : `${folder}/`}${path}`;
  const own = new Map<string, SchemaName>();
  for (const checked of app === undefined ? [] : listDocuments(app)) {
    const name = chooseSchema(checked);
    if (name !== undefined && checked.document.file !== undefined) own.set(at(checked.document.file), name);
  }
  const patterns = new Map<SchemaName, Set<string>>();
  const add = (name: SchemaName | undefined, ...found: readonly string[]): void => {
    if (name === undefined) return;
    const known = patterns.get(name) ?? new Set();
    for (const pattern of found) known.add(pattern);
    patterns.set(name, known);
  };
  add('manifest', at(MANIFEST));
  add('config', at(CONFIG_FILE));
  add('scenarios', at('scenarios.json'));
  add('test', at('tests/**/*.test.json'));
  for (const [code, { part, contents }] of Object.entries(GENERAL_CODE_TYPES)) {
    if (contents !== 'source')
      add(
        chooseSchema({ kind: contents, part: code }),
        ...forBoth(at(GENERAL_FILES[code] ?? `general/${part}.iml.json`)),
      );
  }
  for (const kind of COMPONENT_KINDS) {
    for (const [code, { part, contents }] of Object.entries(CODE_TYPES[kind])) {
      const extension = code === 'common' ? 'json' : 'iml.json';
      if (contents !== 'source')
        add(
          chooseSchema({ kind: contents, part: code }),
          ...forBoth(at(`${kind}s/*/*.${part}.${extension}`)),
        );
    }
  }
  add('oauth-connection', ...forBoth(at('connections/*/*.oauth-communication.iml.json')));
  for (const [file, name] of own) add(name, file);
  return [...patterns].map(([name, found]) => ({
    name,
    // Files that match by name but have another schema.
    patterns: [
      ...found,
      ...[...own].filter(([, other]) => other !== name).flatMap(([file]) => exclude(file, found)),
    ],
  }));
}

/** A pattern of `.iml.json`, and the same of `.iml.jsonc`. */
function forBoth(pattern: string): readonly string[] {
  return pattern.endsWith('.iml.json') ? [pattern, `${pattern}c`] : [pattern];
}

function exclude(file: string, patterns: ReadonlySet<string>): readonly string[] {
  const isTaken = [...patterns].some((pattern) => pattern.includes('*') && toExpression(pattern).test(file));
  return isTaken ? [`!${file}`] : [];
}

/** `*` matches a part of a name. */
function toExpression(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]*')}$`);
}

/**
 * The schema of a file by its name in Make's editor: `modules/get-user/get-user.communication.iml.json`. Undefined
 * for other names.
 *
 * @param file with `/`
 */
export function guessSchema(file: string): SchemaName | undefined {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const known = BY_NAME[name];
  if (known !== undefined) return known;
  if (name.endsWith('.test.json')) return 'test';
  const part = /(?:^|\.)([a-z-]+)\.(?:iml\.jsonc?|imljson|jsonc?)$/.exec(name)?.[1];
  if (part === undefined) return undefined;
  if (part === 'oauth-communication') return 'oauth-connection';
  const kind = /(?:^|\/)(connection|webhook|module|rpc|endpoint)s?\//.exec(file)?.[1];
  for (const types of kind === undefined ? Object.values(CODE_TYPES) : [CODE_TYPES[kind as 'module']]) {
    for (const [code, type] of Object.entries(types)) {
      if (type.part === part && type.contents !== 'source')
        return chooseSchema({ kind: type.contents, part: code });
    }
  }
  return undefined;
}

const BY_NAME: Readonly<Partial<Record<string, SchemaName>>> = {
  [MANIFEST]: 'manifest',
  [CONFIG_FILE]: 'config',
  'scenarios.json': 'scenarios',
  [`${GENERAL_CODE_TYPES['base']?.part}.iml.json`]: 'base',
  'base.imljson': 'base',
  'base.iml.jsonc': 'base',
  'common.json': 'common',
  'groups.json': 'groups',
};

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
  const patterns: unknown = readAt(entry, 'fileMatch');
  const own = folder === '' ? '/' : `/${folder}/`;
  return (Array.isArray(patterns) ? patterns : [])
    .filter((pattern): pattern is string => typeof pattern === 'string')
    .filter((pattern) => !pattern.replace(/^!/, '').startsWith(own));
}

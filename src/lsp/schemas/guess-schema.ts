import { CODE_TYPES, GENERAL_CODE_TYPES } from '../../app/assembling/code-types.js';
import { MANIFEST } from '../../app/loading/read-manifest.js';
import { CONFIG_FILE } from '../../check/settings.js';
import { chooseSchema, type SchemaName } from './list-schemas.js';

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
  const part = /(?:^|\.)([a-z-]+)\.(?:iml\.json|imljson|json)$/.exec(name)?.[1];
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
  'common.json': 'common',
  'groups.json': 'groups',
};

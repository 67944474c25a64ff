import type { PlainObject } from '../../shared/plain-object.js';
import {
  flag,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import { pickColumns } from '../call/columns.js';
import type { ColumnChoice } from '../call/operation.js';
import type { KeyRow } from '../store/tables.js';

/** Source: https://developers.make.com/api-documentation (Key). [seed] */
export const KEY_SCHEMA: Schema<unknown> = named(
  'Key',
  object(
    {},
    {
      id: integer(),
      name: text(),
      typeName: text(),
      teamId: integer(),
      packageName: nullable(text()),
      theme: text(),
      visibility: oneOf(['team', 'locked']),
    },
  ),
);

/** The response of the operations that lock and unlock a key. [seed] */
export const VISIBILITY_SCHEMA: Schema<unknown> = object({
  key: object({ id: integer(), visibility: oneOf(['team', 'locked']) }),
});

const DESCRIPTOR = 'ParameterDescriptor';

/** A nested list of descriptors: the document references the enclosing schema. */
const NESTED: Schema<unknown> = list({ $ref: `#/components/schemas/${DESCRIPTOR}` });

/** Source: https://developers.make.com/api-documentation (Key type, parameter descriptor). [seed] */
const DESCRIPTOR_SCHEMA: Schema<unknown> = named(
  DESCRIPTOR,
  object(
    {
      name: text(),
      label: text(),
      type: oneOf(['text', 'password', 'select', 'pkey', 'cert', 'boolean']),
      required: flag(),
    },
    {
      default: {},
      help: text(),
      multiline: flag(),
      options: list(object({ label: text(), value: text() }, { nested: NESTED })),
    },
  ),
);

export const KEY_TYPE_SCHEMA: Schema<unknown> = named(
  'KeyType',
  object({
    name: text(),
    label: text(),
    parameters: list(DESCRIPTOR_SCHEMA),
    componentType: oneOf(['key']),
    author: text(),
    version: text(),
    theme: text(),
    icon: text(),
  }),
);

/** Source: https://developers.make.com/api-documentation (keys, cols) [doc]; default https://developers.make.com/api-documentation [seed]. */
export const KEY_COLUMNS: ColumnChoice = {
  all: ['id', 'name', 'typeName', 'teamId', 'packageName', 'theme', 'visibility'],
  default: ['id', 'name'],
};
/** Columns of the response to creations and updates. [seed] */
export const WRITTEN_KEY_COLUMNS = ['id', 'name', 'typeName', 'teamId', 'packageName', 'theme'] as const;
export const WRITTEN_KEY_SCHEMA: Schema<unknown> = {
  ...KEY_SCHEMA,
  title: 'WrittenKey',
  required: WRITTEN_KEY_COLUMNS,
};

/** The columns that `keyRecord` reads. */
export const READ_KEY_COLUMNS = ['name', 'typeName', 'teamId', 'packageName', 'theme', 'visibility'] as const;

/** A key without its parameters, which no response contains. */
export function keyRecord(
  row: Pick<KeyRow, 'id' | (typeof READ_KEY_COLUMNS)[number]>,
  columns: readonly string[],
): PlainObject {
  const { id: keyId, name, typeName, teamId, packageName, theme, visibility } = row;
  return pickColumns({ id: keyId, name, typeName, teamId, packageName, theme, visibility }, columns);
}

import type { ParameterSpec } from '../form/parameter-spec.js';
import type { ParameterType } from '../form/parameter-type.js';

/** Types whose values are credentials. Values of `hidden` fields mostly are ids, which a log needs. [choice] */
const SECRET_TYPES: ReadonlySet<ParameterType> = new Set(['password', 'cert', 'pkey']);

/** Whether the values of a field, or the items in them, are credentials. */
export function isSecretField({ type, spec }: ParameterSpec): boolean {
  return SECRET_TYPES.has(type) || (spec?.kind === 'item' && isSecretField(spec.item));
}

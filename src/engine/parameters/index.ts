export { coerceText } from './coerce-text.js';
export {
  findParameter,
  PARAMETER_TYPES,
  type ParameterElement,
  type ParameterList,
  type ParameterSpec,
  type ParameterType,
} from './parameter-spec.js';
export type { Problem } from './problem.js';
export { joinParameters, readParameters as parseForm } from './read-parameters.js';
export type { RpcReference } from './rpc-reference.js';
export { type JsonSchema, toJsonSchema } from './to-json-schema.js';
export { validateParameters } from './validate-parameters.js';
export type { ValidateParametersOptions, ValidateParametersResult } from './validation.js';

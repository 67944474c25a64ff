export type { Problem } from './check/problem.js';
export { validateParameters } from './check/validate-parameters.js';
export type { ValidateParametersOptions, ValidateParametersResult } from './check/validation.js';
export {
  findParameter,
  PARAMETER_TYPES,
  type ParameterElement,
  type ParameterList,
  type ParameterSpec,
  type ParameterType,
} from './form/parameter-spec.js';
export { joinParameters, readParameters as parseForm } from './form/read-parameters.js';
export type { RpcReference } from './form/rpc-reference.js';
export { type JsonSchema, toJsonSchema } from './to-json-schema.js';
export { coerceText } from './values/coerce-text.js';

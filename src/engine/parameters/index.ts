export type { ValidateParametersOptions, ValidateParametersResult } from './form-check.js';
export type { ParameterSpec } from './parameter-spec.js';
export type { Problem } from './problem.js';
export { readParameters as parseForm } from './read-parameters.js';
export { type JsonSchema, toJsonSchema } from './to-json-schema.js';
export { validateParameters } from './validate-parameters.js';

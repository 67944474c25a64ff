import standalone from 'ajv/dist/standalone/index.js';
import type { PlainObject } from '../util/plain-object.js';
import { createCodeKeeper } from './compile-schema.js';

/**
 * Writes down what `compileTestedSchema` makes of a schema, so that a build can do it once: a module in JavaScript, whose default
 * export is for `toCheck`.
 *
 * @param formats where the module finds `formats.ts`
 */
export function writeCheck(schema: PlainObject, formats: string): string {
  const ajv = createCodeKeeper();
  const code = standalone.default(ajv, ajv.compile(schema));
  return `import { FORMATS } from ${JSON.stringify(formats)};\n${code}`;
}

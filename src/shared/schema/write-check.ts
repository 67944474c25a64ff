import standalone from 'ajv/dist/standalone/index.js';
import type { PlainObject } from '../plain-object.js';
import { createCodeKeeper } from './compile-schema.js';

/**
 * Generates code of `compileTestedSchema` at build time: a JavaScript module whose default export is the input of
 * `toCheck`.
 *
 * @param formats module specifier of `formats.ts`
 */
export function writeCheck(schema: PlainObject, formats: string): string {
  const ajv = createCodeKeeper();
  const code = standalone.default(ajv, ajv.compile(schema));
  return `import { FORMATS } from ${JSON.stringify(formats)};\n${code}`;
}

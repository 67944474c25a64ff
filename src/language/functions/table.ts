import type { FunctionTable } from '../environment.js';
import { ARRAY_FUNCTIONS } from './array.js';
import { BINARY_FUNCTIONS } from './binary.js';
import { DATE_FUNCTIONS } from './date.js';
import { GENERAL_FUNCTIONS } from './general.js';
import { HTML_FUNCTIONS } from './html.js';
import { MATH_FUNCTIONS } from './math.js';
import type { FunctionName } from './signatures.js';
import { SIGNING_FUNCTIONS } from './signing.js';
import { TEXT_FUNCTIONS } from './text.js';

/** Every built-in function by name. */
export const FUNCTIONS: FunctionTable = {
  ...GENERAL_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...HTML_FUNCTIONS,
  ...BINARY_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...ARRAY_FUNCTIONS,
  ...SIGNING_FUNCTIONS,
} satisfies Readonly<Record<FunctionName, unknown>>;

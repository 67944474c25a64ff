import type { FunctionTable } from '../language/environment/environment.js';
import { FUNCTIONS } from '../language/functions/table.js';
import { XML_FUNCTIONS } from './http/body/xml-functions.js';

/** The functions every app has. */
export const APP_FUNCTIONS: FunctionTable = { ...FUNCTIONS, ...XML_FUNCTIONS };

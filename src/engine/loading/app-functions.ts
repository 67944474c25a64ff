import type { FunctionTable } from '../../language/environment.js';
import { FUNCTIONS } from '../../language/functions/table.js';
import { XML_FUNCTIONS } from '../http/body/xml.js';

/** The functions that every app has: those of the language, `parseXML` and `createXML`. */
export const APP_FUNCTIONS: FunctionTable = { ...FUNCTIONS, ...XML_FUNCTIONS };

export const APP_FUNCTION_NAMES: ReadonlySet<string> = new Set(Object.keys(APP_FUNCTIONS));

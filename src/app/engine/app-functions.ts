import { XML_FUNCTIONS } from '../../http/body/xml-functions.js';
import type { FunctionTable } from '../../iml/environment/environment.js';
import { FUNCTIONS } from '../../iml/functions/table.js';

/** The functions every app has. */
export const APP_FUNCTIONS: FunctionTable = { ...FUNCTIONS, ...XML_FUNCTIONS };

import type { FunctionTable } from '../../../language/environment/environment.js';
import { asCollection, onText } from '../../../language/functions/arguments.js';
import { isMissing } from '../../../language/values/coerce.js';
import { functionError } from '../../../shared/errors/iml-error.js';
import { writeXml } from './write-xml.js';
import { parseXml } from './xml.js';

/**
 * XML functions of apps, with the structure of `response.type` xml. Not in `iml/`, which runs in browsers without an
 * XML parser. Published apps call both; their results are undocumented. [inf]
 */
export const XML_FUNCTIONS: FunctionTable = {
  parseXML: onText((text) => {
    const read = parseXml(text);
    if (!read.ok) throw functionError(`Invalid XML: ${read.message}`);
    return read.value;
  }),

  createXML: (_, value) => (isMissing(value) ? value : writeXml(asCollection(value))),
};

import { functionError } from '../../errors/iml-error.js';
import type { FunctionTable } from '../../iml/environment/environment.js';
import { asCollection, onText } from '../../iml/functions/arguments.js';
import { isMissing } from '../../iml/values/coerce.js';
import { writeXml } from './write-xml.js';
import { parseXml } from './xml.js';

/**
 * What apps have beside the functions of the language, in the shape of `response.type` xml: `iml/` runs in a browser and
 * has no reader of XML. Published apps call both; their results are documented nowhere. [inf]
 */
export const XML_FUNCTIONS: FunctionTable = {
  parseXML: onText((text) => {
    const read = parseXml(text);
    if (!read.ok) throw functionError(`Invalid XML: ${read.message}`);
    return read.value;
  }),

  createXML: (_, value) => (isMissing(value) ? value : writeXml(asCollection(value))),
};

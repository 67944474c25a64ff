import type { TagTreatment } from '../form/parameter-spec.js';

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;

/**
 * Treats HTML tags in a text: `strip` removes tags, `stripall` unclosed ones at the end too, `escape` writes `<`, `>` and `&`
 * as entities. A `<` that no letter, `/`, `!` or `?` follows opens no tag. What is left after removing holds no tag,
 * even where removing one would have made another.
 * Source: the text page of the parameters' documentation. [doc]
 */
export function treatTags(text: string, treatment: TagTreatment): string {
  if (treatment === 'escape') {
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  }
  return text.includes('<') ? removeTags(text, treatment === 'stripall') : text;
}

function removeTags(text: string, unclosed: boolean): string {
  const kept = new Uint16Array(text.length);
  let length = 0;
  // Where the first tag that is still open begins in `kept`, or -1.
  let open = -1;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code === GREATER_THAN && open !== -1) {
      length = open;
      open = -1;
      continue;
    }
    if (open === -1 && length > 0 && kept[length - 1] === LESS_THAN && opensTag(code)) open = length - 1;
    kept[length++] = code;
  }
  if (unclosed && open !== -1) length = open;
  return Buffer.from(kept.buffer, 0, length * 2).toString('utf16le');
}

/** Letters, `/`, `!` and `?`. */
function opensTag(code: number): boolean {
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isLetter || code === 0x2f || code === 0x21 || code === 0x3f;
}

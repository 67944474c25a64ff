import { findFamily, isListType, type ParameterSpec, type TagTreatment } from '../form/parameter-spec.js';
import { asText, isTextType } from '../values/convert-value.js';
import { evaluateSeen, type Field, type FormCheck, findChoices, holds, report } from './form-check.js';
import { invalidProblem, missingProblem } from './problem.js';

/** The text of a text field before it is asked whether it is empty: tags may be all there is. */
export function readable(spec: ParameterSpec, given: unknown): unknown {
  if (given === undefined || given === null || !isTextType(spec.type)) return given;
  const text = asText(given);
  if (text === undefined) return given;
  return spec.tags === undefined ? text : treatTags(text, spec.tags);
}

/** Defaults fill only unset values. [inf] */
export function readDefault(check: FormCheck, { spec, level }: Field): unknown {
  if (spec.default !== undefined) {
    const value = evaluateDefault(check, spec.default);
    return readable(spec, value);
  }
  if (spec.choices?.options === undefined) return undefined;
  const { defaults } = findChoices(check, spec.choices, level);
  if (defaults.length === 0) return undefined;
  return spec.multiple ? defaults : defaults[0];
}

function evaluateDefault(check: FormCheck, value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('{{')) return value;
  try {
    return evaluateSeen(check, value);
  } catch {
    return undefined;
  }
}

/** What an empty input becomes. Source: https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc] */
export function unsetValue(check: FormCheck, spec: ParameterSpec): unknown {
  if (check.settings.platformVersion === 2) return undefined;
  if (isList(spec)) return [];
  return findFamily(spec.type) === 'boolean' || spec.type === 'collection' ? undefined : null;
}

/** What null, the value of `erase`, becomes. Source: https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc] */
export function checkErased(check: FormCheck, field: Field): unknown {
  const { spec, path, level } = field;
  if (field.demanded) {
    report(check, () => missingProblem(path, spec));
    return null;
  }
  if (level.keepsEmpty) return null;
  if (isList(spec)) return [];
  if (findFamily(spec.type) === 'boolean') return undefined;
  const isChosen = findFamily(spec.type) === 'select' && check.settings.platformVersion === 2;
  if (isChosen && spec.validate !== false && !holds(check.settings.mapped, path)) {
    // Whatever an RPC gives, null is none of it, so it is not asked.
    const written = spec.choices?.options === undefined ? undefined : findChoices(check, spec.choices, level);
    report(check, () => invalidProblem('choice', field, written?.expected ?? 'one of the options', null));
  }
  return null;
}

function isList({ type, multiple }: ParameterSpec): boolean {
  return isListType(type) || (findFamily(type) === 'select' && multiple);
}

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

import { asText, isTextType } from './convert-value.js';
import {
  evaluateWithOutput,
  type Field,
  type FormCheck,
  findChoices,
  report,
  testPath,
} from './form-check.js';
import { findFamily, isListType, type ParameterSpec, type TagTreatment } from './parameter-spec.js';
import { invalidProblem, missingProblem } from './problem.js';

/** Converts a value to text and removes tags before the check for emptiness, as a text may consist of tags only. */
export function normalizeText(spec: ParameterSpec, value: unknown): unknown {
  if (value === undefined || value === null || !isTextType(spec.type)) return value;
  const text = asText(value);
  if (text === undefined) return value;
  return spec.tags === undefined ? text : treatTags(text, spec.tags);
}

/** Defaults apply to unset values only. [inf] */
export function readDefault(check: FormCheck, { spec, level }: Field): unknown {
  if (spec.default !== undefined) {
    const value = evaluateDefault(check, spec.default);
    return normalizeText(spec, value);
  }
  if (spec.choices?.options === undefined) return undefined;
  const { defaults } = findChoices(check, spec.choices, level);
  if (defaults.length === 0) return undefined;
  return spec.multiple ? defaults : defaults[0];
}

function evaluateDefault(check: FormCheck, value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('{{')) return value;
  try {
    return evaluateWithOutput(check, value);
  } catch {
    return undefined;
  }
}

/**
 * Value of an empty input. Source:
 * https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc]
 */
export function unsetValue(check: FormCheck, spec: ParameterSpec): unknown {
  if (check.settings.platformVersion === 2) return undefined;
  if (isList(spec)) return [];
  return findFamily(spec.type) === 'boolean' || spec.type === 'collection' ? undefined : null;
}

/**
 * Checks null, the value of `erase`. Source:
 * https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc]
 */
export function checkErased(check: FormCheck, field: Field): unknown {
  const { spec, path, level } = field;
  if (field.isRequired) {
    report(check, () => missingProblem(path, spec));
    return null;
  }
  if (level.keepsEmpty) return null;
  if (isList(spec)) return [];
  if (findFamily(spec.type) === 'boolean') return undefined;
  const isChosen = findFamily(spec.type) === 'select' && check.settings.platformVersion === 2;
  if (isChosen && spec.validate !== false && !testPath(check.settings.mapped, path)) {
    // Calls no RPC, as null is never one of its options.
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
 * Handles HTML tags in a text: `strip` removes tags, `stripall` also unclosed tags at the end, `escape` encodes `<`,
 * `>` and `&` as entities. A tag starts with `<` and a letter, `/`, `!` or `?`. The result never contains a tag, even
 * if removing one joins the parts of another. Source: the text page of the parameters' documentation. [doc]
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
  // Offset in `kept` of the first open tag, or -1.
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

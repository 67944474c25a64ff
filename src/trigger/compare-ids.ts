import type { ItemId } from '../component/trigger-data.js';

const NUMERIC = /^-?\d+(?:\.\d+)?$/;

/** Without zeros in front. */
const WHOLE = /^[1-9]\d*$/;

/** The text of an id. Two ids are the same if their texts are: `5` is `"5"`, however a service or a store writes it. */
export function idText(id: ItemId): string {
  if (typeof id === 'string') return id;
  const text = String(id);
  if (!text.includes('e')) return text;
  return Number.isInteger(id) ? BigInt(id).toString() : id.toFixed(20);
}

/**
 * Orders two ids: numbers and numeric texts by their value and to the last digit, other texts by their UTF-16 units.
 * Where both kinds meet numbers come first, as an order of pairs alone (`2 < 10 < 1a < 2`) would be none.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger. [inf]
 *
 * @returns below, above or exactly 0; 0 only for ids that are the same
 */
export function compareIds(a: ItemId, b: ItemId): number {
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return Number(a) - Number(b);
  const first = idText(a);
  const second = idText(b);
  // As most ids are, and many have to be sorted.
  if (WHOLE.test(first) && WHOLE.test(second)) {
    return first.length - second.length || compareTexts(first, second);
  }
  const isNumeric = NUMERIC.test(first);
  if (isNumeric !== NUMERIC.test(second)) return isNumeric ? -1 : 1;
  return (isNumeric ? compareDecimals(first, second) : 0) || compareTexts(first, second);
}

/** Digit by digit, as ids of 64 bits and timestamps with microseconds do not fit a number. */
function compareDecimals(a: string, b: string): number {
  const isNegative = a.startsWith('-');
  if (isNegative !== b.startsWith('-')) return isNegative ? -1 : 1;
  const [whole, fraction] = splitDecimal(a);
  const [otherWhole, otherFraction] = splitDecimal(b);
  const order =
    whole.length - otherWhole.length ||
    compareTexts(whole, otherWhole) ||
    compareTexts(fraction, otherFraction);
  return isNegative ? -order : order;
}

function splitDecimal(text: string): readonly [whole: string, fraction: string] {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return [whole.replace(/^0+/, ''), fraction];
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

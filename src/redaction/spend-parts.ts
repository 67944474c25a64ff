import type { Budget } from './redact-value.js';
import { mayBeEncoded } from './text-view.js';

/**
 * Counts parts of a text, each of which begins or ends with one of the signs, as values, as far as the budget goes.
 *
 * @returns where the text ends that may be shown with them
 */
export function spendParts(text: string, signs: string, costOfPart: number, budget: Budget): number {
  const costOfSign = mayBeEncoded(text) ? budget.encoded : 1;
  const isPart = new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
  let parts = 0;
  let at = 0;
  for (let cost = 0; at < text.length; at++) {
    const isOne = isPart.has(text.charCodeAt(at));
    cost += isOne ? costOfSign + costOfPart : costOfSign;
    if (cost > budget.left) break;
    if (isOne) parts++;
  }
  budget.left -= parts * costOfPart;
  return at;
}

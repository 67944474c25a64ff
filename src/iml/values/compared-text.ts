import { spend } from './work.js';

/** Texts up to this length are compared in no time. */
const SHORT_TEXT = 256;

/** To compare a character of two texts that begin alike, and to put them together first where they were made of others. */
const STEPS_OF_CHARACTER = 0.05;

/** To read a character of a text that may be a number. */
const STEPS_OF_DIGIT = 0.04;

/** Whether two texts are the same. Where their lengths differ nothing is compared. @throws as `spend` */
export function isSameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  countComparison(left, right);
  return left === right;
}

/** Counts what it takes to hold one text against another. @throws as `spend` */
export function countComparison(left: string, right: string): void {
  const length = Math.min(left.length, right.length);
  if (length > SHORT_TEXT) spend(STEPS_OF_CHARACTER * length);
}

/** To change the case of a character. */
const STEPS_OF_FOLDED = 0.1;

/** A text as it is compared without case. @throws as `spend` */
export function foldCase(text: string): string {
  spend(STEPS_OF_FOLDED * text.length);
  return text.toLowerCase();
}

/** Counts what it takes to hold a text against a number. @throws as `spend` */
export function countDigits(text: string): void {
  if (text.length > SHORT_TEXT) spend(STEPS_OF_DIGIT * text.length);
}

/**
 * Whether a name of a member stands for all members of the object it is given: `{{...}}`, blanks inside or not. The name itself is
 * no template.
 * Source: https://developers.make.com/custom-apps-documentation/best-practices/input-parameters/processing-of-input-parameters. [doc]
 */
export function isSpreadKey(name: string): boolean {
  return SPREAD_KEY.test(name);
}

const SPREAD_KEY = /^\{\{\s*\.\.\.\s*\}\}$/;

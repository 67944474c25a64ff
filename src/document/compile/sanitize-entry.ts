/** An entry of `log.sanitize`. */
export interface SanitizeEntry {
  /** What is hidden, or where the value of the expression is. */
  readonly path: string;
  /** The expression whose value is hidden; undefined where all that stands at the path is. */
  readonly source: string | undefined;
}

const EXPRESSION = /^([^<]*)<(.+)>$/s;

/**
 * Reads `request.body.token`, or `request.body<parameters.secret>`, which hides the value of the expression. Blanks around either say
 * nothing.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api. [doc]
 */
export function readSanitizeEntry(entry: string): SanitizeEntry {
  const [, path = entry, source] = EXPRESSION.exec(entry.trim()) ?? [];
  return { path, source };
}

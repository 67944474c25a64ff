const DECLARATION =
  /\bfunction(?=[\s*])[\s*]*([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)|\b(?:const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)\s*=/gu;

/** Reserved words, which matches in comments and strings may contain. */
const RESERVED: ReadonlySet<string> = new Set(
  `await break case catch class const continue debugger default delete do else enum export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static
  super switch this throw true try typeof var void while with yield arguments eval`.split(/\s+/),
);

const MAX_NAMES = 100;

/**
 * Names that may be those of functions declared at the top of `code`: `name` itself first, then the others, last
 * one first. It reads text, not syntax: the list may contain names from comments and inner scopes, so callers check in
 * the running code which of them is a function.
 */
export function declaredNames(code: string, name: string): readonly string[] {
  const names = new Set<string>();
  for (const match of code.matchAll(DECLARATION)) {
    const found = match[1] ?? match[2];
    if (found === undefined || RESERVED.has(found)) continue;
    // Added again, so that the last declaration determines the order.
    names.delete(found);
    names.add(found);
  }
  const ranked = [...names].reverse();
  const others = ranked.filter((other) => other !== name).slice(0, MAX_NAMES);
  return names.has(name) ? [name, ...others] : others;
}

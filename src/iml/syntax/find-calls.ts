/**
 * Names that stand before an opening parenthesis in a text: those of all functions that it calls as a template or expression, and of what
 * looks like a call. Far less than parsing, for who has to know them before templates are compiled.
 *
 * @param from where the first parenthesis may stand. Default: anywhere.
 * @param to in front of which the last one stands
 */
export function findCalls(template: string, from = 0, to: number = template.length): readonly string[] {
  const names: string[] = [];
  for (let at = template.indexOf('(', from); at >= 0 && at < to; at = template.indexOf('(', at + 1)) {
    let end = at;
    while (end > 0 && template.charCodeAt(end - 1) <= 0x20) end--;
    let start = end;
    while (start > 0 && canStandInName(template.charCodeAt(start - 1))) start--;
    if (start < end) names.push(template.slice(start, end));
  }
  return names;
}

/** White space beyond ASCII counts as part of a name here: which letters there are is not looked up. */
function canStandInName(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x24 ||
    code > 0x7f
  );
}

/** Matches addresses with templates in time that grows with their product, however many expressions there are. */

/** The texts between the expressions of a template. An expression stands for one or more characters. */
function literalsOf(template: string): readonly string[] {
  return template.split(/\{\{.*?\}\}/s);
}

/** Whether an address ends as a template, whatever is before it: `/v1/users/5` ends as `/users/{{parameters.id}}`. */
export function endsLike(address: string, template: string): boolean {
  const literals = literalsOf(template);
  const last = literals.at(-1) ?? '';
  return [address, address.replace(/\/$/, '')].some((text) => {
    if (!text.endsWith(last)) return false;
    let end = text.length - last.length;
    // The place that is farthest to the right leaves the most for the texts before it.
    for (const literal of literals.slice(0, -1).reverse()) {
      const from = end - 1 - literal.length;
      end = from < 0 ? -1 : text.lastIndexOf(literal, from);
      if (end < 0) return false;
    }
    return true;
  });
}

/** The rest of an address that begins as a template, from its slash on; `/` without one. Ignores case. */
export function restBelow(address: string, template: string): string | undefined {
  const text = address.toLowerCase();
  const literals = literalsOf(template.toLowerCase());
  const [first = '', ...others] = literals;
  if (!text.startsWith(first)) return undefined;
  // An expression at the start stands for the host, too.
  const host = first === '' ? (/^https?:\/\/[^/]+/.exec(text)?.[0].length ?? 1) : 1;
  let end = first.length + host - 1;
  // The place that is farthest to the left leaves the most for the texts after it.
  for (const literal of others.slice(0, -1)) {
    const start = text.indexOf(literal, end + 1);
    if (start < 0) return undefined;
    end = start + literal.length;
  }
  const last = others.at(-1);
  const isWhole = (at: number): boolean => at === text.length || text[at] === '/';
  if (last === undefined) return isWhole(end) ? address.slice(end) || '/' : undefined;
  for (let start = text.indexOf(last, end + 1); start >= 0; start = text.indexOf(last, start + 1)) {
    if (isWhole(start + last.length)) return address.slice(start + last.length) || '/';
    if (start === text.length) return undefined;
  }
  return undefined;
}

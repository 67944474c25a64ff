/** Items from which a copy of all costs less than to add one after the other. */
const LARGE = 10_000;

/** What `lists.flat()` gives. That takes a hundred times as long for a list of millions, which is copied as a whole here, or not at all. */
export function joinLists(lists: readonly unknown[]): readonly unknown[] {
  const [only] = lists;
  if (lists.length === 1 && Array.isArray(only)) return only;
  let joined: unknown[] = [];
  for (const each of lists) {
    if (Array.isArray(each)) joined = append(joined, each);
    else joined.push(each);
  }
  return joined;
}

/** @returns `list` with more behind it, or a new one in its place */
export function append(list: unknown[], more: readonly unknown[]): unknown[] {
  if (more.length > LARGE) return list.concat(more);
  for (const item of more) list.push(item);
  return list;
}

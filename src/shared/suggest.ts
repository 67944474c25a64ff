/** Returns the nearest candidate by edit distance, ignoring case, or undefined if none is near. */
function suggest(name: string, candidates: Iterable<string>): string | undefined {
  const lower = name.toLowerCase();
  const threshold = Math.max(1, Math.floor(name.length * 0.4));
  let best: string | undefined;
  let bestDistance = threshold + 1;
  for (const candidate of candidates) {
    const distance = measureDistance(lower, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Shorter prefixes match too many names. */
const MIN_PREFIX_LENGTH = 4;

function measureDistance(name: string, candidate: string, limit: number): number {
  // A prefix counts as a typo, however much is missing.
  if (name.length >= MIN_PREFIX_LENGTH && candidate.startsWith(name)) return Math.min(1, limit);
  if (Math.abs(candidate.length - name.length) >= limit) return limit;
  return editDistance(name, candidate);
}

/** Returns ` Did you mean "x"?` for the nearest candidate, or empty text. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = name.length > 64 ? undefined : suggest(name, candidates);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** The candidate of which a name is a misspelling: one edit away, or two for a long name. */
export function findTypo(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined;
  const most = name.length < 8 ? 1 : 2;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > most) continue;
    if (editDistance(name.toLowerCase(), candidate.toLowerCase()) <= most) return candidate;
  }
  return undefined;
}

/** Edit distance with insertions, deletions, substitutions and transpositions (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let least = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) least = Math.min(least, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

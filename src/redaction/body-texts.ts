import type { KnownSecrets } from './known-secrets.js';
import { createPatternSet, type PatternSet } from './pattern-set.js';
import { addStretch, cleanStart, mergeStretches, type SecretStretch, type Stretch } from './stretches.js';
import { plainView } from './text-view.js';

/**
 * Texts that `log.sanitize` hides in the bodies of one side only, as nobody can look for them everywhere: they are too short for that, or
 * too long.
 */
export interface BodyTexts {
  /** Whether there was room for all of them. */
  readonly isWhole: boolean;
  /** What of each is looked for. */
  readonly patterns: ReadonlySet<string>;
  /** Stretches of a text that hold one, in order, none touching another. */
  readonly find: (text: string) => readonly SecretStretch[];
}

/** Units of a text that it is known by: of a longer one, a file, all is hidden that stands behind them. [choice] */
const MAX_KNOWN_BY = 1024;

/** Units that are looked for, all together: to make them ready takes some 10 ms. [choice] */
const MAX_UNITS = 100_000;

export const NO_TEXTS: BodyTexts = { isWhole: true, patterns: new Set(), find: () => [] };

/** Texts that were hidden before, which stay as they are, and more. */
export function addTexts(before: BodyTexts, texts: readonly string[]): BodyTexts {
  const patterns = new Set(before.patterns);
  let { isWhole } = before;
  let units = 0;
  for (const pattern of patterns) units += pattern.length;
  for (const text of texts) {
    const pattern = text.slice(0, MAX_KNOWN_BY);
    if (patterns.has(pattern)) continue;
    isWhole &&= units + pattern.length <= MAX_UNITS;
    if (units + pattern.length > MAX_UNITS) continue;
    units += pattern.length;
    patterns.add(pattern);
  }
  if (patterns.size === before.patterns.size) return { ...before, isWhole };
  let set: PatternSet | undefined;
  const find = (text: string): readonly Stretch[] => {
    set ??= makeSet(patterns);
    const found: Stretch[] = [];
    set.scan(plainView(text).units, (last, length) =>
      addStretch(found, last - length + 1, length < MAX_KNOWN_BY ? last + 1 : text.length),
    );
    return mergeStretches(found);
  };
  return { isWhole, patterns, find };
}

/** All in one pass: one after the other would take long, and find each in what stands in place of those before. */
function makeSet(patterns: Iterable<string>): PatternSet {
  const set = createPatternSet();
  for (const pattern of patterns) set.add(pattern);
  return set;
}

/** `clean` of what is known, without these texts as well. */
export function cleanerOfBodies(known: KnownSecrets, { patterns, find }: BodyTexts): KnownSecrets['clean'] {
  if (patterns.size === 0) return known.clean;
  return (text, length) =>
    cleanStart(text, length, (near) => mergeStretches([...known.find(near), ...find(near)]));
}

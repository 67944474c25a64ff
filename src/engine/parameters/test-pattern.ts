import { compilePattern } from '../../language/pattern/compile-pattern.js';
import { PatternMatcher } from '../../language/pattern/match-pattern.js';
import { type ParsedPattern, parsePattern } from '../../language/pattern/parse-pattern.js';
import { MAX_STEPS, type PatternFlags, parseFlags } from '../../language/pattern/pattern-node.js';
import { createBoundedCache } from '../../shared/bounded-cache.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import { MAX_MATCH_STEPS, MAX_MATCH_STEPS_PER_CHECK } from './parameter-spec.js';

/** `invalid`: not a regular expression. `exhausted`: exceeds the step limit. */
export type PatternOutcome = 'match' | 'mismatch' | 'invalid' | 'exhausted';

/** Tries `u` first, and no flag if the pattern is invalid with it. Source: docs/differences.md. [rt] */
const FLAGS = ['u', ''] as const;

/** A parsed pattern and its flags. */
interface Pattern {
  readonly flags: PatternFlags;
  readonly parsed: ParsedPattern;
}

const parsedPatterns = createBoundedCache<Pattern>(64);

/** Remaining steps for all patterns of one check. */
export interface PatternBudget {
  stepsLeft: number;
}

export function createPatternBudget(): PatternBudget {
  return { stepsLeft: MAX_MATCH_STEPS_PER_CHECK };
}

/** Keeps escapes and classes; converts named groups to plain groups. */
const NAMED_GROUP = /(\\.|\[(?:\\.|[^\]\\])*\])|\(\?<[A-Za-z_$][\w$]*>/gs;

/**
 * Whether a text contains a match of an author's pattern, in bounded time and memory. The pattern is not anchored;
 * authors write `^` and `$`. Source: the text page of the parameters' documentation. [doc]
 */
export function testPattern(
  pattern: string,
  text: string,
  budget: PatternBudget = createPatternBudget(),
): PatternOutcome {
  try {
    return findMatch(parse(pattern), text, budget) ? 'match' : 'mismatch';
  } catch (error) {
    return error instanceof ImlError && error.kind === 'limit' ? 'exhausted' : 'invalid';
  }
}

function parse(pattern: string): Pattern {
  const known = parsedPatterns.get(pattern);
  if (known !== undefined) return known;
  const flags = parseFlags(FLAGS.find((letters) => isValid(pattern, letters)) ?? '');
  const result = { flags, parsed: parsePattern(withoutNames(pattern), flags) };
  parsedPatterns.set(pattern, result);
  return result;
}

function isValid(pattern: string, letters: string): boolean {
  try {
    parsePattern(withoutNames(pattern), parseFlags(letters));
    return new RegExp(pattern, letters).flags === letters;
  } catch {
    return false;
  }
}

function findMatch({ parsed, flags }: Pattern, text: string, budget: PatternBudget): boolean {
  const program = compilePattern(parsed, { flags, textLength: text.length, sets: new Map() });
  const matcher = new PatternMatcher(program, text, flags);
  const allowed = Math.min(MAX_MATCH_STEPS, budget.stepsLeft);
  matcher.steps = MAX_STEPS - allowed;
  try {
    return matcher.find(0) !== undefined;
  } finally {
    budget.stepsLeft -= matcher.steps - (MAX_STEPS - allowed);
  }
}

/**
 * Removes group names, which the matcher does not support. They do not affect the result unless a back reference uses
 * them.
 */
function withoutNames(pattern: string): string {
  if (!pattern.includes('(?<') || pattern.includes('\\k<')) return pattern;
  return pattern.replace(NAMED_GROUP, (_, kept: string | undefined) => kept ?? '(');
}

import { compilePattern } from '../../language/pattern/compile-pattern.js';
import { PatternMatcher } from '../../language/pattern/match-pattern.js';
import { type ParsedPattern, parsePattern } from '../../language/pattern/parse-pattern.js';
import { worstCaseSteps } from '../../language/pattern/pattern-cost.js';
import { MAX_STEPS, parseFlags } from '../../language/pattern/pattern-node.js';
import { createBoundedCache } from '../../shared/bounded-cache.js';
import { ImlError, limitError } from '../../shared/errors/iml-error.js';
import { MAX_HOST_STEPS, MAX_HOST_STEPS_PER_CHECK, MAX_MATCH_STEPS } from './parameter-spec.js';

/** `invalid`: not a regular expression. `exhausted`: exceeds the step limit. */
export type PatternOutcome = 'match' | 'mismatch' | 'invalid' | 'exhausted';

/** Tries `u` first, and no flag if the pattern is invalid with it. Source: docs/differences.md. [rt] */
const FLAGS = ['u', ''] as const;

/** A parsed pattern and its flags. */
interface Pattern {
  readonly flags: string;
  readonly parsed: ParsedPattern;
}

const parsedPatterns = createBoundedCache<Pattern>(64);

/** A step of our matcher takes about as long as ten steps of the native engine. */
const STEP_RATIO = 10;

/** Remaining steps for all patterns of one check. */
export interface PatternBudget {
  stepsLeft: number;
}

export function createPatternBudget(): PatternBudget {
  return { stepsLeft: MAX_HOST_STEPS_PER_CHECK };
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
    return findMatch(parse(pattern), pattern, text, budget) ? 'match' : 'mismatch';
  } catch (error) {
    return error instanceof ImlError && error.kind === 'limit' ? 'exhausted' : 'invalid';
  }
}

function parse(pattern: string): Pattern {
  const known = parsedPatterns.get(pattern);
  if (known !== undefined) return known;
  const flags = FLAGS.find((letters) => isValid(pattern, letters)) ?? '';
  const result = { flags, parsed: parsePattern(withoutNames(pattern), parseFlags(flags)) };
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

function findMatch(
  { parsed, flags: letters }: Pattern,
  pattern: string,
  text: string,
  budget: PatternBudget,
): boolean {
  if (budget.stepsLeft <= 0) throw limitError('The patterns of the form take too many steps.');
  const hostSteps = worstCaseSteps(parsed.root, text.length);
  if (hostSteps <= MAX_HOST_STEPS) {
    budget.stepsLeft -= hostSteps;
    return new RegExp(pattern, letters).test(text);
  }
  const flags = parseFlags(letters);
  const program = compilePattern(parsed, { flags, textLength: text.length, sets: new Map() });
  const matcher = new PatternMatcher(program, text, flags);
  matcher.steps = MAX_STEPS - MAX_MATCH_STEPS;
  try {
    return matcher.find(0) !== undefined;
  } finally {
    budget.stepsLeft -= STEP_RATIO * (matcher.steps - MAX_STEPS + MAX_MATCH_STEPS);
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

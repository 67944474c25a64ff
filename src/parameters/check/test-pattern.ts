import { ImlError, limitError } from '../../errors/iml-error.js';
import { compilePattern } from '../../iml/pattern/compile-pattern.js';
import { PatternMatcher } from '../../iml/pattern/match-pattern.js';
import { type ParsedPattern, parsePattern } from '../../iml/pattern/parse-pattern.js';
import { worstCaseSteps } from '../../iml/pattern/pattern-cost.js';
import { MAX_STEPS, parseFlags } from '../../iml/pattern/pattern-node.js';
import { createBoundedCache } from '../../util/bounded-cache.js';
import { MAX_HOST_STEPS, MAX_HOST_STEPS_PER_CHECK, MAX_MATCH_STEPS } from '../form/parameter-spec.js';

/** `invalid`: no regular expression. `exhausted`: it would take too long to tell. */
export type PatternOutcome = 'match' | 'mismatch' | 'invalid' | 'exhausted';

/** `u` first; without it if the pattern is not valid Unicode syntax. Source: docs/differences.md. [rt] */
const FLAGS = ['u', ''] as const;

/** A parsed pattern with the flags it was parsed with. */
interface Pattern {
  readonly flags: string;
  readonly parsed: ParsedPattern;
}

const parsedPatterns = createBoundedCache<Pattern>(64);

/** A step of our own matcher takes about as long as ten steps of the host's engine. */
const STEP_RATIO = 10;

/** Steps that patterns may still take for all values of one check. */
export interface PatternBudget {
  stepsLeft: number;
}

export function createPatternBudget(): PatternBudget {
  return { stepsLeft: MAX_HOST_STEPS_PER_CHECK };
}

/** Escapes and classes are kept as they are; a named group outside of them becomes a plain one. */
const NAMED_GROUP = /(\\.|\[(?:\\.|[^\]\\])*\])|\(\?<[A-Za-z_$][\w$]*>/gs;

/**
 * Whether a text holds a match of an author's regular expression, in bounded time and memory.
 * The pattern is not anchored: authors write `^` and `$` for that.
 * Source: the text page of the parameters' documentation. [doc]
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

/** The matcher has no named groups; whether there is a match does not hang on names unless a reference uses one. */
function withoutNames(pattern: string): string {
  if (!pattern.includes('(?<') || pattern.includes('\\k<')) return pattern;
  return pattern.replace(NAMED_GROUP, (_, kept: string | undefined) => kept ?? '(');
}

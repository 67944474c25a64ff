import { ImlError } from '../../errors/iml-error.js';
import { compilePattern } from '../../iml/pattern/compile-pattern.js';
import { PatternMatcher } from '../../iml/pattern/match-pattern.js';
import { type ParsedPattern, parsePattern } from '../../iml/pattern/parse-pattern.js';
import { worstCaseSteps } from '../../iml/pattern/pattern-cost.js';
import { parseFlags } from '../../iml/pattern/pattern-flags.js';
import { MAX_STEPS } from '../../iml/pattern/pattern-limits.js';
import { spend } from '../../iml/values/work.js';
import { createBoundedCache } from '../../util/bounded-cache.js';
import { MAX_HOST_STEPS, MAX_MATCH_STEPS } from './form-limits.js';

/** `invalid`: no regular expression. `exhausted`: it would take too long to tell. */
export type PatternOutcome = 'match' | 'mismatch' | 'invalid' | 'exhausted';

/** To try a pattern, and what the host takes for one of its steps. */
const STEPS_OF_TEST = 12;
const STEPS_OF_HOST_STEP = 0.05;

const FLAGS = parseFlags('');

const parsedPatterns = createBoundedCache<ParsedPattern>(64);

/** Escapes and classes are kept as they are; a named group outside of them becomes a plain one. */
const NAMED_GROUP = /(\\.|\[(?:\\.|[^\]\\])*\])|\(\?<[A-Za-z_$][\w$]*>/gs;

/**
 * Whether a text holds a match of an author's regular expression, in bounded time and memory.
 * The pattern is not anchored: authors write `^` and `$` for that.
 * Source: the text page of the parameters' documentation. [doc]
 */
export function testPattern(pattern: string, text: string): PatternOutcome {
  try {
    return findMatch(parse(pattern), pattern, text) ? 'match' : 'mismatch';
  } catch (error) {
    return error instanceof ImlError && error.kind === 'limit' ? 'exhausted' : 'invalid';
  }
}

function parse(pattern: string): ParsedPattern {
  const known = parsedPatterns.get(pattern);
  if (known !== undefined) return known;
  const parsed = parsePattern(withoutNames(pattern), FLAGS);
  parsedPatterns.set(pattern, parsed);
  return parsed;
}

function findMatch(parsed: ParsedPattern, pattern: string, text: string): boolean {
  spend(STEPS_OF_TEST + pattern.length / 2);
  const hostSteps = worstCaseSteps(parsed.root, text.length);
  if (hostSteps <= MAX_HOST_STEPS) {
    spend(STEPS_OF_HOST_STEP * hostSteps);
    return new RegExp(pattern).test(text);
  }
  const program = compilePattern(parsed, { flags: FLAGS, textLength: text.length, sets: new Map() });
  const matcher = new PatternMatcher(program, text, FLAGS);
  matcher.steps = MAX_STEPS - MAX_MATCH_STEPS;
  return matcher.find(0) !== undefined;
}

/** The matcher has no named groups; whether there is a match does not hang on names unless a reference uses one. */
function withoutNames(pattern: string): string {
  if (!pattern.includes('(?<') || pattern.includes('\\k<')) return pattern;
  return pattern.replace(NAMED_GROUP, (_, kept: string | undefined) => kept ?? '(');
}

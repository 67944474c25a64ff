import { assertNever } from '../../shared/plain-object.js';
import type { ParsedPattern } from './parse-pattern.js';
import type { PatternNode, RepeatNode } from './pattern-node.js';

/** Upper bounds for one node at one position of a text. */
interface Cost {
  /** Number of ways to match: how often the following nodes may be tried. */
  readonly ways: number;
  /** Steps to try all ways. */
  readonly steps: number;
}

interface CostContext {
  readonly textLength: number;
  /** Whether a match of this node completes the pattern, so that the engine never backtracks into it. */
  readonly last: boolean;
  /** Whether the node is inside a lookbehind, where sequences run from right to left. */
  readonly lookbehind: boolean;
}

/**
 * Returns the worst-case number of steps of a backtracking engine without memoization to replace all matches in a text.
 * A small multiple of the length for ordinary patterns; huge or Infinity for patterns with catastrophic backtracking.
 * Does not count an iteration that fails after a match, which at most doubles the steps.
 */
export function worstCaseSteps(root: PatternNode, textLength: number): number {
  return (textLength + 1) * computeCost(root, { textLength, last: true, lookbehind: false }).steps;
}

function computeCost(node: PatternNode, context: CostContext): Cost {
  switch (node.kind) {
    case 'character':
    case 'assertion':
      return { ways: 1, steps: 1 };
    case 'set':
      return { ways: 1, steps: 1 + Math.floor(node.source.length / 32) };
    case 'backreference':
      // Never the host engine: Node 20 can crash with a segmentation fault on backreferences with flag `u`.
      return { ways: 1, steps: Number.POSITIVE_INFINITY };
    case 'sequence':
      return sequenceCost(node.items, context);
    case 'alternatives': {
      const costs = node.items.map((item) => computeCost(item, context));
      return {
        ways: costs.reduce((sum, cost) => sum + cost.ways, 0),
        steps: costs.reduce((sum, cost) => sum + cost.steps, 1),
      };
    }
    case 'group':
      return computeCost(node.body, context);
    case 'look':
      // The engine never backtracks into a lookaround that matched.
      return {
        ways: 1,
        steps: 1 + computeCost(node.body, { ...context, last: false, lookbehind: node.lookbehind }).steps,
      };
    case 'repeat':
      return repeatCost(node, context);
    default:
      return assertNever(node);
  }
}

function sequenceCost(items: readonly PatternNode[], context: CostContext): Cost {
  let ways = 1;
  let steps = 1;
  const ordered = context.lookbehind ? items.toReversed() : items;
  for (const [index, item] of ordered.entries()) {
    const cost = computeCost(item, { ...context, last: context.last && index === ordered.length - 1 });
    steps += ways * cost.steps;
    ways *= cost.ways;
  }
  return { ways, steps };
}

function repeatCost(node: RepeatNode, context: CostContext): Cost {
  const { min, max, nullable } = node;
  const body = computeCost(node.body, { ...context, last: false });
  const once = body.steps + 1;
  // Each iteration after `min` consumes a character; earlier iterations do so only if the body is not nullable.
  const most = Math.min(max, nullable ? min + context.textLength : context.textLength);
  if (context.last) {
    // Iterations after `min` consume characters of a match, and matches do not overlap. Together they cost one iteration
    // per character of the text, which is the last term.
    return { ways: 1, steps: once * (powerSum(body.ways, Math.min(min, most)) + 1) };
  }
  const ways = body.ways === 1 ? Math.max(1, most - min + 1) : powerSum(body.ways, most + 1);
  return { ways, steps: once * (powerSum(body.ways, most) + ways) };
}

/** Upper bound of base^0 + base^1 + ... with `count` terms. */
function powerSum(base: number, count: number): number {
  if (base === 1) return count;
  return count === 0 ? 0 : 2 * base ** (count - 1);
}

/** Maximum worst-case steps of the host engine. */
const HOST_STEPS = 10_000_000;

/** Maximum worst-case steps per character, for a text of any length. */
const HOST_STEPS_PER_CHARACTER = 32;

/**
 * Whether the host engine may run a pattern. It is fast, but may take exponential time; the own matcher runs all others.
 *
 * @param textLength UTF-16 units
 */
export function isSafeForHost(parsed: ParsedPattern, textLength: number): boolean {
  const steps = worstCaseSteps(parsed.root, textLength);
  return steps <= Math.max(HOST_STEPS, HOST_STEPS_PER_CHARACTER * textLength);
}

import { assertNever } from '../../util/plain-object.js';
import type { ParsedPattern } from './parse-pattern.js';
import type { PatternNode, RepeatNode } from './pattern-node.js';

/** Upper bounds for one part of a pattern tried at one place of a text. */
interface Cost {
  /** In how many ways it can match: how often what follows may be tried. */
  readonly ways: number;
  /** Steps to go through all of them. */
  readonly steps: number;
}

interface CostContext {
  readonly textLength: number;
  /** Whether a match of this part is a match of the whole, so that nothing comes back into it. */
  readonly last: boolean;
  /** Inside a lookbehind, where sequences run from right to left. */
  readonly behind: boolean;
}

/**
 * The most steps a backtracking engine without memory can need to replace all matches in a text of this length.
 * Infinity or huge for the patterns known as catastrophic; a small multiple of the length for ordinary ones. An iteration that
 * fails behind a match is not counted, which at most doubles them.
 */
export function worstCaseSteps(root: PatternNode, textLength: number): number {
  return (textLength + 1) * computeCost(root, { textLength, last: true, behind: false }).steps;
}

function computeCost(node: PatternNode, context: CostContext): Cost {
  switch (node.kind) {
    case 'character':
    case 'assertion':
      return { ways: 1, steps: 1 };
    case 'set':
      return { ways: 1, steps: 1 + Math.floor(node.source.length / 32) };
    case 'backreference':
      // Never the host: Node 20 can crash with a segmentation fault on backreferences with flag `u`, and no count tells when.
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
      // A lookaround is left at its first match: nothing comes back into it.
      return {
        ways: 1,
        steps: 1 + computeCost(node.body, { ...context, last: false, behind: node.behind }).steps,
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
  const ordered = context.behind ? items.toReversed() : items;
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
  // Iterations beyond `min` consume something each; those before do so only if the body must.
  const most = Math.min(max, nullable ? min + context.textLength : context.textLength);
  if (context.last) {
    // What the iterations beyond `min` consume is part of a match, and matches do not overlap: they cost one iteration
    // per character of the text altogether, which is the last term once per place.
    return { ways: 1, steps: once * (powerSum(body.ways, Math.min(min, most)) + 1) };
  }
  const ways = body.ways === 1 ? Math.max(1, most - min + 1) : powerSum(body.ways, most + 1);
  return { ways, steps: once * (powerSum(body.ways, most) + ways) };
}

/** base^0 + base^1 + ... with `count` terms. */
function powerSum(base: number, count: number): number {
  if (base === 1) return count;
  return count === 0 ? 0 : 2 * base ** (count - 1);
}

/** Steps the host may need in the worst case, some milliseconds; beyond that our own matcher runs. */
const HOST_STEPS = 10_000_000;

/** Steps per character that are fine for a text of any length. */
const HOST_STEPS_PER_CHARACTER = 32;

/**
 * Whether a pattern goes to the regular expressions of the host, which are fast and may backtrack without end; else our own
 * matcher runs.
 *
 * @param textLength UTF-16 units
 */
export function isSafeForHost(parsed: ParsedPattern, textLength: number): boolean {
  const steps = worstCaseSteps(parsed.root, textLength);
  return steps <= Math.max(HOST_STEPS, HOST_STEPS_PER_CHARACTER * textLength);
}

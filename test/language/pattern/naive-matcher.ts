import type { PatternNode, RepeatNode } from '../../../src/language/pattern/pattern-node.js';

type Continue = (position: number) => boolean;

class TooManySteps extends Error {}

/**
 * Counts the steps to find all matches as ECMA-262 specifies, without memoization: each attempt to match a node at a
 * position is a step. Supports patterns without flags and backreferences.
 *
 * @returns undefined for more than `most` steps
 */
export function stepsOfNaiveMatcher(root: PatternNode, text: string, most: number): number | undefined {
  const matcher = new NaiveMatcher(text, most);
  try {
    matcher.findAll(root);
    return matcher.steps;
  } catch (error) {
    if (error instanceof TooManySteps) return undefined;
    throw error;
  }
}

class NaiveMatcher {
  steps = 0;
  private readonly text: string;
  private readonly most: number;

  constructor(text: string, most: number) {
    this.text = text;
    this.most = most;
  }

  findAll(root: PatternNode): void {
    for (let start = 0; start <= this.text.length; ) {
      let end = start;
      const isMatch = this.match(root, start, 1, (position) => {
        end = position;
        return true;
      });
      start = isMatch && end > start ? end : start + 1;
    }
  }

  private match(node: PatternNode, position: number, direction: 1 | -1, next: Continue): boolean {
    // Parentheses and quantifiers are not steps.
    if (node.kind !== 'group' && node.kind !== 'repeat' && ++this.steps > this.most) throw new TooManySteps();
    switch (node.kind) {
      case 'character':
        return this.consume(position, direction, (unit) => unit === String.fromCharCode(node.code), next);
      case 'set':
        return this.consume(position, direction, (unit) => new RegExp(`^${node.source}$`).test(unit), next);
      case 'assertion':
        return this.holds(node.assertion, position) && next(position);
      case 'sequence':
        return this.inOrder(
          direction === 1 ? node.items : node.items.toReversed(),
          position,
          direction,
          next,
        );
      case 'alternatives':
        return node.items.some((item) => this.match(item, position, direction, next));
      case 'group':
        return this.match(node.body, position, direction, next);
      case 'look':
        return (
          this.match(node.body, position, node.lookbehind ? -1 : 1, () => true) !== node.negative &&
          next(position)
        );
      case 'repeat':
        return this.repeat(node, 0, position, direction, next);
      case 'backreference':
        throw new Error('Backreferences are not counted.');
    }
  }

  private consume(
    position: number,
    direction: 1 | -1,
    isIn: (unit: string) => boolean,
    next: Continue,
  ): boolean {
    const unit = this.text[direction === 1 ? position : position - 1];
    return unit !== undefined && isIn(unit) && next(position + direction);
  }

  private holds(assertion: string, position: number): boolean {
    const isWord = (unit: string | undefined): boolean => unit !== undefined && /\w/.test(unit);
    const atBoundary = isWord(this.text[position - 1]) !== isWord(this.text[position]);
    if (assertion === 'start') return position === 0;
    if (assertion === 'end') return position === this.text.length;
    return atBoundary === (assertion === 'boundary');
  }

  private inOrder(
    items: readonly PatternNode[],
    position: number,
    direction: 1 | -1,
    next: Continue,
  ): boolean {
    const [first, ...rest] = items;
    if (first === undefined) return next(position);
    return this.match(first, position, direction, (after) => this.inOrder(rest, after, direction, next));
  }

  private repeat(
    node: RepeatNode,
    done: number,
    position: number,
    direction: 1 | -1,
    next: Continue,
  ): boolean {
    const again = (): boolean =>
      done < node.max &&
      this.match(node.body, position, direction, (after) =>
        done >= node.min && after === position ? false : this.repeat(node, done + 1, after, direction, next),
      );
    if (done < node.min) return again();
    return node.lazy ? next(position) || again() : again() || next(position);
  }
}

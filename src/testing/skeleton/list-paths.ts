import type { Expression } from '../../iml/syntax/ast.js';
import { safeParseTemplate } from '../../iml/syntax/parser.js';
import { isPlainObject } from '../../util/plain-object.js';

/** Paths that the templates in a value read, such as `['body', 'data', 'id']`; steps by index are left out. */
export function listPaths(value: unknown): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  visitTexts(value, (text) => {
    const parsed = safeParseTemplate(text);
    if (!parsed.ok) return;
    for (const part of parsed.template.parts) if (typeof part !== 'string') visit(part, found);
  });
  return [...found.values()];
}

function visitTexts(value: unknown, onText: (text: string) => void): void {
  if (typeof value === 'string') {
    if (value.includes('{{')) onText(value);
  } else if (Array.isArray(value)) for (const item of value) visitTexts(item, onText);
  else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      visitTexts(name, onText);
      visitTexts(member, onText);
    }
  }
}

/** With a list of its own of what is left to look at: trees may be deep. */
function visit(root: Expression, found: Map<string, readonly string[]>): void {
  const todo: Expression[] = [root];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (node.kind === 'name' || node.kind === 'member' || node.kind === 'index') {
      const path = readPath(node, todo);
      if (path !== undefined) found.set(path.join('\0'), path);
    } else if (node.kind === 'call') todo.push(...node.args.filter((arg) => arg !== undefined));
    else if (node.kind === 'unary') todo.push(node.operand);
    else if (node.kind === 'binary') todo.push(node.left, node.right);
  }
}

/** The names of a path; undefined where it does not start at a name. Indices are looked at on their own. */
function readPath(node: Expression, todo: Expression[]): readonly string[] | undefined {
  const names: string[] = [];
  let step = node;
  while (step.kind === 'member' || step.kind === 'index') {
    if (step.kind === 'member') names.push(step.name);
    else if (step.index !== undefined) todo.push(step.index);
    step = step.object;
  }
  if (step.kind === 'name') return [...names, step.name].reverse();
  todo.push(step);
  return undefined;
}

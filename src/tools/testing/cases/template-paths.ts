import { findSignature } from '../../../language/functions/signatures.js';
import type { Expression } from '../../../language/syntax/ast.js';
import { safeParseTemplate } from '../../../language/syntax/parser.js';
import {
  listNodes,
  listPaths,
  readPath,
  type WrittenPath,
} from '../../../language/syntax/walk-expression.js';
import { isPlainObject } from '../../../shared/plain-object.js';

/** Paths that the templates in a value read, such as `['body', 'data', 'id']`; steps by index are left out. */
export function readTemplatePaths(value: unknown): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  visitExpressions(value, (nodes) => {
    for (const path of listPaths(nodes)) found.set(pathKey(listSteps(path)), listSteps(path));
  });
  return [...found.values()];
}

/** Type that an expression requires for the value of a path. */
export type NeededKind = 'number' | 'date';

/** Keys of the paths that have to be numbers or dates: operands of arithmetic, and arguments of functions. */
export function readNeededKinds(value: unknown): ReadonlyMap<string, NeededKind> {
  const found = new Map<string, NeededKind>();
  visitExpressions(value, (nodes) => {
    for (const { operand, kind } of nodes.flatMap(listNeeds)) {
      const path = readPath(operand);
      if (path !== undefined) found.set(pathKey(listSteps(path)), kind);
    }
  });
  return found;
}

/** A path as one text, for maps. */
export function pathKey(names: readonly string[]): string {
  return names.join('\0');
}

const ARITHMETIC: ReadonlySet<string> = new Set(['-', '*', '/', '%']);

interface Need {
  readonly operand: Expression;
  readonly kind: NeededKind;
}

function listNeeds(node: Expression): readonly Need[] {
  if (node.kind === 'binary') {
    if (!ARITHMETIC.has(node.operator)) return [];
    return [node.left, node.right].map((operand) => ({ operand, kind: 'number' }));
  }
  if (node.kind !== 'call') return [];
  const parameters = findSignature(node.name)?.parameters ?? [];
  return node.args.flatMap((operand, index) => {
    const kind = parameters[index]?.kind;
    return operand !== undefined && (kind === 'number' || kind === 'date') ? [{ operand, kind }] : [];
  });
}

function visitExpressions(value: unknown, onNodes: (nodes: readonly Expression[]) => void): void {
  visitTexts(value, (text) => {
    const parsed = safeParseTemplate(text);
    if (!parsed.ok) return;
    for (const part of parsed.template.parts) if (typeof part !== 'string') onNodes(listNodes(part));
  });
}

/** The path that a template is as a whole: of `{{body.data}}`, but not of `{{body.id}}!`. */
export function readWholePath(template: unknown): readonly string[] | undefined {
  const parsed = typeof template === 'string' ? safeParseTemplate(template) : undefined;
  const parts = parsed?.ok === true ? parsed.template.parts : [];
  const [part] = parts;
  const path = parts.length !== 1 || typeof part !== 'object' ? undefined : readPath(part);
  return path && listSteps(path);
}

function listSteps({ root, members }: WrittenPath): readonly string[] {
  return [root.name, ...members.flatMap(({ name }) => (name === undefined ? [] : [name]))];
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

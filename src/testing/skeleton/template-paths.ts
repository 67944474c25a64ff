import { safeParseTemplate } from '../../iml/syntax/parser.js';
import { listNodes, listPaths, readPath, type WrittenPath } from '../../iml/syntax/walk-expression.js';
import { isPlainObject } from '../../util/plain-object.js';

/** Paths that the templates in a value read, such as `['body', 'data', 'id']`; steps by index are left out. */
export function readTemplatePaths(value: unknown): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  visitTexts(value, (text) => {
    const parsed = safeParseTemplate(text);
    if (!parsed.ok) return;
    for (const part of parsed.template.parts) {
      if (typeof part === 'string') continue;
      for (const path of listPaths(listNodes(part))) {
        const steps = listSteps(path);
        found.set(steps.join('\0'), steps);
      }
    }
  });
  return [...found.values()];
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

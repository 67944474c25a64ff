import { safeParseTemplate } from '../../iml/syntax/parser.js';
import { listNodes, listPaths } from '../../iml/syntax/walk-expression.js';
import { isPlainObject } from '../../util/plain-object.js';

/** Paths that the templates in a value read, such as `['body', 'data', 'id']`; steps by index are left out. */
export function readTemplatePaths(value: unknown): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  visitTexts(value, (text) => {
    const parsed = safeParseTemplate(text);
    if (!parsed.ok) return;
    for (const part of parsed.template.parts) {
      if (typeof part === 'string') continue;
      for (const { root, members } of listPaths(listNodes(part))) {
        const names = members.flatMap(({ name }) => (name === undefined ? [] : [name]));
        found.set([root.name, ...names].join('\0'), [root.name, ...names]);
      }
    }
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

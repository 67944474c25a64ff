import { holdsTemplates } from '../../../engine/document/document-shapes.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';

export const singleBraces: Rule = {
  id: 'single-braces',
  level: 'warning',
  summary: 'A text contains an expression in single braces.',
  why: 'Only double braces are evaluated. `{item.id}` is sent as text.',
  bad: '"url": "/users/{parameters.userId}"',
  good: '"url": "/users/{{parameters.userId}}"',
  canFix: true,
  check: ({ documents }, report) => {
    for (const { document, kind } of documents) {
      if (!holdsTemplates(kind)) continue;
      visitTexts(document.value, '', (text, pointer) => {
        for (const { 0: written, index } of text.matchAll(SINGLE)) {
          const place = document.locationOf(pointer, index);
          const start = document.offsetOf?.(pointer, index);
          const message = `${written} is plain text. Write {${written}} to have it evaluated.`;
          const { file } = place;
          const edits =
            file === undefined || start === undefined
              ? undefined
              : [{ file, start, end: start + written.length, text: `{${written}}` }];
          const fix = edits && { title: `Replace ${written} by {${written}}`, edits };
          report({ message, place, length: written.length, fix });
        }
      });
    }
  },
};

/** A path that starts with a known variable. */
const SINGLE =
  /(?<!\{)\{(?:item|body|parameters|connection|common|temp|data|headers|payload|pagination|webhook|oauth|query)(?:\.[A-Za-z_]\w*)+\}(?!\})/g;

function visitTexts(value: unknown, pointer: string, visit: (text: string, pointer: string) => void): void {
  if (typeof value === 'string') visit(value, pointer);
  else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      visitTexts(item, childPointer(pointer, index), visit);
    });
  } else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) visitTexts(member, childPointer(pointer, key), visit);
  }
}

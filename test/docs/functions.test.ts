import { describe, expect, it } from 'vitest';
import { evaluateExample, writeFunctionPages } from '../../.config/function-pages.js';
import { findSignature, SIGNED_NAMES } from '../../src/language/functions/signatures.js';

describe('the function reference', () => {
  it.each(SIGNED_NAMES)('has examples of %s that call it and have a value', (name) => {
    const examples = findSignature(name)?.examples ?? [];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(example).toContain(`${name}(`);
      expect(() => evaluateExample(example)).not.toThrow();
    }
  });

  it('describes every function once', () => {
    const headings = writeFunctionPages().flatMap(({ text }) => [...text.matchAll(/^## (\w+)$/gm)]);
    expect(headings.map(([, name]) => name).sort()).toEqual([...SIGNED_NAMES].sort());
  });

  it('shows values that the build computes', () => {
    const page = writeFunctionPages().find(({ file }) => file === 'date.md');
    expect(page?.text).toContain(
      '| `{{formatDate(date; "DD.MM.YYYY HH:mm")}}` | `"31.03.2026 08:05"` | text |',
    );
  });
});

import { expect, it } from 'vitest';
import { defineApp } from '../../src/index.js';
import { explainDocument, MAX_EXPLAIN_MS } from '../../src/tools/dev/expressions/explain-document.js';
import { createLanguages } from '../../src/tools/dev/expressions/scope-at.js';

it('stops to evaluate expressions after a time, and says so', async () => {
  const languages = createLanguages(undefined, false);
  const language = await languages.of(defineApp({ name: 'large' }));
  const items = Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'x'.repeat(100) }));
  const body = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`m${index}`, '{{body.items}}']));
  const { expressions } = explainDocument(
    { role: 'communication', file: 'a.iml.json', text: JSON.stringify({ url: '/', body }) },
    {
      moments: [{ name: 'request', names: { body: { items } }, wasReached: true }],
      requestIndex: 0,
      language,
      deadlineMs: performance.now() + MAX_EXPLAIN_MS,
    },
  );
  languages.close();
  expect(expressions).toHaveLength(400);
  expect(expressions[0]?.value).toMatchObject({ kind: 'value', isCut: true });
  expect(expressions.at(-1)).toMatchObject({
    parts: [],
    value: { kind: 'error', text: expect.stringContaining('Not evaluated') },
  });
});

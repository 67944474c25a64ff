import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseForm, parseFormPieces } from '../../src/http/body/parse-form.js';
import { Turns } from '../../src/util/turns.js';

const unit = fc.constantFrom(
  ...['a', '1', '&', '=', '+', '%', '%C3', '%A4', '%C', '%zz', 'ä', '🦊', '%20', '[]'],
);

it('a form that comes in pieces is read as a whole one, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit, maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      async (text, size) => {
        const characters = [...text];
        async function* pieces(): AsyncGenerator<string> {
          for (let at = 0; at < characters.length; at += size) yield characters.slice(at, at + size).join('');
        }
        expect(await parseFormPieces(pieces(), new Turns(() => {}))).toEqual({
          ok: true,
          value: parseForm(text),
        });
      },
    ),
    { numRuns: 2000 },
  );
});

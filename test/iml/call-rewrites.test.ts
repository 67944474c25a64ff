import { describe, expect, it } from 'vitest';
import { ImlError } from '../../src/errors/iml-error.js';
import { evaluate } from '../../src/iml/compile.js';
import { findRewrite, MAX_REWRITTEN_ARGUMENTS } from '../../src/iml/environment/call-rewrites.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';

const OPTIONS = { now: () => Date.UTC(2024, 1, 29, 22, 30), timezone: 'America/New_York' };

/** The value, or what the error says and where. */
function outcome(template: string, scope: Record<string, unknown>): unknown {
  try {
    return evaluate(template, scope, OPTIONS);
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    return error.toJSON();
  }
}

const TEXTS: readonly unknown[] = [
  ...['2024-02-29', '2023-02-29', '29.02.2024 23:59', '2024-02-29T10:00:00Z', '1709161200', '10:00'],
  ...['nonsense', '', null, undefined, 5, true, new Date(0), new Date(Number.NaN), ['2024-02-29'], { a: 1 }],
];
const FORMATS: readonly unknown[] = [undefined, 'YYYY-MM-DD', 'DD.MM.YYYY HH:mm', 'X', 'HH:mm', '', 5];
const ZONES: readonly unknown[] = [undefined, 'Asia/Tokyo', 'No/Where'];
const WRITTEN: readonly unknown[] = [undefined, 'D.M.YYYY H:mm z', 'x', '', 7];

describe('formatDate of what parseDate gives', () => {
  it('has a shorter way, which others have not', () => {
    const { formatDate, parseDate, addDays } = FUNCTIONS;
    if (formatDate === undefined || parseDate === undefined) throw new Error('There is no such function.');
    expect(findRewrite(formatDate, parseDate)).toBeDefined();
    expect(findRewrite(formatDate, addDays)).toBeUndefined();
    expect(findRewrite(formatDate, undefined)).toBeUndefined();
    expect(findRewrite(parseDate, formatDate)).toBeUndefined();
    expect(MAX_REWRITTEN_ARGUMENTS).toBe(3);
  });

  // A fourth argument, which neither takes, keeps a call as it is written.
  it.each(TEXTS.map((text, index) => [text, index] as const))(
    'is what the two give one after the other, errors included: %j (%i)',
    (text) => {
      for (const format of FORMATS) {
        for (const zone of ZONES) {
          for (const written of WRITTEN) {
            for (const shown of ZONES) {
              const scope = { text, format, zone, written, shown };
              const call = (more: string): string =>
                `{{formatDate(parseDate(text; format; zone${more}); written; shown)}}`;
              expect(outcome(call('    '), scope)).toEqual(outcome(call('; no'), scope));
            }
          }
        }
      }
    },
  );

  it.each([
    ["parseDate('2024-02-29')", ''],
    ["parseDate('2024-02-29')", "; 'YYYY'"],
    ["parseDate('2024-02-29'; ; 'Asia/Tokyo')", '; ; '],
    ["parseDate('29.2.2024'; 'D.M.YYYY')", "; 'YYYY-MM-DD'; 'UTC'; 1; 2"],
  ])('takes no argument for another: formatDate(%s%s)', (inner, others) => {
    const date = evaluate(`{{${inner}}}`, {}, OPTIONS);
    expect(date).toBeInstanceOf(Date);
    const expected = evaluate(`{{formatDate(date${others})}}`, { date }, OPTIONS);
    expect(evaluate(`{{formatDate(${inner}${others})}}`, {}, OPTIONS)).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { writeXml } from '../../src/http/body/write-xml.js';
import { parseXml, parseXmlInParts } from '../../src/http/body/xml.js';
import { XML_FUNCTIONS } from '../../src/http/body/xml-functions.js';
import { finishAtOnce, openJournal, withinSteps, withJournal } from '../../src/iml/values/work.js';
import { cpuMsOf } from '../cpu-time.js';
import { callFunction, stepsOf } from '../iml/functions/call-function.js';

const call = (name: string, value: unknown): unknown => callFunction(XML_FUNCTIONS, name, value);

describe('the work of parseXML', () => {
  const stepsOfMore = (piece: string): number => {
    const steps = (count: number): number => stepsOf(() => call('parseXML', `<r>${piece.repeat(count)}</r>`));
    return (steps(40) - steps(20)) / 20;
  };

  // 0.05 of a character is what every function of a text takes.
  it.each<[what: string, piece: string, steps: number]>([
    ['a character', 'a', 0.85],
    ['an element', '<a/>', 4 * 0.85 + 40],
    ['attributes', '<a b="" c=""/>', 14 * 0.85 + 40 + 2 * 20],
    ['a mark', '&#65;', 5 * 0.85 + 5],
  ])('is counted for %s', (_what, piece, steps) => {
    expect(stepsOfMore(piece)).toBeCloseTo(steps, 1);
  });

  it('is not done where it would be too much', async () => {
    const text = `<r>${'<a b="1"/>'.repeat(400_000)}</r>`;
    const took = await cpuMsOf(() => {
      expect(() => withinSteps(200_000, () => call('parseXML', text))).toThrow(
        expect.objectContaining({ code: 'IML_LIMIT' }),
      );
    });
    expect(took).toBeLessThan(100);
  });
});

describe('the work of createXML', () => {
  const stepsOfMore = (item: unknown): number => {
    const steps = (count: number): number =>
      stepsOf(() => call('createXML', { r: { a: Array(count).fill(item) } }));
    return (steps(40) - steps(20)) / 20;
  };

  it('is counted for elements, members, attributes and characters', () => {
    const empty = stepsOfMore('');
    expect(empty).toBe(150);
    expect(stepsOfMore('x'.repeat(100))).toBeCloseTo(empty + 100 * 0.2, 1);
    expect(stepsOfMore('日'.repeat(100))).toBeCloseTo(empty + 100 * 0.4, 1);
    expect(stepsOfMore('&'.repeat(10))).toBeCloseTo(empty + 10 * (0.2 + 4), 1);
    expect(stepsOfMore({ b: '', c: '' })).toBeCloseTo(empty + 2 * (16 + 150 + 0.2), 1);
    // `_attributes` is a member, too.
    expect(stepsOfMore({ _attributes: { b: '' } })).toBeCloseTo(empty + 2 * 16 + 150 + 0.2, 1);
  });
});

describe('what is too much at a time', () => {
  /** What a call gives whose parts are done one after the other, and how many they were. */
  function inParts(name: string, value: unknown): { result: unknown; parts: number } {
    const journal = openJournal();
    const begin = (): unknown => withJournal(journal, () => withinSteps(2_000_000, () => call(name, value)));
    expect(begin).toThrow(expect.objectContaining({ code: 'IML_LIMIT' }));
    const { pending } = journal;
    if (pending === undefined) throw new Error('Nothing was left to be done in parts.');
    for (let parts = 1; ; parts++) {
      const { done, value: result } = withinSteps(100_000, () => pending.parts.next());
      if (done !== true) continue;
      journal.done[pending.at] = () => result;
      return { result: begin(), parts };
    }
  }

  const records = {
    r: { a: Array.from({ length: 12_000 }, (_, id) => ({ _attributes: { id }, b: 'x & y' })) },
  };

  it('is written in parts', () => {
    const { result, parts } = inParts('createXML', records);
    expect(result).toBe(writeXml(records));
    expect(parts).toBeGreaterThan(100);
    const long = inParts('createXML', { r: `${'日'.repeat(999_999)}&😀` });
    expect(long.result).toBe(`<r>${'日'.repeat(999_999)}&amp;😀</r>`);
    expect(long.parts).toBeGreaterThan(50);
  });

  it('is read in parts', () => {
    const text = writeXml(records);
    const { result, parts } = inParts('parseXML', text);
    expect({ ok: true, value: result }).toEqual(parseXml(text));
    expect(parts).toBeGreaterThan(20);
  });

  it('fails in parts as it does at once', () => {
    const journal = openJournal();
    const text = `${writeXml(records).slice(0, -4)}</s>`;
    expect(finishAtOnce(parseXmlInParts(text))).toEqual(parseXml(text));
    const begin = (): unknown => withJournal(journal, () => call('parseXML', text));
    expect(begin).toThrow(expect.objectContaining({ code: 'IML_LIMIT' }));
    const { pending } = journal;
    const result = pending && finishAtOnce(pending.parts);
    journal.done[0] = () => result;
    expect(begin).toThrow(/Invalid XML/);
  });
});

describe('the cost', () => {
  const SMALLEST = 4096;
  /** Eight times the input takes eight times as long; the square of it 64. */
  const MOST_GROWTH = 28;

  const TEXTS: Readonly<Record<string, (count: number) => unknown>> = {
    text: (count) => `<r>${'a'.repeat(count)}</r>`,
    elements: (count) => `<r>${'<a/>'.repeat(count)}</r>`,
    attributes: (count) => `<r>${'<a b=""/>'.repeat(count)}</r>`,
    marks: (count) => `<r>${'&amp;]'.repeat(count)}</r>`,
    comments: (count) => `<r>${'<!--- -->'.repeat(count)}</r>`,
    open: (count) => `<r>${'<'.repeat(count)}`,
    prolog: (count) => `${' '.repeat(count)}<!DOCTYPE a [${'<!--'.repeat(count)}`,
  };
  const DOCUMENTS: Readonly<Record<string, (count: number) => unknown>> = {
    list: (count) => ({ r: { a: Array.from({ length: count }, () => '&') } }),
    members: (count) => ({
      r: Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])),
    }),
    text: (count) => ({ r: '<a>'.repeat(count) }),
    roots: (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])),
  };
  const CASES = [
    ...Object.entries(TEXTS).map(([title, make]) => ['parseXML', title, make] as const),
    ...Object.entries(DOCUMENTS).map(([title, make]) => ['createXML', title, make] as const),
  ];

  it.each(CASES)(
    'of %s grows with its input, not with its square: %s',
    { retry: 3 },
    async (name, _title, make) => {
      const costOf = async (count: number): Promise<number> => {
        const value = make(count);
        let least = Number.POSITIVE_INFINITY;
        for (let time = 0; time < 3; time++) {
          const took = await cpuMsOf(() => {
            try {
              call(name, value);
            } catch {
              // What is refused takes time, too.
            }
          });
          least = Math.min(least, took);
        }
        return least;
      };
      const [small, large] = [await costOf(SMALLEST), await costOf(8 * SMALLEST)];
      expect(large / Math.max(small, 2)).toBeLessThan(MOST_GROWTH);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { addTexts, NO_TEXTS } from '../../src/redaction/body-texts.js';
import { createRedactor } from '../../src/redaction/redact.js';

const HIDDEN = '[SANITIZED]';

/** A body as it is shown where `log.sanitize` names these texts of it. */
function shown(body: unknown, texts: readonly string[]): unknown {
  const sanitize = texts.map((text) => `response.body<${text}>`);
  return createRedactor({ secrets: [], sanitize }).response({ status: 200, headers: {}, body }).body;
}

describe('texts that are hidden in bodies only', () => {
  it('are looked for in the body, and not in what stands in place of others', () => {
    expect(shown('S 1 A 2', [...'SANITZED'])).toBe(`${HIDDEN} 1 ${HIDDEN} 2`);
    expect(shown('S'.repeat(200_000), [...'SANITZED'])).toBe(HIDDEN);
  });

  it('are hidden whole where they overlap one another, or what is known', () => {
    expect(shown('xabcdx', ['abc', 'bcd'])).toBe(`x${HIDDEN}x`);
    expect(shown('-abcdefghi-', ['abcdefgh', 'hi'])).toBe(`-${HIDDEN}-`);
  });

  it('are all found, however many they are', () => {
    const texts = Array.from({ length: 5000 }, (_, index) => `<${index.toString(36)}>`);
    expect(shown({ a: texts.join(' '), b: 'x' }, texts)).toEqual({
      a: texts.map(() => HIDDEN).join(' '),
      b: 'x',
    });
  });

  it('are hidden where the body is cut off in them', () => {
    const body = `${'-'.repeat(262_142)}abcde`;
    expect(shown(body, ['abcde'])).toMatch(/^-+\[SANITIZED\]/);
  });

  it('are known by how they begin where they are files: what is behind is hidden with them', () => {
    const file = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
    expect(shown(`head ${file} tail`, [file])).toBe(`head ${HIDDEN}`);
    expect(shown(`head ${file}${file}`, [file])).toMatch(/^head \[SANITIZED\](?!.*line)/s);
    expect(shown({ file, other: file.slice(1) }, [file])).toMatchObject({ file: HIDDEN });
  });

  it('have their bound, and say so', () => {
    const files = Array.from({ length: 100 }, (_, index) => String(index).padEnd(70_000, '.'));
    const sanitize = files.map((file) => `request.body<${file}>`);
    expect(createRedactor({ secrets: [], sanitize: sanitize.slice(0, 90) }).knowsAll()).toBe(true);
    expect(createRedactor({ secrets: [], sanitize }).knowsAll()).toBe(false);
  });

  it('stay as they were where more are added', () => {
    const before = addTexts(NO_TEXTS, ['abc']);
    const after = addTexts(before, ['xyz']);
    expect([before.find('abc xyz').length, after.find('abc xyz').length]).toEqual([1, 2]);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { redactPatterns } from '../../src/engine/redaction/redact-text.js';

const readFixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../spec-fixtures/redaction/${name}.json`, import.meta.url), 'utf8'));

const MESSAGES = readFixture('messages') as readonly string[];
const CREDENTIALS = readFixture('credentials') as readonly {
  readonly text: string;
  readonly hidden: string;
}[];

describe('redaction without known secrets', () => {
  it('shows messages of APIs unchanged', () => {
    expect(MESSAGES.length).toBeGreaterThanOrEqual(200);
    expect(MESSAGES.map(redactPatterns)).toEqual(MESSAGES);
  });

  it.each(CREDENTIALS)('hides the credential in "$text"', ({ text, hidden }) => {
    const shown = redactPatterns(text);
    expect(shown).not.toContain(hidden);
    expect(shown).toContain('[SANITIZED]');
  });

  it('finds a credential at the end of each message', () => {
    const token = 'q8Zk27Lm90Xw';
    for (const message of MESSAGES) expect(redactPatterns(`${message} Bearer ${token}`)).not.toContain(token);
  });
});

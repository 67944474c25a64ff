import { describe, expect, it } from 'vitest';
import type { CrossingRule } from '../../src/http/message/transport.js';
import { withholdSecrets, withholdSecretsInTurns } from '../../src/http/transport/crossing.js';
import { finishAtOnce, openJournal, withinSteps, withJournal } from '../../src/iml/values/work.js';
import { request } from './loopback.js';

const SECRET = 'secret-of-a-body';
const MOST = 1024 * 1024;

/** A rule that notes how much it is given to look through at a time. */
function ruleNoting(lengths: number[]): CrossingRule {
  return {
    findHosts: async () => {},
    isTrusted: () => false,
    isGiven: () => false,
    sendsSecrets: false,
    isSecretHeader: () => false,
    holdsSecret: (text) => {
      lengths.push(text.length);
      return text.includes(SECRET);
    },
    longestSecret: () => SECRET.length,
    findCut: (texts) => texts.map(() => false),
    holdsCredential: () => false,
    onWithheld: () => {},
  };
}

const withBody = (body: Buffer) => request('https://other.test/', { method: 'POST', body });
const refused = { code: 'NETWORK_REFUSED', message: expect.stringContaining('in its body') };

describe('a body for a host that nobody named', () => {
  it.each([
    ['at once', withholdSecrets],
    ['in turns', withholdSecretsInTurns],
  ])('is looked through in pieces, %s', async (_how, withhold) => {
    const lengths: number[] = [];
    const sent = await withhold(withBody(Buffer.alloc(MOST + 1, 'x')), ruleNoting(lengths));
    expect(sent.body).toHaveLength(MOST + 1);
    const ofBody = lengths.filter((length) => length > 100);
    expect(ofBody).toHaveLength(17);
    expect(Math.max(...ofBody)).toBe(80 * 1024);
  });

  it('is looked through in parts where it is too much for one evaluation', async () => {
    const body = Buffer.alloc(8 * MOST, 'x');
    const journal = openJournal();
    const begin = () => withJournal(journal, () => withholdSecrets(withBody(body), ruleNoting([])));
    expect(() => withinSteps(2_000_000, begin)).toThrow(expect.objectContaining({ code: 'IML_LIMIT' }));
    const { at = 0, parts } = journal.pending ?? {};
    const found = parts && finishAtOnce(parts);
    journal.done[at] = () => found;
    expect(withinSteps(2_000_000, begin).body).toHaveLength(8 * MOST);
  });

  it.each([0, 64 * 1024 - 8, 2 * MOST - SECRET.length])(
    'is refused for a secret at %i, across two pieces, too',
    async (at) => {
      const body = Buffer.alloc(2 * MOST, 'x');
      body.write(SECRET, at);
      await expect(withholdSecretsInTurns(withBody(body), ruleNoting([]))).rejects.toMatchObject(refused);
    },
  );

  it('is refused for a secret that is longer than a piece, wherever pieces end', async () => {
    const long = Array.from({ length: 12_000 }, (_, index) => (index * index).toString(36))
      .join('')
      .slice(0, 20_000);
    const rule: CrossingRule = {
      ...ruleNoting([]),
      holdsSecret: (text) => text.includes(long),
      longestSecret: () => long.length,
    };
    for (let at = 0; at < 70_000; at += 3000) {
      const body = Buffer.alloc(MOST + 100_000, 'x');
      body.write(long, at);
      await expect(withholdSecretsInTurns(withBody(body), rule)).rejects.toMatchObject(refused);
    }
  });

  it('is refused for a long secret in the form that takes the most bytes, wherever pieces end', async () => {
    const long = '\u4f60\u597d'.repeat(1000);
    const written = encodeURIComponent(encodeURIComponent(encodeURIComponent(long)));
    const rule: CrossingRule = {
      ...ruleNoting([]),
      holdsSecret: (text) => text.includes(written),
      longestSecret: () => long.length,
    };
    for (let at = 0; at < 70_000; at += 7000) {
      const body = Buffer.alloc(MOST + 200_000, 'x');
      body.write(written, at);
      await expect(withholdSecretsInTurns(withBody(body), rule)).rejects.toMatchObject(refused);
    }
  });
});

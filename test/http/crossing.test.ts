import { describe, expect, it } from 'vitest';
import type { CrossingRule } from '../../src/http/message/transport.js';
import { withholdSecrets, withholdSecretsInTurns } from '../../src/http/transport/crossing.js';
import { request } from './loopback.js';

const SECRET = 'secret-of-a-body';
const MOST = 1024 * 1024;

/** A rule that notes how much it is given to look through at a time. */
function ruleNoting(lengths: number[]): CrossingRule {
  return {
    isTrusted: () => false,
    sendsSecrets: false,
    isSecretHeader: () => false,
    holdsSecret: (text) => {
      lengths.push(text.length);
      return text.includes(SECRET);
    },
    longestSecret: () => SECRET.length,
    holdsCredential: () => false,
    onWithheld: () => {},
  };
}

const withBody = (body: Buffer) => request('https://other.test/', { method: 'POST', body });
const refused = { code: 'NETWORK_REFUSED', message: expect.stringContaining('in its body') };

describe('a body for a host that nobody named', () => {
  it('is looked through at once up to 1 MiB, and refused unseen beyond where nobody can wait', () => {
    const lengths: number[] = [];
    const rule = ruleNoting(lengths);
    expect(withholdSecrets(withBody(Buffer.alloc(MOST, 'x')), rule).body).toHaveLength(MOST);
    expect(lengths).toEqual([MOST]);
    expect(() => withholdSecrets(withBody(Buffer.alloc(MOST + 1, 'x')), rule)).toThrow(
      expect.objectContaining(refused),
    );
    expect(lengths).toEqual([MOST]);
  });

  it('is looked through in pieces above 1 MiB where that can be waited for', async () => {
    const lengths: number[] = [];
    const sent = await withholdSecretsInTurns(withBody(Buffer.alloc(MOST + 1, 'x')), ruleNoting(lengths));
    expect(sent.body).toHaveLength(MOST + 1);
    expect(lengths).toHaveLength(17);
    expect(Math.max(...lengths)).toBe(80 * 1024);
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
});

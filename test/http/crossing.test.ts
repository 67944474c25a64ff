import { describe, expect, it } from 'vitest';
import type { CrossOriginPolicy } from '../../src/http/message/transport.js';
import { withholdSecrets } from '../../src/http/transport/redirects.js';
import { request } from './loopback.js';

const SECRET = 'secret-of-a-body';
const LENGTH = 2 * 1024 * 1024;

const rule: CrossOriginPolicy = {
  isTrusted: () => false,
  isFromInput: () => false,
  sendsSecrets: false,
  isSecretHeader: () => false,
  holdsSecret: (text) => text.includes(SECRET),
  holdsCredential: () => false,
  onWithheld: () => {},
};

const withBody = (body: Buffer) => request('https://other.test/', { method: 'POST', body });

describe('a body for a host that the app does not name', () => {
  it('is sent if it holds no secret', () => {
    expect(withholdSecrets(withBody(Buffer.alloc(LENGTH, 'x')), rule).body).toHaveLength(LENGTH);
  });

  it.each([0, 64 * 1024 - 8, LENGTH - SECRET.length])('is rejected for a secret at byte %i', (at) => {
    const body = Buffer.alloc(LENGTH, 'x');
    body.write(SECRET, at);
    expect(() => withholdSecrets(withBody(body), rule)).toThrow(
      expect.objectContaining({ code: 'NETWORK_REFUSED', message: expect.stringContaining('in its body') }),
    );
  });
});

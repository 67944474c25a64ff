import { describe, expect, it } from 'vitest';
import { readHar } from '../../src/tools/testing/recording/read-har.js';

const RESPONSE = { status: 200, headers: [{ name: 'a', value: 'b' }], content: { text: 'c' } };
const ENTRY = {
  request: { method: 'get', url: 'https://api.example.test/', headers: [] },
  response: RESPONSE,
};

function read(...entries: readonly unknown[]) {
  return readHar(JSON.stringify({ log: { entries } }), 'a.har');
}

describe('a HAR', () => {
  it('is read if it has unknown members', () => {
    const none = { toString: null, valueOf: null };
    const odd = { ...ENTRY, _resourceType: none, startedDateTime: none, time: none };
    expect(read(odd).calls).toEqual(read(ENTRY).calls);
    const failed = { ...ENTRY, response: { ...RESPONSE, status: 0 }, _error: none };
    expect(read(failed).calls[0]).toMatchObject({ error: { code: expect.any(String) } });
    const params = [
      { name: none, value: none },
      { name: 'a', value: 1 },
    ];
    const posted = { ...ENTRY, request: { ...ENTRY.request, postData: { params } } };
    expect(String(Buffer.from(read(posted).calls[0]?.request.body ?? []))).toBe('=&a=1');
  });

  it('is refused with more headers or form pairs than a message has', () => {
    const pairs = Array.from({ length: 1001 }, (_, id) => ({ name: 'set-cookie', value: `a=${id}` }));
    const request = { ...ENTRY.request, headers: pairs };
    expect(() => read({ ...ENTRY, request })).toThrow('a.har is not a HAR: log.entries[0].request.headers');
    const response = { ...RESPONSE, headers: pairs };
    expect(() => read({ ...ENTRY, response })).toThrow('a.har is not a HAR: log.entries[0].response.headers');
    const posted = { ...ENTRY.request, postData: { params: pairs } };
    expect(() => read({ ...ENTRY, request: posted })).toThrow(
      'postData.params is not a list of at most 1000',
    );
  });

  it('skips entries without an address', () => {
    const nowhere = { ...ENTRY, request: { ...ENTRY.request, url: 'https://[' } };
    expect(read(nowhere, ENTRY)).toMatchObject({
      calls: { length: 1 },
      skipped: [{ reason: 'without a valid HTTP URL', count: 1 }],
    });
  });
});

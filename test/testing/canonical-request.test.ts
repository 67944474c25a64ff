import { describe, expect, it } from 'vitest';
import { canonicalRequest } from '../../src/tools/testing/exchanges/canonical-request.js';

const FORM = 'multipart/form-data; boundary=b';

function send(contentType: string, body: string) {
  return canonicalRequest({
    method: 'POST',
    url: 'https://x.test/upload',
    headers: [['Content-Type', contentType]],
    body: Buffer.from(body, 'latin1'),
  });
}

describe('canonicalRequest', () => {
  it('contains the parts of a multipart body without the boundary', () => {
    const { headers, parts } = send(
      FORM,
      '--b\r\nContent-Disposition: form-data; name="a%22b"\r\n\r\n1\r\n' +
        '--b\r\nContent-Disposition: form-data; name="f"; filename="x.bin"\r\nContent-Type: image/png\r\n\r\n\xff\r\n--b--\r\n',
    );
    expect(headers['content-type']).toBe('multipart/form-data');
    expect(parts).toEqual([
      { name: 'a%22b', text: '1' },
      { name: 'f', base64: '/w==', filename: 'x.bin', contentType: 'image/png' },
    ]);
  });

  it('leaves an invalid multipart body unchanged', () => {
    expect(send(FORM, '--b\r\nbroken off')).toMatchObject({ bodyText: '--b\r\nbroken off' });
    expect(send('multipart/form-data', '\xff\xfe')).toMatchObject({ bodyBase64: '//4=' });
  });
});

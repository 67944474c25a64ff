import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.js';

let stage: TestServer;

beforeAll(async () => {
  stage = await startTestServer();
});
afterAll(() => stage.close());

/** Sends raw bytes and returns the status line, or an empty text if the connection closes. */
function send(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(stage.server.origin).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\r\n\r\n')) socket.end();
    });
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''));
    socket.on('error', reject);
    socket.write(bytes, 'latin1');
  });
}

const HOST = 'Host: x\r\n';

describe('the listener for node:http', () => {
  it.each([
    ['GET /api/v2/ping HTTP/1.1\r\nHost: x\r\n\r\n', 200],
    [`GET http://elsewhere.example/api/v2/ping HTTP/1.1\r\n${HOST}\r\n`, 200],
    [`GET //api/v2/ping HTTP/1.1\r\n${HOST}\r\n`, 404],
    [`GET /api/v2\\ping HTTP/1.1\r\n${HOST}\r\n`, 400],
    [`GET /api/v2/../../etc/passwd HTTP/1.1\r\n${HOST}\r\n`, 400],
    [`GET * HTTP/1.1\r\n${HOST}\r\n`, 400],
    [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400],
    [`GET file:///etc/passwd HTTP/1.1\r\n${HOST}\r\n`, 400],
    [`TRACE /api/v2/ping HTTP/1.1\r\n${HOST}\r\n`, 400],
    [`FOO /api/v2/ping HTTP/1.1\r\n${HOST}\r\n`, 400],
    [`GET /api/v2/%zz HTTP/1.1\r\n${HOST}\r\n`, 404],
    [
      `POST /api/v2/organizations HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [`POST /api/v2/organizations HTTP/1.1\r\n${HOST}Content-Length: abc\r\n\r\n`, 400],
    [`GET /api/v2/ping HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, 400],
    [`GET /api/v2/ping HTTP/1.1\r\n${HOST}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('responds to %j with %i', async (bytes, status) => {
    expect(await send(bytes)).toContain(` ${status} `);
  });

  it('returns for HEAD the length of GET', async () => {
    const headers = { authorization: `Token ${stage.token}` };
    for (const path of ['/api/v2/ping', '/api/v2/organizations/1', '/nowhere']) {
      const url = stage.server.origin + path;
      const [get, head] = [await fetch(url, { headers }), await fetch(url, { method: 'HEAD', headers })];
      expect(head.status).toBe(get.status);
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
    }
  });

  it('responds to a request with an unread body and keeps the connection', async () => {
    const headers = { authorization: `Token ${stage.token}` };
    const body = 'x'.repeat(300_000);
    const refused = await fetch(`${stage.server.origin}/api/v2/nothing`, { method: 'POST', headers, body });
    expect(refused.status).toBe(404);
    expect((await fetch(`${stage.server.origin}/api/v2/ping`)).status).toBe(200);
  });

  it('refuses a body that is too large while it arrives', async () => {
    const headers = { authorization: `Token ${stage.token}`, 'content-type': 'application/json' };
    const body = new Blob(['"', 'x'.repeat(2_000_000), '"']);
    const response = await fetch(`${stage.server.origin}/api/v2/organizations`, {
      method: 'POST',
      headers,
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'SC413' });
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { canary } from '../connection/canary.js';
import { httpServer, type Loopback, readBody } from '../http/loopback.js';

/** A value that fits into a header: no byte above ASCII. */
const plain = (place: string): string => canary(place).replace('é', 'e');

/** Generated values contain no spaces; under a secret name alone only such values count as secrets. */
const solid = (place: string): string => plain(place).replace(' ', '');

/** A secret for every position. */
export const SECRETS: Readonly<
  Record<
    'key' | 'password' | 'item' | 'common' | 'sid' | 'token' | 'setCookie' | 'webhook' | 'literal',
    string
  >
> = {
  key: plain('key'),
  password: canary('password'),
  item: canary('item'),
  common: canary('common'),
  sid: canary('sid'),
  token: solid('token'),
  setCookie: canary('setcookie'),
  webhook: canary('webhook'),
  literal: solid('literal'),
};

export const ALL_SECRETS: readonly string[] = Object.values(SECRETS);

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface SecretService extends Loopback {
  readonly received: Received[];
}

/** Responses to /login and /data: all known values in several encodings. */
const KNOWN = {
  access_token: SECRETS.token,
  echo: [SECRETS.key, { deep: SECRETS.password }],
  text: `You are ${SECRETS.key}, with ${encodeURIComponent(SECRETS.common)} and ${Buffer.from(`user:${SECRETS.password}`).toString('base64')}`,
  [SECRETS.key]: 'a secret as the name of a member',
  items: [{ id: 1, note: SECRETS.token }],
};

/** An API on loopback that quotes every secret it receives. */
export async function startSecretService(): Promise<SecretService> {
  const received: Received[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: await readBody(request) });
    const cookie = `sid=${encodeURIComponent(SECRETS.setCookie)}; Path=/`;
    const json = {
      'content-type': 'application/json',
      'set-cookie': cookie,
      'x-refreshed-token': SECRETS.token,
    };
    const text = JSON.stringify(KNOWN);
    const path = url.replace(/\?.*$/s, '');
    const status = /^\/status\/(\d+)/.exec(path)?.[1];
    if (status !== undefined) {
      response.writeHead(Number(status), json).end(text);
    } else if (path === '/split') {
      response.writeHead(500, json);
      // Chunk borders cut every secret.
      for (let at = 0; at < text.length; at += 7) {
        response.write(text.slice(at, at + 7));
        if (at % 70 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    } else if (path === '/no-json') response.writeHead(200, json).end(`<${text}`);
    else if (path === '/half') response.writeHead(200, json).end(text.slice(0, text.length - 30));
    else if (path === '/xml') {
      const xml = `<r token="${SECRETS.token.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"><a>${SECRETS.key}</b></r>`;
      response.writeHead(200, { ...json, 'content-type': 'application/xml' }).end(xml);
    } else if (path === '/gzip') {
      const packed = gzipSync(text);
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' });
      response.end(packed.subarray(0, packed.length - 12));
    } else if (path === '/reset') response.destroy();
    else if (path === '/cut') {
      response.writeHead(200, { ...json, 'content-length': text.length + 100 });
      response.write(text, () => response.destroy());
    } else if (path === '/loop') {
      response.writeHead(302, { location: `/loop?access_token=${encodeURIComponent(SECRETS.token)}` }).end();
    } else if (path === '/elsewhere') {
      response.writeHead(302, { location: `ftp://${encodeURIComponent(SECRETS.token)}@x/` }).end();
    } else if (path === '/inside') {
      const location = `http://10.9.8.7/?token=${encodeURIComponent(SECRETS.token)}`;
      response.writeHead(302, { location }).end();
    } else response.writeHead(200, json).end(text);
  };
  const loopback = await httpServer((request, response) => void answer(request, response).catch(() => {}));
  return { ...loopback, received };
}
